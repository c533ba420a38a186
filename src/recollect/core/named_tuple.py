"""`NamedTuple` as in `typing`, for classes that a cold hook defines.

`typing` compiles the annotation of every field, which nothing reads at run time, and `namedtuple`
compiles a constructor and makes five methods for each class. A cold hook defines more than eighty:
here they share their methods, and constructors with as many fields share their code. Type checkers
see the original, so they also report what this one doesn't check, such as the order of defaults.
"""

from __future__ import annotations

__all__ = ["NamedTuple"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from _collections import _tuplegetter
    from types import FunctionType

    _codes = {}

    def _constructor(fields, defaults):
        """Return `__new__` for some fields: code for their number, with their names."""
        count = len(fields)
        if count not in _codes:
            names = ", ".join(f"_{n}" for n in range(count))
            made = eval(f"lambda _cls, {names}: _new(_cls, ({names}{',' if count else ''}))")  # noqa: S307
            _codes[count] = made.__code__
        code = _codes[count].replace(
            co_varnames=("_cls", *fields), co_name="__new__", co_qualname="__new__"
        )
        return FunctionType(code, {"_new": tuple.__new__}, "__new__", defaults)

    class _Methods(tuple):
        """What all named tuples have, besides their fields."""

        __slots__ = ()
        _fields = ()

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _replace(self, /, **changes):
            values = list(self)
            for field, value in changes.items():
                if field not in self._fields:
                    raise ValueError(f"Got unexpected field names: {[field]!r}")
                values[self._fields.index(field)] = value
            return tuple.__new__(type(self), values)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            parts = zip(self._fields, self, strict=True)
            inner = ", ".join(f"{name}={value!r}" for name, value in parts)
            return f"{type(self).__name__}({inner})"

        def __getnewargs__(self):
            return tuple(self)

    class _Definition(type):
        def __new__(cls, name, bases, body):
            """Return the named tuple of a class body; for the base itself, a plain class."""
            if not bases:
                return super().__new__(cls, name, bases, body)
            annotations = body.get("__annotations__", {})
            fields = tuple(annotations)
            defaults = {field: body.pop(field) for field in fields if field in body}
            body.update((field, _tuplegetter(at, "")) for at, field in enumerate(fields))
            body.update(
                __slots__=(),
                __match_args__=fields,
                _fields=fields,
                _field_defaults=defaults,
                __new__=_constructor(fields, tuple(defaults.values())),
            )
            return type(name, (_Methods,), body)

    class NamedTuple(metaclass=_Definition):
        """The base of a class with fields; see `typing.NamedTuple`."""

"""`NamedTuple` as in `typing`, for classes that a cold hook defines.

`typing` compiles the annotation of every field, which nothing reads at run time. That is more than
half of the time it takes to define one, and a cold hook defines more than sixty. Type checkers see
the original, so they also report what this one doesn't check, such as the order of defaults.
"""

from __future__ import annotations

__all__ = ["NamedTuple"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from collections import namedtuple

    class _Definition(type):
        def __new__(cls, name, bases, body):
            """Return the named tuple of a class body; for the base itself, a plain class."""
            if not bases:
                return super().__new__(cls, name, bases, body)
            fields = body.pop("__annotations__", {})
            defaults = [body.pop(field) for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body.pop("__module__"))
            made.__annotations__ = fields
            for key, value in body.items():
                setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Definition):
        """The base of a class with fields; see `typing.NamedTuple`."""

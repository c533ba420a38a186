"""Regular expressions that compile on first use, and once for each installation.

Compiling one takes up to four milliseconds, and Python does not cache it across processes. An agent
starts a new process for every event, and a prompt needs fifty of our expressions. So what they
compile to is kept in a file beside this module's own bytecode, where Python keeps what our modules
compile to. Whoever can write there can change our code, too.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any

# Raise it with every change of the file's contents.
_FORMAT = 1
_MOST_KEPT = 2000


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`, but deferred."""
    return _Lazy(text, flags)  # type: ignore[return-value]


class _Lazy:
    def __init__(self, text: str, flags: int) -> None:
        self._arguments = text, flags

    def __getattr__(self, name: str) -> Any:
        """Compile, and cache the attribute so that this runs once."""
        value = getattr(compiled(*self._arguments), name)
        setattr(self, name, value)
        return value


def compiled(text: str, flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`, but only the first process compiles it."""
    return _kept.compiled(text, int(flags))


def keep_compiled() -> None:
    """Save what this process had to compile, for the next one. It is no error if that fails."""
    _kept.save()


class _Kept:
    """What expressions compile to, from a file."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        # Text and flags → the compiled code, as bytes, and the other arguments of `_sre.compile`.
        self._known: dict[tuple[str, int], tuple[bytes, int, int, dict[str, int]]] | None = None
        self._is_changed = False

    def compiled(self, text: str, flags: int) -> re.Pattern[str]:
        """Return an expression, from the file if it is there."""
        if self._known is None:
            self._known = self._load()
        try:
            if (text, flags) not in self._known:
                self._known[text, flags] = _compile(text, flags)
                self._is_changed = True
            return _revive(text, self._known[text, flags])
        except Exception as error:
            import re

            if isinstance(error, re.error):
                raise
            self._path = None  # a Python whose inner functions differ
            return re.compile(text, flags)

    def _load(self) -> dict[tuple[str, int], tuple[bytes, int, int, dict[str, int]]]:
        import marshal

        try:
            with open(self._path or os.devnull, "rb") as file:  # noqa: PTH123
                head, data = marshal.loads(file.read())  # noqa: S302  (as trusted as our bytecode)
            if head != _head(data):
                return {}
            known: dict[tuple[str, int], tuple[bytes, int, int, dict[str, int]]]
            known = marshal.loads(data)  # noqa: S302
        except (OSError, EOFError, ValueError, TypeError):
            return {}
        return known

    def save(self) -> None:
        """Replace the file, if something is new."""
        if not self._is_changed or self._path is None or sys.dont_write_bytecode:
            return
        import marshal

        self._is_changed = False
        data = marshal.dumps(dict(list((self._known or {}).items())[-_MOST_KEPT:]))
        draft = f"{self._path}.{os.getpid()}"
        try:
            with open(draft, "wb") as file:  # noqa: PTH123
                file.write(marshal.dumps((_head(data), data)))
            os.replace(draft, self._path)  # noqa: PTH105
        except OSError:
            return  # read-only: every process compiles


def _head(data: bytes) -> tuple[int, int, int, bytes]:
    """Return what must be the same for the contents of the file to count."""
    import _imp
    import _sre  # type: ignore[import-not-found]

    return _FORMAT, sys.hexversion, _sre.MAGIC, _imp.source_hash(_FORMAT, data)


def _compile(text: str, flags: int) -> tuple[bytes, int, int, dict[str, int]]:
    """Compile as `re` does, and return what `_sre.compile` takes."""
    from array import array
    from re import _compiler, _parser  # type: ignore[attr-defined]

    parsed = _parser.parse(text, flags)
    code = array("I", _compiler._code(parsed, flags)).tobytes()
    state = parsed.state
    return code, flags | state.flags, state.groups - 1, dict(state.groupdict)


def _revive(text: str, made: tuple[bytes, int, int, dict[str, int]]) -> re.Pattern[str]:
    """Return the expression of what was compiled; `_sre` checks the code."""
    import _sre

    code, flags, groups, names = made
    of_group: list[str | None] = [None] * (groups + 1)
    for name, number in names.items():
        of_group[number] = name
    numbers = memoryview(code).cast("I").tolist()
    found: re.Pattern[str] = _sre.compile(text, flags, numbers, groups, names, tuple(of_group))
    return found


_cached = __spec__.cached if __spec__ is not None else None
_kept = _Kept(None if _cached is None else os.path.splitext(_cached)[0] + ".expressions")  # noqa: PTH122

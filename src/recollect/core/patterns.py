"""Regular expressions that compile on first use, and once for each installation.

Compiling one takes up to four milliseconds, and Python does not cache it across processes. An agent
starts a new process for every event, and a prompt needs fifty of our expressions. So what they
compile to is kept in a file beside this module's own bytecode, where Python keeps what our modules
compile to. Whoever can write there can change our code, too.

The engine asks the same of the same memories at every event: what a text costs, whether it may be
shown, which words it has. What such a function found in the last texts is kept as well.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache, wraps

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")

# Raise it with every change of the file's contents.
_FORMAT = 2
_MOST_KEPT = 2000
# So many texts for each function, and none that is longer: a few megabytes at most.
_TEXTS, _LONGEST = 256, 10_000


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


def remembered(function: Callable[[str], T]) -> Callable[[str], T]:
    """Return a function of a text alone that finds nothing again in a text that it had before."""
    known = lru_cache(_TEXTS)(function)

    @wraps(function)
    def run(text: str) -> T:
        return known(text) if len(text) <= _LONGEST else function(text)

    return run


# The compiled code, as bytes, and the other arguments of `_sre.compile`.
_Made = tuple[bytes, int, int, dict[str, int]]
# Where the bytes of an expression are in the file, and their hash.
_Place = tuple[int, int, bytes]


class _Kept:
    """What expressions compile to, from a file.

    The file has an index and the expressions one after the other, because some are long and a
    process needs few: only those are checked and read.
    """

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._places: dict[tuple[str, int], _Place] | None = None
        self._parts = b""
        self._new: dict[tuple[str, int], _Made] = {}

    def compiled(self, text: str, flags: int) -> re.Pattern[str]:
        """Return an expression, from the file if it is there."""
        try:
            made = self._new.get((text, flags)) or self._read(text, flags)
            if made is None:
                made = self._new[text, flags] = _compile(text, flags)
            return _revive(text, made)
        except Exception as error:
            import re

            if isinstance(error, re.error):
                raise
            self._path = None  # a Python whose inner functions differ
            return re.compile(text, flags)

    def _read(self, text: str, flags: int) -> _Made | None:
        if self._places is None:
            self._places, self._parts = self._load()
        place = self._places.get((text, flags))
        if place is None:
            return None
        start, end, known = place
        part = self._parts[start:end]
        if _hash(part) != known:
            return None
        import marshal

        made: _Made = marshal.loads(part)  # noqa: S302
        return made

    def _load(self) -> tuple[dict[tuple[str, int], _Place], bytes]:
        import marshal

        try:
            with open(self._path or os.devnull, "rb") as file:  # noqa: PTH123
                # As trusted as our bytecode.
                head, index, parts = marshal.loads(file.read())  # noqa: S302
            if head != _head(index):
                return {}, b""
            return marshal.loads(index), parts  # noqa: S302
        except (OSError, EOFError, ValueError, TypeError):
            return {}, b""

    def save(self) -> None:
        """Replace the file, if something is new."""
        if not self._new or self._path is None or sys.dont_write_bytecode:
            return
        import marshal

        kept = {
            key: self._parts[start:end] for key, (start, end, _) in (self._places or {}).items()
        }
        kept |= {key: marshal.dumps(made) for key, made in self._new.items()}
        self._new = {}
        places, at = {}, 0
        newest = list(kept.items())[-_MOST_KEPT:]
        for key, part in newest:
            places[key] = at, at + len(part), _hash(part)
            at += len(part)
        self._places, self._parts = places, b"".join(part for _, part in newest)
        index = marshal.dumps(places)
        draft = f"{self._path}.{os.getpid()}"
        try:
            with open(draft, "wb") as file:  # noqa: PTH123
                file.write(marshal.dumps((_head(index), index, self._parts)))
            os.replace(draft, self._path)  # noqa: PTH105
        except OSError:
            return  # read-only: every process compiles


def _hash(data: bytes) -> bytes:
    import _imp

    hashed: bytes = _imp.source_hash(_FORMAT, data)
    return hashed


def _head(index: bytes) -> tuple[int, int, int, bytes]:
    """Return what must be the same for the contents of the file to count."""
    import _sre  # type: ignore[import-not-found]

    return _FORMAT, sys.hexversion, _sre.MAGIC, _hash(index)


def _compile(text: str, flags: int) -> _Made:
    """Compile as `re` does, and return what `_sre.compile` takes."""
    from array import array
    from re import _compiler, _parser  # type: ignore[attr-defined]

    parsed = _parser.parse(text, flags)
    code = array("I", _compiler._code(parsed, flags)).tobytes()
    state = parsed.state
    return code, flags | state.flags, state.groups - 1, dict(state.groupdict)


def _revive(text: str, made: _Made) -> re.Pattern[str]:
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

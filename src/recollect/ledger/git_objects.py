"""Git's output: the objects that `cat-file --batch` returns, and the errors behind exit codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.core.limits import NOTE_BYTES
from recollect.core.named_tuple import NamedTuple
from recollect.errors import GitFailed, NotWritable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import IO, Final

_NOT_WRITABLE = (
    "Permission denied",
    "insufficient permission",
    "Read-only",
    "No space left",
    "Disk quota",
)


class GitObject(NamedTuple):
    """An object as `git cat-file --batch` gives it."""

    oid: str
    type: str
    data: bytes
    # Its contents were skipped: they exceed the size limit of a note.
    is_too_large: bool = False


# Returned by `read_all` for contents above the limit; compare with `is`.
OVERSIZE: Final = bytes(bytearray(b"oversize"))
_PIECE = 1 << 20


class ObjectReader:
    """Asks one `git cat-file --batch` for objects, by id, ref or path expression."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout

    def get(self, name: str) -> GitObject | None:
        """Return the object with that name; None if there is none."""
        return self.get_many([name])[0]

    def get_many(self, names: Sequence[str]) -> list[GitObject | None]:
        """Return a few objects by name: all names must fit in a pipe at once."""
        try:
            self._stdin.write("".join(f"{name}\n" for name in names).encode())
            self._stdin.flush()
            return [self._read() for _ in names]
        except (BrokenPipeError, EOFError):
            err = self._process.stderr.read() if self._process.stderr else b""
            raise failure(("cat-file",), self._process.wait(), err) from None

    def _read(self) -> GitObject | None:
        header = self._stdout.readline()
        if not header.endswith(b"\n"):
            raise EOFError
        words = header.split()
        if len(words) != 3 or not words[2].isdigit():
            return None
        size = int(words[2])
        if size > NOTE_BYTES:
            _pass_over(self._stdout, size + 1)
            return GitObject(words[0].decode(), words[1].decode(), b"", is_too_large=True)
        data = self._stdout.read(size + 1)
        if len(data) <= size:
            raise EOFError
        return GitObject(words[0].decode(), words[1].decode(), data[:-1])


def contents(stream: IO[bytes], most: int | None) -> Iterator[bytes | None]:
    """Split the output of `cat-file --batch` into contents; None for a missing object."""
    read, readline = stream.read, stream.readline
    while header := readline():
        if header.endswith(b" missing\n"):
            yield None
            continue
        size = int(header[header.rindex(b" ") :])
        if most is not None and size > most:
            _pass_over(stream, size + 1)
            yield OVERSIZE
            continue
        data = read(size + 1)
        if len(data) <= size:
            return  # git gave up in the middle of it
        yield data[:-1]


def _pass_over(stream: IO[bytes], count: int) -> None:
    """Read and discard bytes in chunks."""
    while count > 0:
        piece = stream.read(min(count, _PIECE))
        if not piece:
            return
        count -= len(piece)


def failure(args: Sequence[str], code: int, err: bytes) -> GitFailed | NotWritable:
    """Return the error for a failed command."""
    text = err.decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    # Traces and hints may come first; the actual error has a prefix.
    lines = [line for line in lines if line.startswith(("fatal: ", "error: "))] or lines
    said = "; ".join(line.removeprefix("fatal: ").removeprefix("error: ") for line in lines[:3])
    message = f"git {verb(args)} failed with exit code {code}: {said or 'no message'}"
    if any(word in text for word in _NOT_WRITABLE):
        return NotWritable(message)
    return GitFailed(message)


def verb(args: Sequence[str]) -> str:
    """Return the git command in the arguments, after any settings."""
    return next(arg for arg in args if arg != "-c" and "=" not in arg)


def nul_separated(stream: IO[bytes], most: int) -> Iterator[bytes]:
    """Yield the parts of a stream that NUL bytes end, each cut to `most` bytes."""
    part = bytearray()
    while piece := stream.read1(_PIECE):  # type: ignore[attr-defined]
        *ended, rest = piece.split(b"\0")
        for end in ended:
            part += end[: max(0, most - len(part))]
            yield bytes(part)
            part.clear()
        part += rest[: max(0, most - len(part))]
    if part:
        yield bytes(part)

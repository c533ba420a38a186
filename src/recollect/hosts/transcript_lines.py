"""Reads the lines of a transcript file, whichever host wrote it, without holding the file.

A part of a transcript is what the client appended since the last one was read. Reading continues at
the offset where that ended, which always follows the end of a line. If it does not, the file is a
different one, and reading starts over.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from recollect.core.marks import without_own_text
from recollect.core.named_tuple import NamedTuple
from recollect.hosts.protocol import LAST_PART, Message, TranscriptPart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

# A longer line holds a dumped file or a picture, not a sentence to capture.
LONGEST_LINE = 1 << 20
_CHUNK = 1 << 18
# Windows has one of its own instead: without it, the bytes of line ends would change.
_FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
# The roles of messages, whatever the host calls them.
PERSON, AGENT = "user", "assistant"


def open_own(path: Path) -> BinaryIO:
    """Open a regular file of the current user; links and pipes are refused."""
    descriptor = os.open(path, os.O_RDONLY | _FLAGS)
    status = os.fstat(descriptor)
    is_own = sys.platform == "win32" or status.st_uid == os.geteuid()
    if not stat.S_ISREG(status.st_mode) or not is_own:
        os.close(descriptor)
        raise PermissionError(f"{path} is not a regular file of the current user")
    return os.fdopen(descriptor, "rb")


def own_lines(path: Path, most: int | None = None) -> Iterator[tuple[int, bytes]]:
    """Yield the offset and the text of each complete line that is not too long.

    With `most`, stop after about so many bytes. A file that cannot be read has no lines.
    """
    try:
        file = open_own(path)
    except (OSError, ValueError):
        return
    with file:
        at = 0
        while most is None or at < most:
            try:
                line, length = _next_line(file)
            except OSError:
                return
            if not length:
                return
            if line.endswith(b"\n") and len(line) > 1:
                yield at, line[:-1]
            at += length


def _next_line(file: BinaryIO) -> tuple[bytes, int]:
    """Return the next line and its length in the file; an empty line if it is too long."""
    line = file.readline(LONGEST_LINE + 1)
    length = len(line)
    while len(line) > LONGEST_LINE and not line.endswith(b"\n"):
        line = file.readline(LONGEST_LINE + 1)
        length += len(line)
    return (line if length <= LONGEST_LINE + 1 else b""), length


# Parts


class Line(NamedTuple):
    """What a line says: a message, the tools that it calls, and for each result if it failed.

    Where a client writes a message again, for what was added to it, both have the same `identity`.
    """

    role: str
    text: str = ""
    tools: Sequence[str] = ()
    failures: Sequence[bool] = ()
    identity: str = ""


def transcript_reader(
    parse: Callable[[Mapping[str, Any]], Line | None],
) -> Callable[..., TranscriptPart | None]:
    """Return the `read_transcript` of a host whose transcript has an object in each line."""

    def parse_line(line: bytes) -> Line | None:
        entry = object_in(line)
        return None if entry is None else parse(entry)

    def read_transcript(path: Path, offset: int, *, most: int = 4 << 20) -> TranscriptPart | None:
        """Read the messages after an offset, at most about `most` bytes."""
        return read_part(path, offset, most, parse_line)

    return read_transcript


def read_part(
    path: Path, offset: int, most: int, parse: Callable[[bytes], Line | None]
) -> TranscriptPart | None:
    """Read the messages after an offset, at most about `most` bytes.

    Only complete lines count: the client may be writing the last one. The result is None if there
    is no regular file of the current user at the path.
    """
    try:
        with open_own(path) as file:
            size = os.fstat(file.fileno()).st_size
            if offset == LAST_PART:
                start, data = _last_bytes(file, size, most)
            else:
                start, data = _next_bytes(file, offset, size, most)
    except (OSError, ValueError):
        return None
    complete = data.rfind(b"\n") + 1
    messages: list[Message] = []
    tools: list[str] = []
    failed = recovered = False
    last = ""
    for at, text in _lines(data[:complete]):
        line = parse(text)
        if line is None:
            continue
        tools += line.tools
        for error in line.failures:
            failed, recovered = error, (failed or recovered) and not error
        is_again = bool(line.identity) and line.identity == last
        last = line.identity or last
        if line.text and not is_again:
            messages.append(Message(line.role, line.text, start + at))
    # What follows an incomplete line is not there yet.
    more = bool(complete) and start + len(data) < size
    return TranscriptPart(
        tuple(messages), start + complete, Counter(tools), len(messages), more, failed, recovered
    )


def object_in(line: bytes) -> Mapping[str, Any] | None:
    """Parse a line; None if it is not a JSON object."""
    try:
        said = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def objects_of(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects in a list; nothing if it is something else."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def object_at(entry: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the object in a field; an empty one if it is something else."""
    found = entry.get(name)
    return found if isinstance(found, dict) else {}


def clean(text: str) -> str:
    """Return what was said, without what we added to it."""
    return encodable(without_own_text(text)).strip()


def encodable(text: str) -> str:
    """Return a text that UTF-8 can encode: JSON can hold lone surrogates."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _next_bytes(file: BinaryIO, offset: int, size: int, most: int) -> tuple[int, bytes]:
    """Return the next bytes and their offset; at least one line, if it is complete."""
    start = offset if 0 < offset <= size and _ends_line(file, offset) else 0
    file.seek(start)
    data = file.read(min(most, size - start))
    if b"\n" in data or start + len(data) >= size:
        return start, data
    return _long_line(file, start, data)


def _long_line(file: BinaryIO, start: int, data: bytes) -> tuple[int, bytes]:
    """Return a line that is longer than a part; only its end, if it is too long for a message."""
    begin = start
    while part := file.read(_CHUNK):
        if len(data) > LONGEST_LINE:
            begin, data = begin + len(data) - 1, data[-1:]
        end = part.find(b"\n") + 1
        if end and begin > start:
            return begin + len(data) + end - 1, b"\n"
        data += part[:end] if end else part
        if end:
            return begin, data
    return start, b""


def _last_bytes(file: BinaryIO, size: int, most: int) -> tuple[int, bytes]:
    """Return the last bytes and their offset, which is the start of a line."""
    if size <= most:
        file.seek(0)
        return 0, file.read(size)
    file.seek(size - most)
    data = file.read(most)
    begin = data.find(b"\n") + 1
    # Without a line end it is part of a line that is still being written.
    return (size - most + begin, data[begin:]) if begin else (0, b"")


def _ends_line(file: BinaryIO, offset: int) -> bool:
    file.seek(offset - 1)
    return file.read(1) == b"\n"


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    for line in data.split(b"\n"):
        if line and len(line) <= LONGEST_LINE:
            yield at, line
        at += len(line) + 1

"""Reads the lines of a transcript file, whichever host wrote it, without holding the file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

# A longer line holds a dumped file or a picture, not a sentence to capture.
LONGEST_LINE = 1 << 20


def open_own(path: Path) -> BinaryIO:
    """Open a regular file of the current user; links and pipes are refused."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    descriptor = os.open(path, flags)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
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

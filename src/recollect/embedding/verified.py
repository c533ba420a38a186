"""Remembers that files had their known hashes, so that not every process computes them again.

That holds while the system says that nobody wrote to a file since: the device, the inode, the size,
and the times of the last change of its content and of its inode are the same. The last of these is
set by the system alone. Whoever writes to the file and then sets its time back changes it, too. A
file that was changed a moment ago is not remembered: it may change again within one tick of the
clock of its file system. Windows has no such time, so nothing is remembered there.

Whoever can write into the folder, which only its owner may, can also trust programs in your name.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from recollect.config.locate import make_private

_FOLDER = "verified"
_OTHERS_MAY_WRITE = 0o022
_A_MOMENT = 2.0


class Verified:
    """What a folder remembers of files and their hashes; without a folder, nothing."""

    def __init__(self, folder: Path | None, hashes: Mapping[Path, str]) -> None:
        self._folder = folder and folder / _FOLDER
        self._hashes = hashes

    def holds(self, first: os.stat_result) -> bool:
        """Return whether all had their hashes before, and are still the same.

        The first one is the file that was opened, wherever its path leads now. Read the others
        before you ask.
        """
        if self._folder is None or sys.platform == "win32":
            return False
        try:
            found = [first, *self._found()[1:]]
            with (self._folder / _name(found)).open("rb") as stream:
                own = os.fstat(stream.fileno())
                is_ours = own.st_uid == os.geteuid() and not own.st_mode & _OTHERS_MAY_WRITE
                return is_ours and stream.read() == self._lines(found)
        except OSError:
            return False

    def keep(self, first: os.stat_result) -> None:
        """Remember that all had their hashes, if the first is still the one that was opened."""
        if self._folder is None or sys.platform == "win32":
            return
        fresh = self._folder / f"{os.getpid()}.new"
        try:
            found = self._found()
            lines = self._lines(found)
            last = max(max(one.st_mtime, one.st_ctime) for one in found)
            if lines != self._lines([first, *found[1:]]) or time.time() - last < _A_MOMENT:
                return
            make_private(self._folder)
            fresh.unlink(missing_ok=True)
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as stream:
                stream.write(lines)
            fresh.replace(self._folder / _name(found))
        except OSError:  # it is verified again the next time
            with suppress(OSError):
                fresh.unlink(missing_ok=True)

    def _found(self) -> list[os.stat_result]:
        return [file.stat() for file in self._hashes]

    def _lines(self, found: list[os.stat_result]) -> bytes:
        lines = []
        for one, known in zip(found, self._hashes.values(), strict=True):
            same = (one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns)
            lines.append(f"{known} {' '.join(map(str, same))}\n")
        return "".join(lines).encode()


def forget(folder: Path) -> None:
    """Verify everything again."""
    import shutil  # not for a search

    shutil.rmtree(folder / _FOLDER, ignore_errors=True)


def _name(found: list[os.stat_result]) -> str:
    """Return where an installation remembers: others may share some of its files."""
    return "-".join(f"{one.st_ino:x}" for one in found)

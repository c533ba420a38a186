"""Remembers that a file had its known hash, so that not every process computes it again.

That holds while the system says that nobody wrote to the file since: the device, the inode, the
size, and the times of the last change of its content and of its inode are the same. The last of
these is set by the system alone. Whoever writes to the file and then sets its time back changes it,
too. A file that was changed a moment ago is not remembered: it may change again within one tick of
the clock of its file system. Windows has no such time, so nothing is remembered there.

Whoever can write into the folder, which only its owner may, can also trust programs in your name.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from recollect.config.locate import make_private

_FOLDER = "verified"
_OTHERS_MAY_WRITE = 0o022
_A_MOMENT = 2.0


class Verified:
    """What a folder remembers of one file with a known hash; without a folder, nothing."""

    def __init__(self, folder: Path | None, file: Path, digest: str) -> None:
        self._file, self._digest = file, digest
        name = hashlib.sha256(os.fsencode(file.absolute())).hexdigest()[:16]
        is_kept = folder is not None and sys.platform != "win32"
        self._place = folder / _FOLDER / name if folder is not None and is_kept else None

    def holds(self, found: os.stat_result) -> bool:
        """Return whether the file that was opened had its hash before, and is still the same."""
        if self._place is None:
            return False
        try:
            with self._place.open("rb") as stream:
                own = os.fstat(stream.fileno())
                is_ours = own.st_uid == os.geteuid() and not own.st_mode & _OTHERS_MAY_WRITE
                return is_ours and stream.read() == self._line(found)
        except OSError:
            return False

    def keep(self, found: os.stat_result) -> None:
        """Remember that the file had its hash, if it is still the one that was opened."""
        if self._place is None:
            return
        fresh = self._place.with_name(f"{self._place.name}.{os.getpid()}.new")
        try:
            now = self._file.stat()
            if self._line(now) != self._line(found):
                return
            if time.time() - max(now.st_mtime, now.st_ctime) < _A_MOMENT:
                return
            make_private(fresh.parent)
            fresh.unlink(missing_ok=True)
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as stream:
                stream.write(self._line(found))
            fresh.replace(self._place)
        except OSError:  # it is verified again the next time
            with suppress(OSError):
                fresh.unlink(missing_ok=True)

    def _line(self, found: os.stat_result) -> bytes:
        same = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        return f"{self._digest} {' '.join(map(str, same))}\n".encode()


def forget(folder: Path) -> None:
    """Verify everything again."""
    import shutil  # not for a search

    shutil.rmtree(folder / _FOLDER, ignore_errors=True)

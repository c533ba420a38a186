"""The spool: drafts on their way to the ledger, one file each, written atomically.

A hook has little time and may be killed. So it saves what was captured here before anything slow
begins; a later process writes it to the ledger. A draft already has its nonce, so writing it twice
stores it once. Only redacted text may be put here.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from recollect.config.locate import make_private
from recollect.errors import NotWritable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Folders of the local state: the spool, the stash of running hooks, and the suggestions.
SPOOL_FOLDER, STASH_FOLDER, SUGGESTIONS_FOLDER = "spool", "aside", "suggestions"
_SUFFIX = ".json"
_MOST_BYTES = 1 << 22  # far more than a memory may have
_MANY, _WRITERS = 8, 16


def is_waiting(state: Path) -> bool:
    """Whether anything is in a folder of drafts: nearly always, there is nothing to write."""
    for folder in (SPOOL_FOLDER, STASH_FOLDER, SUGGESTIONS_FOLDER):
        try:
            with os.scandir(state / folder) as found:
                if next(found, None) is not None:
                    return True
        except FileNotFoundError:
            continue
        except OSError:
            return True  # whoever reads it says why that fails
    return False


class Spool:
    """The drafts in one directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, uid: str, draft: Mapping[str, Any]) -> None:
        """Store a draft; when this returns, it survives a crash."""
        partial = self.folder / f"{uid}.{os.getpid()}.part"
        try:
            make_private(self.folder)
            handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(draft, file, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(self.folder / (uid + _SUFFIX))
        except OSError as error:
            raise NotWritable(f"Cannot write to {self.folder}: {error}") from None

    def put_all(self, drafts: Mapping[str, Mapping[str, Any]]) -> None:
        """Store many drafts, with one wait for the disk, which takes most of the time."""
        if len(drafts) < _MANY:
            for uid, draft in drafts.items():
                self.put(uid, draft)
            return
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(_WRITERS) as writers:
            for _ in writers.map(self.put, drafts.keys(), drafts.values()):
                pass  # raises the error, if any

    def names(self) -> list[str]:
        """Return the names of the drafts, oldest first."""
        try:
            return sorted(path.stem for path in self.folder.iterdir() if path.suffix == _SUFFIX)
        except OSError:
            return []

    def waiting(self, names: Iterable[str] | None = None) -> dict[str, dict[str, Any]]:
        """Return all or some drafts by name, oldest first; unreadable files are left in place."""
        return self._read(names)[0]

    def unreadable(self) -> list[Path]:
        """Return the files here that contain no draft."""
        return self._read()[1]

    def _read(
        self, names: Iterable[str] | None = None
    ) -> tuple[dict[str, dict[str, Any]], list[Path]]:
        found: dict[str, dict[str, Any]] = {}
        broken: list[Path] = []
        try:
            paths = sorted(path for path in self.folder.iterdir() if path.suffix == _SUFFIX)
        except FileNotFoundError:
            return {}, []
        except OSError:
            return {}, [self.folder]
        if names is not None:
            wanted = frozenset(names)
            paths = [path for path in paths if path.stem in wanted]
        for path in paths:
            draft = _draft_in(path)
            if draft is None:
                broken.append(path)
            else:
                found[path.stem] = draft
        return found, broken

    def adopt(self, other: Spool, seconds: float) -> None:
        """Take over drafts that have been in another spool for this long."""
        for uid in other.names():
            path = other.folder / (uid + _SUFFIX)
            try:
                if time.time() - path.stat().st_mtime >= seconds:
                    make_private(self.folder)
                    path.replace(self.folder / (uid + _SUFFIX))
            except FileNotFoundError:
                continue  # the process that put it there has finished with it
            except OSError as error:
                raise NotWritable(f"Cannot write to {self.folder}: {error}") from None

    def trim(self, most: int, worth: Callable[[Mapping[str, Any]], float]) -> int:
        """Keep at most this many, by worth and then by age; return how many were dropped."""
        waiting = self.waiting()
        best_last = sorted(waiting, key=lambda uid: (worth(waiting[uid]), uid))
        gone = best_last[: max(0, len(waiting) - most)]
        for uid in gone:
            self.drop(uid)
        return len(gone)

    def drop(self, uid: str) -> None:
        """Remove a draft that has reached the ledger. If it cannot be removed, it stays."""
        with suppress(OSError):
            (self.folder / (uid + _SUFFIX)).unlink()


def _draft_in(path: Path) -> dict[str, Any] | None:
    """Return the draft in a file; None if there is none."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None  # a pipe would block
        draft = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return draft if isinstance(draft, dict) else None

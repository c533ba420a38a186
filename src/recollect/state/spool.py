"""What waits for the ledger: one file for each memory, written whole or not at all.

A hook has little time and may be killed. What somebody asked to keep is here before anything slow
begins; whoever comes next brings it to the ledger. A draft has its uid already, so that bringing it
twice keeps it once. Only text without secrets may be put here.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from recollect.errors import NotWritable

# Folders of the local state: what waits for the ledger, and what a hook at work asks to keep.
SPOOL_FOLDER, STASH_FOLDER = "spool", "aside"
_SUFFIX = ".json"


class Spool:
    """The drafts in one directory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, uid: str, draft: Mapping[str, Any]) -> None:
        """Keep a draft; when this returns it survives a crash."""
        partial = self.folder / f"{uid}.{os.getpid()}.part"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(draft, file, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(self.folder / (uid + _SUFFIX))
        except OSError as error:
            raise NotWritable(f"Nothing can be kept in {self.folder}: {error}") from None

    def waiting(self) -> dict[str, dict[str, Any]]:
        """Every draft by uid, oldest first; what cannot be read is left where it is."""
        found: dict[str, dict[str, Any]] = {}
        try:
            paths = sorted(path for path in self.folder.iterdir() if path.suffix == _SUFFIX)
        except OSError:
            return {}
        for path in paths:
            try:
                draft = json.loads(path.read_text("utf-8"))
            except (OSError, ValueError):
                continue
            if isinstance(draft, dict):
                found[path.stem] = draft
        return found

    def adopt(self, other: Spool, seconds: float) -> None:
        """Take over what has been in another one for so long."""
        for uid in other.waiting():
            path = other.folder / (uid + _SUFFIX)
            try:
                if time.time() - path.stat().st_mtime >= seconds:
                    self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                    path.replace(self.folder / (uid + _SUFFIX))
            except FileNotFoundError:
                continue  # whoever put it there has kept it
            except OSError as error:
                raise NotWritable(f"Nothing can be kept in {self.folder}: {error}") from None

    def trim(self, most: int, worth: Callable[[Mapping[str, Any]], float]) -> int:
        """Keep so many at most, the worthiest and then the newest; how many had to go."""
        waiting = self.waiting()
        best_last = sorted(waiting, key=lambda uid: (worth(waiting[uid]), uid))
        gone = best_last[: max(0, len(waiting) - most)]
        for uid in gone:
            self.drop(uid)
        return len(gone)

    def drop(self, uid: str) -> None:
        """Forget a draft that has reached the ledger."""
        (self.folder / (uid + _SUFFIX)).unlink(missing_ok=True)

"""Files that a hook leaves for the agents of a session: private, and deleted after a day."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from recollect.config.locate import make_private
from recollect.core.patterns import pattern

_FOLDER = "run"
_DAY = 86_400.0
_NOT_IN_NAMES = pattern(r"[^A-Za-z0-9_-]")


def write_session_file(state_dir: Path, session: str, name: str, text: str, now: float) -> Path:
    """Write a text, which must be redacted, where only this user can read it."""
    everything = state_dir / _FOLDER
    _tidy(everything, now)
    folder = everything / (_NOT_IN_NAMES.sub("-", session)[:80] or "session")
    make_private(folder)
    path = folder / f"{_NOT_IN_NAMES.sub('-', name)}.txt"
    path.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    return path


def remove_session_files(state_dir: Path) -> None:
    """Remove all session files: a purged memory must not remain in them."""
    shutil.rmtree(state_dir / _FOLDER, ignore_errors=True)


def _tidy(everything: Path, now: float) -> None:
    for folder in everything.iterdir() if everything.is_dir() else ():
        if now - folder.stat().st_mtime > _DAY:
            shutil.rmtree(folder, ignore_errors=True)

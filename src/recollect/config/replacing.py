"""Replaces a file in one step: a reader sees the old text or the new one, never a part."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from recollect.errors import NotWritable


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, with the permissions that it had; a symbolic link stays one."""
    target = path.resolve()
    fresh = target.with_name(f"{target.name}.{os.getpid()}.new")
    try:
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError("it is read-only")
        is_new = not target.exists()
        fresh.unlink(missing_ok=True)  # of a process that had our id and was killed
        # Nobody else may read it before it has the permissions of the file that it replaces.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(fresh, flags, 0o666 if is_new else 0o600), "wb") as file:
            file.write(content)
        if not is_new:
            shutil.copymode(target, fresh)
        fresh.replace(target)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise NotWritable(f"Cannot write {path}: {error}") from None

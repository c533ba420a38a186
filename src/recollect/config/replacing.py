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
        fresh.write_bytes(content)
        if target.exists():
            shutil.copymode(target, fresh)
        fresh.replace(target)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise NotWritable(f"Cannot write {path}: {error}") from None

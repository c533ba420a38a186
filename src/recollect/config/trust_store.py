"""The trust store: in the user's data directory, per repository and content.

Nothing in the repository, nor in a copied `.git`, can declare itself trusted.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.config.locate import common_dir, make_private
from recollect.core.named_tuple import NamedTuple
from recollect.errors import NotWritable

FOLDER = "trust"
_OTHERS_MAY_WRITE = 0o022


class Trust(NamedTuple):
    """The digests of what is trusted; empty for nothing."""

    config: str = ""
    programs: str = ""


def digest(values: Mapping[str, Any]) -> str:
    """Return a digest that identifies a set of settings."""
    import hashlib

    said = json.dumps(sorted(values.items()), ensure_ascii=False, default=str)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def trust_of(home: Path, directory: Path) -> Trust:
    """Return what is trusted in the repository around a directory."""
    repository = common_dir(str(directory))
    path = _path(home, repository)
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(handle, encoding="utf-8") as file:
            if not _is_own(os.fstat(file.fileno())):
                return Trust()
            said = json.load(file)
        if said["repository"] != repository:
            return Trust()
        return Trust(str(said["config"]), str(said["programs"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Trust()


def remember(home: Path, directory: Path, trust: Trust) -> None:
    """Trust what these digests identify, in the repository around a directory."""
    repository = common_dir(str(directory))
    path = _path(home, repository)
    fresh = path.with_suffix(f".{os.getpid()}.new")
    try:
        make_private(path.parent)
        fresh.unlink(missing_ok=True)
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"repository": repository, **trust._asdict()}, file)
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise NotWritable(f"Cannot save trust in {path.parent}: {error}") from None


def forget(home: Path, directory: Path) -> bool:
    """Revoke all trust in the repository around a directory; return whether there was any."""
    was = trust_of(home, directory) != Trust()
    try:
        _path(home, common_dir(str(directory))).unlink(missing_ok=True)
    except OSError as error:
        raise NotWritable(f"Cannot revoke trust: {error}") from None
    return was


def _path(home: Path, repository: str) -> Path:
    import hashlib

    name = hashlib.sha256(os.fsencode(repository)).hexdigest()[:32]
    return home / FOLDER / f"{name}.json"


def _is_own(found: os.stat_result) -> bool:
    """Whether a file is the user's and nobody else can have written it."""
    if sys.platform == "win32":
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & _OTHERS_MAY_WRITE

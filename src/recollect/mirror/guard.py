"""Tells whether a path is inside the mirror, and what to tell an agent that writes there.

The files of the mirror are copies that Recollect writes. A hook asks before every tool call that
writes a file, so this module imports next to nothing.
"""

from __future__ import annotations

import os
import posixpath
import sys
import unicodedata
from collections.abc import Callable, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.config.config import Config


def is_mirror_path(
    path: str,
    cwd: str,
    root: str,
    mirror_path: str,
    resolve: Callable[[str], str] = os.path.realpath,
) -> bool:
    """Return whether a path, as a tool received it, is the mirror's folder or inside it.

    The path is checked both as written and as the file system resolves it, so links into the folder
    and links inside the folder are guarded too. Letter case is ignored, because file systems may
    ignore it.
    """
    if not path.strip():
        return False
    given = os.path.join(cwd, os.path.expanduser(path))  # noqa: PTH111, PTH118
    folder = os.path.join(root, mirror_path)  # noqa: PTH118
    folders = {_comparable(folder), _comparable(resolve(folder))}
    try:
        places = {_comparable(given), _comparable(resolve(given))}
    except (OSError, ValueError):  # not a valid file name
        places = {_comparable(given)}
    return any(
        place == folder or place.startswith(folder + "/") for place in places for folder in folders
    )


def touches_mirror(config: Config, paths: Sequence[str], directory: str) -> bool:
    """Return whether the mirror is on and one of the paths is in it, without opening a store."""
    if not paths or not config.flag("mirror.enabled"):
        return False
    from pathlib import Path

    from recollect.config.config import find_project

    project = find_project(Path(directory))
    name = config.text("mirror.path")
    return project is not None and any(
        is_mirror_path(path, directory, str(project.root), name) for path in paths
    )


def _comparable(path: str) -> str:
    """Normalise `.`, `..`, repeated slashes, and differences that a file system may ignore."""
    if sys.platform == "win32":
        path = path.replace("\\", "/")
    normal = posixpath.normpath(path)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", normal).casefold())


def deny_reason(path: str, memory: str = "") -> str:
    """Return why a direct write is refused, with the command to use instead."""
    if memory:
        command = (
            f"recollect write update {memory} --input FILE --if-version V"
            f" (to see the version: recollect show {memory} --json)"
        )
    else:
        command = (
            "recollect write update ID --input FILE --if-version V"
            " (for a new memory: recollect write create --kind KIND --input FILE)"
        )
    return (
        f"{path} is in the mirror. Its files are copies of memories that Recollect writes."
        f" Change the memory instead, and the file follows: {command}"
    )

"""Whether a path is inside the mirror, and what to tell an agent that wants to write there.

The files of the mirror are copies; the ledger writes them. A hook asks before every tool that
writes a file, so this module imports next to nothing.
"""

from __future__ import annotations

import os
import posixpath
import unicodedata
from collections.abc import Callable


def is_mirror_path(
    path: str,
    cwd: str,
    root: str,
    mirror_path: str,
    resolve: Callable[[str], str] = os.path.realpath,
) -> bool:
    """Whether a path, as a tool was given it, is the mirror's folder or something in it.

    It counts both as it is written and as the file system would follow it: a link into the folder
    and a link that stands in the folder are as guarded as a plain name. Letter case is ignored,
    since file systems may ignore it too.
    """
    if not path.strip():
        return False
    given = os.path.join(cwd, os.path.expanduser(path))  # noqa: PTH111, PTH118
    folder = os.path.join(root, mirror_path)  # noqa: PTH118
    folders = {_comparable(folder), _comparable(resolve(folder))}
    try:
        places = {_comparable(given), _comparable(resolve(given))}
    except (OSError, ValueError):  # a name that no file can have
        places = {_comparable(given)}
    return any(
        place == folder or place.startswith(folder + "/") for place in places for folder in folders
    )


def _comparable(path: str) -> str:
    """A path without `.`, `..`, doubled slashes, and differences that a file system may ignore."""
    if os.name == "nt":
        path = path.replace("\\", "/")
    normal = posixpath.normpath(path)
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", normal).casefold())


def deny_reason(path: str, memory: str = "") -> str:
    """Why a direct write is refused, with the command that does what was wanted."""
    if memory:
        command = (
            f"recollect write update {memory} --input FILE --if-version V"
            f" (the version is shown by: recollect show {memory} --json)"
        )
    else:
        command = (
            "recollect write update ID --input FILE --if-version V"
            " (a new memory: recollect write create --kind KIND --input FILE)"
        )
    return (
        f"{path} is in the mirror: the files there are copies of memories, written by Recollect."
        f" Change the memory, and its file follows: {command}"
    )

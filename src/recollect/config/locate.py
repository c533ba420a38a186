"""Finding a repository without git, for code that has no time to run it."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


def common_dir(directory: str) -> str:
    """Return the git directory that all worktrees share; outside any, the directory itself."""
    start = path = os.path.realpath(directory)
    while True:
        found = os.path.join(path, ".git")  # noqa: PTH118
        try:
            if os.stat(found).st_mode & 0o170000 == 0o040000:  # noqa: PTH116
                return found
            linked = os.path.join(path, _content(found).removeprefix("gitdir:").strip())  # noqa: PTH118
            return os.path.realpath(os.path.join(linked, _shared(linked)))  # noqa: PTH118
        except OSError:
            above = os.path.dirname(path)  # noqa: PTH120
            if above == path:
                return start
            path = above


def _shared(linked: str) -> str:
    """Return the shared git directory that a worktree names; a submodule has none."""
    try:
        return _content(os.path.join(linked, "commondir")).strip()  # noqa: PTH118
    except OSError:
        return ""


def _content(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
        return file.read(4096)


def git_state(directory: str) -> Path | None:
    """Return where a repository's state is, found without git; None outside any."""
    from pathlib import Path

    if not directory or not Path(directory).is_dir():
        return None
    git_dir = Path(common_dir(directory))
    is_one = (git_dir / "HEAD").is_file() and (git_dir / "objects").is_dir()
    return git_dir / "recollect" if is_one else None


def make_private(folder: Path) -> None:
    """Create a folder, and its missing parents, for this user only."""
    missing = []
    while not folder.is_dir():
        missing.append(folder)
        if folder.parent == folder:
            break
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)

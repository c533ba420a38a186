"""What git would say about a repository, read from its files, for hooks that have no time to ask.

Starting git takes a hook as long as half of Python's own start. So the usual case is read here: a
repository of this user with the files that git makes by default. For anything else, and anything
that looks unusual, the answer is None, and git is asked.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from recollect.core.named_tuple import NamedTuple
from recollect.ledger.refs import Refs, Tip

# Variables of git that have nothing to do with finding a repository.
_HARMLESS = (
    *("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_SSH", "GIT_ASKPASS", "GIT_EDITOR", "GIT_PAGER"),
    *("GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL"),
    *("GIT_SEQUENCE_EDITOR", "GIT_MERGE_AUTOEDIT", "GIT_PS1_", "GIT_ALLOW_PROTOCOL"),
    *("GIT_NO_LAZY_FETCH", "GIT_SSL_", "GIT_TRACE", "GIT_HTTP_", "GIT_CURL_", "GIT_PROXY_"),
)
_BRANCH = b"ref: refs/heads/"
_HEX = frozenset(b"0123456789abcdef")
_MOST_CONFIG, _MOST_PACKED = 1 << 16, 1 << 20
# Words in a configuration that change what the files mean.
_UNUSUAL = (b"extensions", b"include", b"worktree", b"\\\n", b"\r", b"\0")
_FILE, _END = "refs.known", "end"


class Located(NamedTuple):
    """A repository as its files describe it."""

    git_dir: Path
    common_dir: Path
    branch: str | None


def locate(tree: Path, environment: Mapping[str, str]) -> Located | None:
    """Return the repository of a working tree; None if git must say."""
    if sys.platform == "win32" or any(
        name.startswith("GIT_") and not name.startswith(_HARMLESS) for name in environment
    ):
        return None
    try:
        root = os.path.realpath(tree)
        git_dir, common = _directories(root)
        owners = {os.lstat(path).st_uid for path in (root, f"{root}/.git", git_dir, common)}
        parts = [os.stat(f"{common}/{name}").st_mode for name in ("objects", "refs")]  # noqa: PTH116
        if owners != {os.geteuid()} or any(mode & 0o170000 != 0o040000 for mode in parts):
            return None
        if not _is_usual(_content(f"{common}/config", _MOST_CONFIG)):
            return None
        head = _content(f"{git_dir}/HEAD", 4096)
        branch = _branch(common, head)
    except (OSError, ValueError):
        return None
    return Located(Path(git_dir), Path(common), branch)


def _directories(root: str) -> tuple[str, str]:
    """Return the git directory of a working tree, and the one that all its worktrees share."""
    path = f"{root}/.git"
    if os.lstat(path).st_mode & 0o170000 == 0o040000:
        return path, path
    word, _, git_dir = os.fsdecode(_content(path, 4096)).removesuffix("\n").partition(": ")
    shared = os.fsdecode(_content(f"{git_dir}/commondir", 4096)).removesuffix("\n")
    common = os.path.realpath(os.path.join(git_dir, shared))  # noqa: PTH118
    if word != "gitdir" or os.path.realpath(git_dir) != git_dir:
        raise ValueError
    return git_dir, common


def _content(path: str, most: int) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError
    return data


def _is_usual(config: bytes) -> bool:
    """Whether a configuration leaves the format of the repository as it is by default."""
    lower = config.lower()
    if any(word in lower for word in _UNUSUAL):
        return False
    said: dict[bytes, bytes] = {}
    for line in lower.split(b"\n"):
        name, _, value = line.partition(b"=")
        said[name.strip()] = value.strip()
    return said.get(b"repositoryformatversion") == b"0" and said.get(b"bare") == b"false"


def _branch(common: str, head: bytes) -> str | None:
    """Return the checked-out branch by the name that git shows; None if there is none."""
    if len(head) == 41 and head.endswith(b"\n") and _HEX.issuperset(head[:40]):
        return None
    name = head.removeprefix(_BRANCH).removesuffix(b"\n")
    if not head.startswith(_BRANCH) or not name or b"\n" in name or b".." in name:
        raise ValueError
    try:
        packed = _content(f"{common}/packed-refs", _MOST_PACKED)
    except FileNotFoundError:
        packed = b""
    own = b"refs/heads/" + name
    if not _exists(common, packed, own):
        return None  # before the first commit
    # Another ref of the same name makes git show a longer one.
    places = (b"", b"refs/", b"refs/tags/", b"refs/remotes/")
    others = (*(place + name for place in places), b"refs/remotes/" + name + b"/HEAD")
    if any(_exists(common, packed, other) for other in others):
        raise ValueError
    return name.decode("utf-8", "surrogateescape")


def _exists(common: str, packed: bytes, ref: bytes) -> bool:
    return b" " + ref + b"\n" in packed or os.path.isfile(os.fsencode(common) + b"/" + ref)  # noqa: PTH113


def known_refs(folder: Path, state: object) -> Refs | None:
    """Return what git said about the refs when their files were as they are now."""
    try:
        lines = (folder / _FILE).read_text("utf-8", "surrogateescape").split("\n")
    except OSError:
        return None
    if lines[0] != repr(state) or lines[-1] != _END:
        return None
    rows = [line.split(" ") for line in lines[1:-1]]
    if not all(len(row) == 3 for row in rows):
        return None
    return Refs({name: Tip(commit, tree) for name, commit, tree in rows}, {})


def note_refs(folder: Path, state: object, refs: Refs) -> None:
    """Note what git said about the refs, if nothing is wrong with them; it may fail."""
    if refs.bad or not folder.is_dir() or "\n" in repr(state):
        return
    rows = [f"{name} {tip.commit} {tip.tree}" for name, tip in refs.tips.items()]
    draft = folder / f"{_FILE}.{os.getpid()}"
    try:
        draft.write_text("\n".join([repr(state), *rows, _END]), "utf-8", "surrogateescape")
        draft.replace(folder / _FILE)
    except (OSError, ValueError):
        return

"""Tells which past sessions belong to a repository, by the directory that they ran in.

A directory that exists belongs to the repository that it is in. A directory that is gone was moved,
renamed, or a working tree that was removed. Then what the session left behind decides: a commit or
a remote that the host recorded, commits that it made, or the files that it worked on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Final

from recollect.capture.checkpoints import commit_of
from recollect.core.patterns import pattern
from recollect.hosts.protocol import PastSession, Replayed
from recollect.ledger.git import Git
from recollect.ledger.repository import find_repository
from recollect.ledger.worktree import remote_addresses, working_trees

# Events of a session that are looked at for evidence.
_MOST_EVENTS: Final = 400
# Sessions of a directory that is gone that are looked at.
_MOST_TRIED: Final = 5
# Files below the root, and the share of them that the repository must have.
_FEWEST_FILES, _MOST_FILES, _ENOUGH = 4, 40, 0.7
_COMMIT: Final = pattern(r"commit ([0-9a-f]{7,40}) ")
_HEX: Final = pattern(r"[0-9a-f]{7,64}\Z")
_USER: Final = pattern(r"^(?:[a-z+]{2,10}://)?(?:[^@/\s]{1,200}@)?")


class SessionOwner:
    """A repository with its working trees, its remotes, and the dates of its commits."""

    def __init__(self, directory: Path) -> None:
        found = find_repository(Git(directory))
        self._git = None if found is None else found.git
        trees = [] if found is None else working_trees(found)
        self.trees = list(dict.fromkeys([*trees, directory.resolve()]))
        addresses = [] if found is None else remote_addresses(found)
        self._remotes = frozenset(map(_remote, addresses)) - {""}
        self._dates: list[int] | None = None
        self._commits: list[str] = []
        self._answers: dict[str, bool] = {}
        self._tried: dict[str, int] = {}

    def owns(self, past: PastSession, replay: Callable[[Path], Iterable[Replayed]]) -> bool:
        """Whether a session ran in this repository."""
        directory = past.directory
        if directory not in self._answers:
            inside = self.root_of(directory) is not None
            if inside or _exists(directory):
                self._answers[directory] = inside
        if directory in self._answers:
            return self._answers[directory]
        if past.remote and _remote(past.remote) in self._remotes:
            return True
        if past.commit and self._has_commits([past.commit]):
            return True
        # Looking for evidence takes time, and the sessions of one directory belong together.
        self._tried[directory] = self._tried.get(directory, 0) + 1
        if self._tried[directory] <= _MOST_TRIED and self._left_evidence(past, replay):
            self._answers[directory] = True
        return self._answers.get(directory, False)

    def root_of(self, directory: str) -> Path | None:
        """Return the working tree that a directory is in; None if it is in none of ours."""
        path = Path(directory)
        inner = [tree for tree in self.trees if path.is_relative_to(tree)]
        with suppress(OSError, RuntimeError):
            resolved = path.resolve()
            inner += [tree for tree in self.trees if resolved.is_relative_to(tree.resolve())]
        return max(inner, key=lambda tree: len(tree.parts)) if inner else None

    def _left_evidence(
        self, past: PastSession, replay: Callable[[Path], Iterable[Replayed]]
    ) -> bool:
        files: dict[str, None] = {}
        commits: list[str] = []
        for _, event in islice(replay(past.path), _MOST_EVENTS):
            made = commit_of(event.command, event.output) if event.command else None
            if made is not None and (named := _COMMIT.match(made[2] + " ")):
                commits.append(named[1])
            for one in event.files:
                relative = _below(past.directory, one)
                if relative is not None and len(relative.parts) > 1:
                    files[relative.as_posix()] = None
        if commits:
            return self._has_commits(commits)
        named_files = list(files)[:_MOST_FILES]
        if len(named_files) < _FEWEST_FILES:
            return False
        return self._count(f"HEAD:{one}" for one in named_files) >= _ENOUGH * len(named_files)

    def _has_commits(self, names: list[str]) -> bool:
        return self._count(f"{one}^{{commit}}" for one in names if _HEX.match(one)) > 0

    def _count(self, names: Iterable[str]) -> int:
        """Return how many of some objects the repository has."""
        if self._git is None:
            return 0
        asked = "".join(f"{name}\n" for name in names if "\n" not in name)
        said = self._git.run(
            "cat-file", "--batch-check", stdin=asked.encode("utf-8", "surrogateescape")
        )
        lines = said.decode("utf-8", "replace").splitlines()
        return sum(not line.endswith((" missing", " ambiguous")) for line in lines)

    def commit_at(self, moment: int) -> str | None:
        """Return the commit that was checked out, as far as dates tell; None before the first."""
        if self._dates is None:
            self._dates, self._commits = self._history()
        at = bisect_right(self._dates, moment // 1000)
        return self._commits[at - 1] if at else None

    def _history(self) -> tuple[list[int], list[str]]:
        if self._git is None:
            return [], []
        said = self._git.run(
            *("log", "--first-parent", "--format=%ct %H", "HEAD"), ok=(0, 128), timeout=300
        )
        lines = [line.split() for line in said.decode("ascii", "replace").splitlines()]
        pairs = sorted((int(line[0]), line[1]) for line in lines if len(line) == 2)
        return [date for date, _ in pairs], [commit for _, commit in pairs]

    def relative(self, root: str) -> Callable[[str, str], str | None]:
        """Return a function that gives a path of a session relative to its working tree.

        The session ran in `root`, or below, at a time when that may have been somewhere else.
        """
        tree = self.root_of(root) or Path(root)

        def within(directory: str, path: str) -> str | None:
            found = _below(str(tree), str(Path(directory or root) / path))
            return None if found is None or not found.parts else found.as_posix()

        return within


def _exists(directory: str) -> bool:
    try:
        return Path(directory).is_dir()
    except (OSError, ValueError):
        return False


def _below(root: str, path: str) -> PurePosixPath | None:
    full = PurePosixPath(path)
    if ".." in full.parts or "\0" in path:
        return None
    if not full.is_absolute():
        return full
    return full.relative_to(root) if full.is_relative_to(root) else None


def _remote(url: str) -> str:
    """Return the host and the path of a remote, however it is written."""
    bare = _USER.sub("", url.strip(), count=1)
    return bare.removesuffix("/").removesuffix(".git").replace(":", "/", 1).lower()

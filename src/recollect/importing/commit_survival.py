"""How much of what a commit wrote still stands in the files of today.

A reason for code that was rewritten since is outdated, whatever became of the file. So the lines
that a commit added are looked for in the same file of today, or in one with its name elsewhere. Of
what it only removed, nothing may have come back.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.importing.commit_worth import ASIDE_FILE
from recollect.ledger.commits import patches_of_commits
from recollect.ledger.git import Git

# The share of its lines that must be left. Of 80 memories of haproxy, eslint and elixir that a
# judge had read, 8 had less: 5 were outdated or false. Of 8 between 0.1 and 0.3, 3 were bad (2026).
LEAST_SURVIVING: Final = 0.1
# What came back of what a commit only removed, at most.
MOST_BACK: Final = 0.5
_SHORTEST = 9  # characters of a line that says something, without spaces
_MOST_LINES = 2_000  # of a commit
_MOST_BYTES = 4 * 1024 * 1024  # of a file of today
_MOST_ALIKE = 4  # files of today with the name of one that is gone
_MOST_FILES = 4_000
_HUNK = pattern(r"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_ADDED_TO, _REMOVED_FROM = "+++ b/", "--- a/"
_COMMENT = pattern(r"(?:/\*+|\*+/?|//|--|;;|<!--|#(?!(?:if|def|inc|el|end|und|err|prag)))")
_LOG = pattern(r"(?:[^\n]*/)?(?:change(?:s|log)|news|history)[^/\n]{0,20}\Z", re.IGNORECASE)


class Written(NamedTuple):
    """The lines that a commit added to a file and removed, as numbers that stand for them."""

    path: str
    added: frozenset[int]
    removed: frozenset[int]


class Survival(NamedTuple):
    """How many lines a commit added and only removed, and how many of them stand there today."""

    added: int = 0
    left: int = 0
    removed: int = 0
    back: int = 0

    @property
    def share(self) -> float:
        """The share of the added lines that is left; 1 if there are none to tell by."""
        return self.left / self.added if self.added else 1.0

    @property
    def is_gone(self) -> bool:
        """Whether the code is no longer as the commit left it."""
        if self.added:
            return self.share < LEAST_SURVIVING
        return self.back > MOST_BACK * self.removed


def survival_of(git: Git, oids: Sequence[str], blobs: Mapping[str, str]) -> dict[str, Survival]:
    """Return what is left of each commit in the files of today, by path with their contents' ids.

    Tests, documents and changelogs do not count.
    """
    written = {oid: list(files_of(patch)) for oid, patch in patches_of_commits(git, oids)}
    alike = _by_name(blobs)
    wanted: dict[str, set[int]] = defaultdict(set)  # lines by the files that may hold them
    for files in written.values():
        for file in files:
            for path in _today(file.path, blobs, alike):
                wanted[path] |= file.added | file.removed
    asked = sorted(wanted)[:_MOST_FILES]
    held: dict[str, set[int]] = {}
    for path, data in zip(asked, git.read_all([blobs[p] for p in asked], _MOST_BYTES), strict=True):
        lines = (data or b"").decode("utf-8", "replace").split("\n")
        held[path] = wanted[path].intersection(filter(None, map(_meaning, lines)))
    return {oid: _counted(files, blobs, alike, held) for oid, files in written.items()}


def _counted(
    files: Iterable[Written],
    blobs: Mapping[str, str],
    alike: Mapping[str, Sequence[str]],
    held: Mapping[str, set[int]],
) -> Survival:
    added = left = removed = back = 0
    for file in files:
        found = _today(file.path, blobs, alike)
        here = set[int]().union(*(held.get(path, ()) for path in found))
        added += len(file.added)
        left += len(file.added & here)
        removed += len(file.removed)
        back += len(file.removed & here)
    return Survival(added, left, removed, back)


def _by_name(paths: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        if not _is_aside(path):
            found[_name(path)].append(path)
    return found


def _today(
    path: str, blobs: Mapping[str, str], alike: Mapping[str, Sequence[str]]
) -> Sequence[str]:
    """Return the files that may hold today what a file held."""
    if path in blobs:
        return [path]
    found = alike.get(_name(path), ())
    return found if len(found) <= _MOST_ALIKE else ()


def _name(path: str) -> str:
    return PurePosixPath(path).name.lower().partition(".")[0]


def _is_aside(path: str) -> bool:
    return bool(ASIDE_FILE.match(path) or _LOG.match(path))


def files_of(patch: str) -> Iterator[Written]:
    """Yield what a patch without context does to each file; broken parts end it."""
    path, added, removed = "", set[int](), set[int]()
    count = 0
    lines = iter(patch.split("\n"))
    for line in lines:
        if line.startswith("diff --git "):
            if path:
                yield Written(path, frozenset(added), frozenset(removed - added))
            path, added, removed = "", set(), set()
        elif line.startswith((_ADDED_TO, _REMOVED_FROM)):
            said = line[len(_ADDED_TO) :].rstrip("\t")
            path = "" if _is_aside(said) else said
        elif hunk := _HUNK.match(line):
            size = sum(int(number) if number is not None else 1 for number in hunk.groups())
            while size > 0 and (text := next(lines, None)) is not None:
                if text.startswith("\\"):  # no newline at the end
                    continue
                size -= 1
                meant = _meaning(text[1:]) if path and count < _MOST_LINES else 0
                if meant:
                    count += 1
                    (added if text.startswith("+") else removed).add(meant)
    if path:
        yield Written(path, frozenset(added), frozenset(removed - added))


def _meaning(line: str) -> int:
    """Return a number that stands for a line without spaces; 0 for one that says nothing."""
    said = "".join(line.split()).replace("'", '"').rstrip(",;")
    if len(said) < _SHORTEST or _COMMENT.match(said) or not any(map(str.isalnum, said)):
        return 0
    return hash(said) or 1

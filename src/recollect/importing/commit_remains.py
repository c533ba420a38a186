"""What is left today of the files that a commit changed.

A reason for code that is gone helps nobody. Files move, and a port gives them another ending, so a
file is known by its name without folder and ending.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Final

from recollect.importing.commit_worth import ASIDE_FILE, BUILD_FILE
from recollect.ledger.commits import Change

# A name that more files have says nothing without its folder, as `index` and `utils`.
_MOST_ALIKE = 3
# The share of its files that must be left. Of 28 memories of fish, mpv and ansible with less than
# a third, 21 were about what is gone (2026).
LEAST_LEFT: Final = 0.3


class Remains:
    """The files of today."""

    def __init__(self, tree: Iterable[str]) -> None:
        self.files = frozenset(tree)
        self._names = Counter(_name(path) for path in self.files)
        self._in_folders = frozenset((_folder(path), _name(path)) for path in self.files)

    def left_of(self, changes: Sequence[Change]) -> float:
        """Return the share of the files of a commit that are here today, 1 if there are none.

        What the commit deleted does not count: it is gone on purpose, and if that is most of it, so
        is the rest. Tests, documents and files of the build count only if there is nothing else.
        """
        kept = [change.path for change in changes if not change.is_deleted]
        if 2 * len(kept) < len(changes):
            return 1.0
        code = [path for path in kept if not (ASIDE_FILE.match(path) or BUILD_FILE.match(path))]
        asked = code or kept
        return sum(map(self._is_here, asked)) / len(asked) if asked else 1.0

    def _is_here(self, path: str) -> bool:
        if path in self.files:
            return True
        name = _name(path)
        if self._names[name] > _MOST_ALIKE:
            return (_folder(path), name) in self._in_folders
        return self._names[name] > 0


def _name(path: str) -> str:
    return PurePosixPath(path).name.lower().partition(".")[0]


def _folder(path: str) -> str:
    return PurePosixPath(path).parent.name.lower()

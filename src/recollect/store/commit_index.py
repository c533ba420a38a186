"""Opens the words of commit messages, which `recollect learn` reads from the history."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.errors import MemoryIndexError
from recollect.index.sqlite.commits import (
    CommitIndex,
    CommitText,
    FoundCommit,
    files_of,
    remove_files,
)
from recollect.ledger.repository import Repository

__all__ = [
    "CommitIndex",
    "CommitText",
    "FoundCommit",
    "erase",
    "for_writing",
    "open_commits",
    "remove",
    "size",
]


def open_commits(repository: Repository) -> CommitIndex | None:
    """Open the commits for a search; None if there are none, or if the file is damaged."""
    path = repository.history_path
    if not path.exists():
        return None
    try:
        return CommitIndex(path, reading=True)
    except MemoryIndexError:
        return None


def for_writing(repository: Repository) -> CommitIndex:
    """Open the commits, or begin with none; a file that cannot be read is deleted."""
    path = repository.history_path
    try:
        return CommitIndex(path)
    except MemoryIndexError as error:
        if error.unwritable or error.busy:
            raise
        remove_files(path)
        return CommitIndex(path)


def erase(repository: Repository, oids: Iterable[str]) -> None:
    """Erase the text of commits from the file; a file in which that fails is deleted as a whole."""
    path = repository.history_path
    if not path.exists():
        return
    try:
        index = CommitIndex(path)
        try:
            index.erase(oids)
        finally:
            index.close()
    except MemoryIndexError:
        remove_files(path)


def remove(repository: Repository) -> bool:
    """Delete the file; whether there was one."""
    path = repository.history_path
    had = path.exists()
    remove_files(path)
    return had


def size(repository: Repository) -> int:
    """Return how many bytes the file takes; 0 if there is none."""
    return sum(name.stat().st_size for name in files_of(repository.history_path) if name.exists())

"""What the methods of `Recollect` return. A hook never needs these, so it never loads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.core.named_tuple import NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from recollect.config.config import Ignored
    from recollect.core.memory import Memory
    from recollect.core.record import Record
    from recollect.search.scoring import Why


class Answer(NamedTuple):
    """A memory that a search found: its score, the parts of the score, and whether it is yours.

    `mine` is true for a memory from your own ledger, and false for one of the project.
    """

    memory: Memory
    score: float
    why: Why
    mine: bool = False


class Answers(list[Answer]):
    """The answers of a search, best first, and how many weaker matches were left out."""

    weaker = 0


class Listed(NamedTuple):
    """A memory that passes the filters, and whether it comes from your own ledger."""

    memory: Memory
    mine: bool = False


class Expired(NamedTuple):
    """Memories whose lifetime (`ttl`) is over, and what could not be erased, in sentences."""

    memories: list[Memory]
    left: list[str]


class Reindexed(NamedTuple):
    """How many memories the index has, how many got vectors just now, and from which model."""

    memories: int
    embedded: int
    model: str | None


class LogEntry(NamedTuple):
    """A record of the ledger, and the short id of its memory as it is now."""

    record: Record
    name: str


class Location(NamedTuple):
    """Where memories are stored: in which ledger (`repository` or `user`), and how many."""

    ledger: str
    path: Path
    memories: int


class ExplainedSetting(NamedTuple):
    """A key of the configuration: its value and source, and what the key means."""

    key: str
    value: str | float | bool
    source: str
    default: str | float | bool
    # The environment variable that overrides every file.
    variable: str
    meaning: str
    # What the file of a project may do with the key.
    project: str
    # The value in the project's file, if it has no effect.
    ignored: Ignored | None = None

"""What the methods of `Recollect` return. A hook never needs these, so it never loads them."""

from __future__ import annotations

from recollect.core.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, Final

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
    # The newer memory that reverses it, if there is one.
    replaced_by: Memory | None = None


class Answers(list[Answer]):
    """The answers of a search, best first, and how many weaker matches were left out.

    Of those that are there, the first `strong` ones are no weaker matches.
    """

    weaker = 0
    strong = 0


# Commits that a search shows where memories leave room.
MOST_COMMITS: Final = 5
# How a commit becomes a memory, for whoever reads a list of them.
READ_COMMIT: Final = (
    "To read one, run: git show COMMIT. To keep one: recollect capture KIND SUMMARY --at COMMIT"
)


class PastCommit(NamedTuple):
    """A commit of the history that a search found. It is no memory: it has no id of one."""

    commit: str  # its full id
    subject: str
    # The start of the text below the subject.
    body: str
    author: str
    created: str
    score: float
    # The sentence of the text that gives a reason, or the first one, in one line.
    reason: str = ""

    @property
    def short(self) -> str:
        """Its short id, which `git show` takes."""
        return self.commit[:12]

    def as_json(self) -> dict[str, Any]:
        """The commit as `--json` prints it; `type` tells it from a memory."""
        return {
            "type": "commit",
            "commit": self.commit,
            "summary": self.subject,
            "body": self.body,
            "reason": self.reason,
            "author": self.author,
            "created": self.created,
            "score": round(self.score, 4),
        }


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
    """A record of the ledger, the short id of its memory as it is now, and when it was written.

    The timestamp of a record may be older: an imported memory keeps the date that it had.
    """

    record: Record
    name: str
    written: str | None = None
    sensitivity: str = "public"


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


def weaker_matches(count: int) -> str:
    """Return how many weaker matches there are, in words."""
    return "1 weaker match" if count == 1 else f"{count} weaker matches"

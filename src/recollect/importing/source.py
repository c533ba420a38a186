"""What an import reads: sources, the places where they find something, and the items in them.

A source only reads. It yields items as it finds them, and it never holds a whole history or store
in memory. `importing` decides what is kept: it redacts, ranks, compares with what is known, and
writes. To add a source, write a module with a `SOURCE` and name it in the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from recollect.core.named_tuple import NamedTuple

# How the paragraphs of a body begin that say where it comes from, and what else belongs to it. They
# do not count when an item is compared with what is known.
ORIGIN: Final = "From "
RELATED: Final = "Related changes:"


class Place(NamedTuple):
    """Something that a source can read: a path or a name, and a line about it for the user."""

    path: str
    about: str  # for example "412 sessions, 1.2 GB" or "claude-mem 10.2, 318 observations"


def how_many(count: int, what: str, many: str = "") -> str:
    """Return a number and what it counts, as in “1 file” and “2 files”."""
    return f"{count:,} {what if count == 1 else many or what + 's'}"


class Item(NamedTuple):
    """A memory that a source offers.

    `identity` names the item in its source (file and heading, commit, session and offset) and stays
    the same when its text changes, so that a second import recognizes it. `is_rule` is true if a
    person wrote it as a rule or a decision: it needs no confirmation. `score` is from 0 to 1; if
    there are too many items, the best are kept. `fields` are fields of a memory as in `capture`:
    tags, files, session, importance, provenance.
    """

    identity: str
    kind: str
    summary: str
    body: str = ""
    created: str | None = None  # ISO 8601
    commit: str | None = None  # the commit that it is noted on; None is HEAD
    score: float = 0.5
    is_rule: bool = False
    fields: Mapping[str, Any] = {}


class Skipped(NamedTuple):
    """Something that a source looked at and leaves out, and why; the report counts the reasons."""

    identity: str
    reason: str


class Reading(NamedTuple):
    """What a source gets to read with: the repository, the user's home, and a call for progress.

    `redact` removes secrets from a text. A source calls it before it cuts or lowercases a text,
    because the rules do not find half a secret. `progress(done, total)` shows how far it is.
    `known(identity, stamp)` is true if the same part of the source (one file, one session) was
    read completely before and has not changed since; a source then skips it without reading.
    `done(identity, stamp)` says that the part was read completely.
    """

    repository: Path
    home: Path
    environ: Mapping[str, str]
    redact: Callable[[str], str]
    progress: Callable[[int, int], None]
    known: Callable[[str, str], bool]
    done: Callable[[str, str], None]


class Source(Protocol):
    """One kind of place that memories can be imported from."""

    @property
    def name(self) -> str:
        """Return the name that users type."""
        ...

    @property
    def about(self) -> str:
        """Describe in one line what comes in."""
        ...

    def find(self, reading: Reading) -> Sequence[Place]:
        """Return what is here to read, quickly; nothing if there is nothing."""
        ...

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield the items of a place; raise `ParseError` if it is broken or foreign."""
        ...

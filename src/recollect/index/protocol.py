"""The index protocol that every backend implements, and the values it uses.

An index is derived from the ledger's notes; you can delete it at any time. It does not know the
ledger: `store` passes notes from one to the other. One contract suite, `tests/index/contract.py`,
runs on every backend.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from recollect.core.crowding import Traits
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import Note
from recollect.core.places import Place
from recollect.core.record import PURGE, PURGED_NONCE, Record
from recollect.core.uid import is_nonce, proving_prefix

Cursor = Mapping[str, str]  # notes ref → the last tree that was read
Progress = Callable[[int], None]
ChangedNotes = Iterable[tuple[Place, Note | None]]  # None: the note is gone
# For `Filters.statuses`: any status.
ALL = frozenset({"all"})

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NotRequired, Protocol, TypedDict, Unpack

    class Step(TypedDict):
        """One step of an index from a cursor to the next."""

        since: Cursor
        cursor: Cursor
        # Notes that are not listed are gone.
        complete: NotRequired[bool]
        # The same for some namespaces only, each a space and a kind.
        whole: NotRequired[Collection[tuple[str, str]]]
        progress: NotRequired[Progress | None]

else:  # a hook is not to wait for `typing`
    Protocol = object


class Filters(NamedTuple):
    """Which memories match; an unset filter does not restrict.

    Filters apply before ranking, never after it.
    """

    kind: str | None = None
    # None: the default statuses, active and resolved.
    statuses: frozenset[str] | None = None
    sensitivities: frozenset[str] | None = None
    spec: str | None = None
    tags: tuple[str, ...] = ()
    file: str | None = None
    concept: str | None = None
    session: str | None = None
    observation_type: str | None = None
    since: float | None = None
    until: float | None = None
    # Exclude what has expired at this moment.
    alive_at: float | None = None
    # Only memories of these commits.
    anchors: frozenset[str] | None = None
    # For the user ledger: only memories of this directory, of a parent, or of no directory.
    project: str | None = None


class Match(NamedTuple):
    """A memory that keyword or vector search found, and how well it matches."""

    uid: str
    score: float
    # Keyword search: how many of the query's words it contains, and how strong that evidence is,
    # independent of the store's size.
    words: int = 0
    evidence: float = 0.0
    # What its words are worth, by how rare they are, as a share of all words of the query; what
    # the rarest of them is worth; and the share of those in its summary, and in tags and files.
    coverage: float = 0.0
    rarest: float = 0.0
    titled: float = 0.0
    tagged: float = 0.0
    # What the next rarest is worth, and all of them; and how many words of the query stand beside
    # the next one in it, too.
    second: float = 0.0
    worth: float = 0.0
    beside: int = 0


class LexicalMatches(NamedTuple):
    """Results of keyword search, best first, the score of a full match, and all memories."""

    matches: Sequence[Match]
    ideal: float
    total: int = 0
    # What the words that any memory has are worth, as a share of all words of the query.
    known: float = 0.0
    # What each word of the query is worth, whether or not any memory has it.
    worth: Mapping[str, float] = MappingProxyType({})


class Pending(NamedTuple):
    """A memory that has no vectors yet."""

    uid: str
    summary: str
    body: str
    # The questions that it answers, which get a chunk of their own.
    asked: str = ""


class Ranked(NamedTuple):
    """What ranking needs to know about a memory besides its text."""

    uid: str
    created: float | None
    importance: float
    trust: float
    # When it was created or last changed its status, and how fast it fades.
    moved: float | None = None
    pace: float = 1.0
    # The uids that it was merged from.
    sources: tuple[str, ...] = ()
    traits: Traits = Traits()
    status: str = "active"
    kind: str = ""
    session: str | None = None
    # How near it is to everything: its mean cosine to the memories nearest to it.
    crowding: float = 0.0


class Spread(NamedTuple):
    """How the similarities of one query to all memories are spread."""

    mean: float = 0.0
    deviation: float = 0.0

    def stands_out(self, cosine: float) -> float:
        """Return how far a similarity is above the mean, in standard deviations."""
        return (cosine - self.mean) / self.deviation if self.deviation > 0 else 0.0


class Index(Protocol):
    """A searchable copy of the ledger."""

    def close(self) -> None:
        """Close the backend."""

    def cursor(self) -> Cursor:
        """Return what has been read of the ledger."""

    def apply(self, notes: ChangedNotes, **step: Unpack[Step]) -> bool:
        """Apply changed notes, all or none; False if another process moved the cursor first."""

    def needs_rebuild(self) -> bool:
        """Whether a purge was applied: deleted text remains in database files, so rebuild."""

    def get_many(self, uids: Sequence[str]) -> list[Memory]:
        """Return memories by uid, in the given order; missing ones are left out."""

    def resolve(self, name: str) -> list[Memory]:
        """Return the memories that a typed id can mean: none, one or several."""

    def short_name(self, memory: Memory) -> str:
        """Return the shortest unique name, with at least seven anchor characters."""

    def select(self, filters: Filters) -> list[Memory]:
        """Return the memories that match the filters, in order of creation."""

    def newest(self, filters: Filters, limit: int, now: float) -> list[Memory]:
        """Return the newest memories that match the filters; no author crowds out others.

        Memories dated after `now` are used only if there are not enough others.
        """

    def count(self, filters: Filters) -> int:
        """Return how many memories match the filters."""

    def file_counts(self, filters: Filters) -> dict[str, int]:
        """Return the files of the memories that match, each with how many memories have it."""

    def relating(self, uids: Sequence[str]) -> list[Memory]:
        """Return the memories that relate to one of the given ones, in order of creation."""

    def history(self, uid: str) -> list[Record]:
        """Return the records of a memory: its creation, then its updates in fold order."""

    def contested(self) -> list[str]:
        """Return the memories with changes that count only if this clone's owner made them."""

    def purges(self, uid: str) -> list[Record]:
        """Return the purge records of a memory, even if our copy is held."""

    def places(self, uid: str) -> tuple[Place, ...]:
        """Return every place that holds the creation of a memory: in one space, never in two."""

    def purges_with_prefix(self, prefix: str) -> list[Record]:
        """Return the purge records of memories whose uid starts with a prefix."""

    def outside(self, spaces: Collection[str]) -> list[str]:
        """Return the memories that have records in spaces other than these."""

    def journal(self) -> Iterable[tuple[Record, Place]]:
        """Return every record, oldest first."""

    def texts(self) -> Iterable[tuple[Place, str, str]]:
        """Return every record as it was applied: its place, its uid, its text."""

    def quarantined(self) -> list[tuple[Place, str, str]]:
        """Return every quarantined record: its place, its uid, its text."""

    def waiting(self) -> list[Record]:
        """Return the updates whose creation has not arrived yet."""

    def shared_names(self) -> list[str]:
        """Return the names that more than one memory was created with."""

    def lexical(
        self, query: str, filters: Filters, limit: int, *, parts: bool = False
    ) -> LexicalMatches:
        """Return the memories that share words with the query.

        With `parts`, a term also finds words that begin with it or contain it, which count less.
        """

    def nearest(
        self, vector: bytes, filters: Filters, limit: int, including: Sequence[str] = ()
    ) -> list[Match]:
        """Return the memories nearest in meaning, by cosine, and those of `including`."""

    def spread(self, vector: bytes) -> Spread:
        """Return how near a vector is to memories in general."""

    def keep_vectors(self) -> None:
        """Prepare for many queries by vector, as far as that makes them faster."""

    def distinctive(self, query: str) -> str:
        """Return a query for vector search: a short one without words that many memories have."""

    def ranking(self, uids: Sequence[str]) -> list[Ranked]:
        """Return what ranking needs to know about some memories."""

    def in_order(self, sessions: Sequence[str]) -> list[list[str]]:
        """Return the memories of each session, in order of creation."""

    def can_embed(self) -> bool:
        """Whether the backend can store and search vectors here."""

    def fingerprints(self) -> Mapping[tuple[str, str], int]:
        """Return a number for what each table says about each memory, by table and uid.

        Two indexes of one process that were made from equal notes return equal numbers.
        """

    def damaged_vectors(self) -> list[str]:
        """Return the uids of memories whose vectors are missing or changed.

        For each vector that is left over, it is empty.
        """

    def model(self) -> str | None:
        """Return the model that made the vectors, if there are any."""

    def switched_lately(self) -> bool:
        """Whether vectors of one model replaced those of another in the last two hours."""

    def pending(self, model: str, limit: int) -> list[Pending]:
        """Return memories that have no vectors of this model yet."""

    def count_pending(self, model: str) -> int:
        """Return how many memories have no vectors of this model yet."""

    def store_vectors(self, model: str, vectors: Mapping[str, Sequence[bytes]]) -> None:
        """Store the vectors of some memories; those of another model are dropped."""

    def measure_crowding(self, most: int) -> None:
        """Measure how near memories are to others, where that is not known or long ago."""


def is_purged(index: Index, uid: str) -> bool:
    """Whether a memory was purged, so that it must not come back.

    Looks it up by its uid, or by the nonce that it would be created with.
    """
    if any(record.op == PURGE for record in index.history(uid)):
        return True
    if not is_nonce(uid):
        return False
    purges = index.purges_with_prefix(proving_prefix(uid))
    return any(record.fields.get(PURGED_NONCE) == uid for record in purges)


def made_with(index: Index, nonce: str) -> Memory | None:
    """Return the memory that a draft with this nonce became, whoever wrote it."""
    prefix = proving_prefix(nonce)
    found = [memory for memory in index.resolve(prefix) if memory.nonce == nonce]
    return found[0] if found else None


def merged_from(index: Index, going: Collection[str]) -> list[Memory]:
    """Return the merged memories that contain text of purged ones and are not purged themselves."""
    found = index.relating(list(going))
    return [m for m in found if m.uid not in going and not set(m.sources).isdisjoint(going)]

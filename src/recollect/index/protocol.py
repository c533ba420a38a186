"""What an index is: the protocol that every backend keeps, and the values it speaks in.

An index is derived from the ledger's notes and can be deleted at any time. It does not know the
ledger: `app` carries notes from one to the other. One contract suite, `tests/index/contract.py`,
runs on every backend.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from recollect.core.crowding import Traits
from recollect.core.memory import Memory
from recollect.core.note import Note
from recollect.core.places import Place
from recollect.core.record import PURGE, PURGED_NONCE, Record
from recollect.core.uid import is_nonce, proving_prefix

Cursor = Mapping[str, str]  # notes ref → the tree that was read last
Progress = Callable[[int], None]
# As `Filters.statuses`: whatever its status.
ALL = frozenset({"all"})


class Filters(NamedTuple):
    """Which memories count; what is left out does not restrict.

    Filters apply before ranking, never after it.
    """

    kind: str | None = None
    # None: those a reader sees by default, active and resolved ones.
    statuses: frozenset[str] | None = None
    sensitivities: frozenset[str] | None = None
    spec: str | None = None
    tags: tuple[str, ...] = ()
    file: str | None = None
    concept: str | None = None
    session: str | None = None
    since: float | None = None
    until: float | None = None
    # Leave out what has expired at this moment.
    alive_at: float | None = None
    # For the user ledger: only memories of this directory, of one above it, or of none.
    project: str | None = None


class Match(NamedTuple):
    """A memory that one half of the search found, and how well."""

    uid: str
    score: float
    # By words: how many of the query's it holds, and how much these prove, in stores of any size.
    words: int = 0
    evidence: float = 0.0


class LexicalMatches(NamedTuple):
    """What keyword search found, best first, and the score that counts as a full match."""

    matches: Sequence[Match]
    ideal: float


class Pending(NamedTuple):
    """A memory that has no vectors yet."""

    uid: str
    summary: str
    body: str


class Ranked(NamedTuple):
    """What ranking needs to know of a memory besides its text."""

    uid: str
    created: float | None
    importance: float
    trust: float
    # When it was born or last changed its status, and how fast it fades.
    moved: float | None = None
    pace: float = 1.0
    # What it was merged from.
    sources: tuple[str, ...] = ()
    traits: Traits = Traits()


class Index(Protocol):
    """A searchable copy of the ledger."""

    def close(self) -> None:
        """Let go of the backend."""

    def cursor(self) -> Cursor:
        """What has been read of the ledger."""

    def apply(
        self,
        notes: Iterable[tuple[Place, Note | None]],
        *,
        since: Cursor,
        cursor: Cursor,
        complete: bool = False,
        whole: Collection[tuple[str, str]] = (),
        progress: Progress | None = None,
    ) -> bool:
        """Take in changed notes, all or none; False if another process moved the cursor first.

        `complete` says that notes which are not listed are gone; `whole` says it of some
        namespaces only, each a space and a kind.
        """

    def needs_rebuild(self) -> bool:
        """Whether a purge was taken in: deleted text lingers in database files, so start afresh."""

    def get_many(self, uids: Sequence[str]) -> list[Memory]:
        """Memories by uid, in the order asked for; those that are not there are left out."""

    def resolve(self, name: str) -> list[Memory]:
        """The memories that a typed id can mean: none, one, or several."""

    def short_name(self, memory: Memory) -> str:
        """The shortest name of at least seven anchor characters that means this memory only."""

    def select(self, filters: Filters) -> list[Memory]:
        """The memories that pass the filters, in the order of their birth."""

    def newest(self, filters: Filters, limit: int, now: float) -> list[Memory]:
        """The newest memories that pass the filters, where no author crowds out others.

        What is dated after `now` counts only where there are not enough others.
        """

    def count(self, filters: Filters) -> int:
        """How many memories pass the filters."""

    def relating(self, uids: Sequence[str]) -> list[Memory]:
        """The memories that relate to one of some others, in the order of their birth."""

    def history(self, uid: str) -> list[Record]:
        """The records of a memory: its creation, then its updates in the order they count."""

    def contested(self) -> list[str]:
        """The memories with changes that count only if this clone's owner made them."""

    def purges(self, uid: str) -> list[Record]:
        """The records that say that a memory is purged, also where our copy is held."""

    def places(self, uid: str) -> tuple[Place, ...]:
        """Every place that holds the creation of a memory: of one space, never of two."""

    def purges_with_prefix(self, prefix: str) -> list[Record]:
        """The purge records of memories whose uid starts with a prefix."""

    def outside(self, spaces: Collection[str]) -> list[str]:
        """The memories that have records in other spaces than these."""

    def journal(self) -> Iterable[tuple[Record, Place]]:
        """Every record, oldest first."""

    def texts(self) -> Iterable[tuple[Place, str, str]]:
        """Every record as it was taken in: its place, its uid, its text."""

    def quarantined(self) -> list[tuple[Place, str, str]]:
        """Every record that is quarantined: its place, its uid, its text."""

    def waiting(self) -> list[Record]:
        """Updates whose creation has not arrived yet."""

    def shared_names(self) -> list[str]:
        """The names that more than one memory was born with."""

    def lexical(self, query: str, filters: Filters, limit: int) -> LexicalMatches:
        """The memories that share words with the query."""

    def nearest(
        self, vector: bytes, filters: Filters, limit: int, including: Sequence[str] = ()
    ) -> list[Match]:
        """The memories whose text is nearest in meaning, by cosine; and those of `including`."""

    def distinctive(self, query: str) -> str:
        """The query without the words that many memories hold, for the search by meaning."""

    def ranking(self, uids: Sequence[str]) -> list[Ranked]:
        """What ranking needs to know of some memories."""

    def model(self) -> str | None:
        """The model that made the vectors, if there are any."""

    def pending(self, model: str, limit: int) -> list[Pending]:
        """Memories that have no vectors of this model yet."""

    def count_pending(self, model: str) -> int:
        """How many memories have no vectors of this model yet."""

    def store_vectors(self, model: str, vectors: Mapping[str, Sequence[bytes]]) -> None:
        """Keep the vectors of some memories; those of another model are dropped."""


def is_purged(index: Index, uid: str) -> bool:
    """Whether a memory was erased for good, so that it must not come back.

    It is asked for by its uid, or by the nonce that it would be made with.
    """
    if any(record.op == PURGE for record in index.history(uid)):
        return True
    if not is_nonce(uid):
        return False
    purges = index.purges_with_prefix(proving_prefix(uid))
    return any(record.fields.get(PURGED_NONCE) == uid for record in purges)


def made_with(index: Index, nonce: str) -> Memory | None:
    """The memory that a draft of this nonce became, whoever wrote it."""
    prefix = proving_prefix(nonce)
    found = [memory for memory in index.resolve(prefix) if memory.nonce == nonce]
    return found[0] if found else None


def merged_from(index: Index, going: Collection[str]) -> list[Memory]:
    """The merged memories that hold words of others, which go, and do not go themselves."""
    found = index.relating(list(going))
    return [m for m in found if m.uid not in going and not set(m.sources).isdisjoint(going)]

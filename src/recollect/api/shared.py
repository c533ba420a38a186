"""The memories of several repositories at once, for reading: what one person sees on a server.

An index may hold many repositories, and gives only those that it was opened for. Ranking is that
of one repository. What others wrote elsewhere is worth less than what is said in one's own
repository: its trust counts by half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from recollect.config.config import Config
from recollect.core.age import counted
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.errors import Ambiguous, NotFound, ValidationError
from recollect.index.protocol import ALL, Filters, Index
from recollect.search.constants import FOREIGN_TRUST
from recollect.search.search import Embed, Hit
from recollect.search.store import search_store
from recollect.store.filters import make_filters
from recollect.store.time_parsing import parse_time

if TYPE_CHECKING:
    from typing import Protocol

    from recollect.embedding import Embedder
    from recollect.search.scoring import Why
    from recollect.store.history import Version

    class SharedIndex(Index, Protocol):
        """An index of several repositories."""

        def repositories_of(self, uids: Sequence[str], /) -> Mapping[str, Sequence[str]]:
            """Return the repositories that have some memories, among those it was opened for."""


T = TypeVar("T")
_MOST_LISTED = 5000
_PUBLIC = "public"


class SharedMemory(NamedTuple):
    """A memory and the repositories that have it: more than one, if they were forked."""

    memory: Memory
    repositories: tuple[str, ...]


class SharedHit(NamedTuple):
    """A memory that a search found in another repository, and the parts of its score."""

    memory: Memory
    repositories: tuple[str, ...]
    score: float
    why: Why


class SharedHits(NamedTuple):
    """What a search found, best first, and how many weaker matches were left out."""

    hits: list[SharedHit]
    weaker: int


class SharedPage(NamedTuple):
    """Some memories of a list, and how many it has in all."""

    memories: list[SharedMemory]
    total: int


Shared = TypeVar("Shared", SharedMemory, SharedHit)


class _Part:
    """One index, with what a search needs besides; nothing is embedded while somebody waits."""

    def __init__(self, index: SharedIndex, config: Config, embedder: Embedder | None) -> None:
        self.index = index
        self.config = config
        self.embedder = embedder
        self.warnings: list[str] = []
        self.indexing = self

    def now(self) -> float:
        return _now().timestamp()

    def moment(self, text: str, /) -> str:
        """A date or an age as a timestamp; there are no commits here to name."""
        return parse_time(text, _now(), None)

    def filters(self, **options: Any) -> Filters:
        """Only public memories pass, whatever somebody asks for."""
        return make_filters(
            {**options, "sensitivity": _PUBLIC, "expired": False},
            project=None,
            now=self.now(),
            moment=self.moment,
            holds=lambda kind: self.index.count(Filters(kind=kind, statuses=ALL)) > 0,
        )

    def using(self, job: Callable[[Index], T], /) -> T:
        return job(self.index)

    def as_of(self, moment: str, /) -> Index:
        raise ValidationError(
            f"The memories of several repositories cannot be searched as of {moment}.",
            "Search in a clone: recollect search … --as-of",
        )

    def embed_query(self, index: Index, _pending: int = 0, /) -> Embed | None:
        embedder = self.embedder
        if embedder is None or index.model() not in (None, embedder.name):
            return None
        return lambda text: embedder.embed([text])[0]

    def homes(self, memories: Sequence[Memory]) -> list[SharedMemory]:
        """Say where public memories are from.

        Filters match a memory in any of its repositories, and another one may have reclassified it.
        """
        public = [memory for memory in memories if memory.sensitivity == _PUBLIC]
        homes = self.index.repositories_of([memory.uid for memory in public])
        return [SharedMemory(memory, tuple(homes.get(memory.uid, ()))) for memory in public]

    def foreign(self, hits: Sequence[Hit]) -> list[SharedHit]:
        """Say where hits are from; who reads them did not write them, so they are trusted less."""
        public = [hit for hit in hits if hit.memory.sensitivity == _PUBLIC]
        homes = self.index.repositories_of([hit.memory.uid for hit in public])
        found = []
        for hit in public:
            why = hit.why._replace(trust=hit.why.trust * FOREIGN_TRUST)
            score = hit.score - hit.why.score + why.score
            found.append(SharedHit(hit.memory, tuple(homes.get(hit.memory.uid, ())), score, why))
        return found


class SharedMemories:
    """The public memories of several repositories, in one index or in several."""

    def __init__(
        self, indexes: Sequence[SharedIndex], config: Config, embedder: Embedder | None
    ) -> None:
        self._parts = [_Part(index, config, embedder) for index in indexes]

    def now(self) -> float:
        """The current time, in seconds since 1970."""
        return _now().timestamp()

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        mode: str | None = None,
        weaker: bool = False,
        **filters: Any,
    ) -> SharedHits:
        """Find the memories that answer a query, best first."""
        sure: list[SharedHit] = []
        others: list[SharedHit] = []
        for part in self._parts:
            found, left = search_store(
                part, query, limit, mode=mode, min_similarity=None, as_of=None, **filters
            )
            sure += part.foreign(found)
            others += part.foreign(left)
        for hits in (sure, others):
            hits.sort(key=lambda hit: (-hit.score, hit.memory.uid))
        sure = _merged(sure)
        best = _merged([*sure, *others]) if weaker else sure
        total = min(limit, len(_merged([*sure, *others])))
        return SharedHits(best[:limit], max(0, total - len(best[:limit])))

    def newest(self, offset: int, limit: int, **filters: Any) -> SharedPage:
        """A page of the memories that pass the filters, newest first."""
        return self._page(offset, limit, filters, newest_first=True)

    def timeline(self, offset: int, limit: int, **filters: Any) -> SharedPage:
        """A page of the memories that pass the filters, oldest first."""
        return self._page(offset, limit, filters, newest_first=False)

    def _page(
        self, offset: int, limit: int, filters: Mapping[str, Any], *, newest_first: bool
    ) -> SharedPage:
        wanted = [(part, part.filters(**filters)) for part in self._parts]
        total = sum(part.index.count(chosen) for part, chosen in wanted)
        if total > _MOST_LISTED:
            raise ValidationError(
                f"{total} memories pass these filters; a list has at most {_MOST_LISTED}.",
                "Name a repository or a kind, or a later `since`; or search.",
            )
        found = [one for part, chosen in wanted for one in part.homes(part.index.select(chosen))]
        now = self.now()
        found.sort(key=lambda one: (counted(one.memory.created, now), one.memory.uid))
        return SharedPage(found[:: -1 if newest_first else 1][offset : offset + limit], total)

    def get(self, memory_id: str) -> SharedMemory:
        """The public memory of an id; refuses an id of none, or of several."""
        known = _merged(
            one for part in self._parts for one in part.homes(part.index.resolve(memory_id))
        )
        if not known:
            raise NotFound(f"There is no memory {memory_id[:100]} that you may see.")
        if len(known) > 1:
            raise Ambiguous(
                f"{memory_id[:100]} matches {len(known)} memories.",
                [f"{one.memory.uid} ({', '.join(one.repositories)})" for one in known],
            )
        return known[0]

    def versions(self, memory: Memory) -> list[Version]:
        """The versions of a memory, oldest first, since it was last anything but public."""
        from recollect.store.history import versions_of

        for part in self._parts:
            records = part.index.history(memory.uid)
            if not records:
                continue
            found = versions_of(memory, records)
            hidden = [n for n, one in enumerate(found) if one.memory.sensitivity != _PUBLIC]
            return found[hidden[-1] + 1 if hidden else 0 :]
        return []


def _merged(found: Iterable[Shared]) -> list[Shared]:
    """Join what is the same memory in several repositories, the first one first."""
    first: dict[str, Shared] = {}
    for one in found:
        known = first.setdefault(one.memory.uid, one)
        homes = tuple(dict.fromkeys(known.repositories + one.repositories))
        first[one.memory.uid] = known._replace(repositories=homes)
    return list(first.values())


def _now() -> datetime:
    return datetime.now(UTC)

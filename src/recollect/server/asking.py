"""What people and agents may ask, once: MCP, `/search` and the pages translate into this.

Every question names a person. It is answered from the repositories that they may see, and leaves
a line in the audit log.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from recollect.api.shared import SharedHit, SharedMemories, SharedMemory
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.names import parse_name
from recollect.errors import RecollectError, ValidationError
from recollect.ledger.repository import PROJECT_ANCHORS
from recollect.mcp.results import Json, line_of, nothing, whole
from recollect.server.people import Person

if TYPE_CHECKING:
    from recollect.config.config import Config
    from recollect.embedding import Embedder
    from recollect.server.audit import Audit
    from recollect.server.database import Age
    from recollect.server.indexes import Indexes
    from recollect.server.mirrors import Mirrors
    from recollect.store.history import Version

_PAGE, _MOST_PAGE = 10, 50
_MOST_QUERY = 10_000
_FILTERS = ("kind", "status", "tags", "session", "observation_type", "since", "until")
_READ_ON = "get_memory(id, repository) shows one whole."


class Found(NamedTuple):
    """What a search found, best first, and how many weaker matches it left out."""

    hits: Sequence[SharedHit]
    weaker: int
    now: float


class Latest(NamedTuple):
    """Some of the newest memories, and how many there are."""

    memories: Sequence[SharedMemory]
    total: int
    now: float


class Detail(NamedTuple):
    """A memory, where it is from, and its versions, oldest first."""

    memory: Memory
    repositories: tuple[str, ...]
    # Empty: it belongs to the whole project.
    commit: str
    versions: Sequence[Version]
    now: float


class Asking:
    """Answers questions of people about the repositories that they may see."""

    def __init__(
        self,
        indexes: Indexes,
        mirrors: Mirrors,
        audit: Audit,
        config: Config,
        embedder: Callable[[], Embedder | None],
        names: Collection[str],
    ) -> None:
        self._indexes = indexes
        self._mirrors = mirrors
        self._audit = audit
        self._config = config
        self._embedder = embedder
        self._names = frozenset(names)

    def search(self, person: Person, given: Mapping[str, Any]) -> Json:
        """Find what answers a query, best first."""
        offset, limit = paging(given)
        found = self.find(person, given)
        shown = found.hits[offset : offset + limit]
        more = f" offset={offset + limit} shows more." if len(found.hits) > offset + limit else ""
        weaker = f" {found.weaker} weaker: all=true shows them." if found.weaker > 0 else ""
        return {
            "memories": [_hit(hit, found.now) for hit in shown],
            "next": (_READ_ON + more if shown else nothing(offset, len(found.hits))) + weaker,
        }

    def find(self, person: Person, given: Mapping[str, Any]) -> Found:
        """Find what answers a query: as much as a page needs, and one more if there is more."""
        query, offset, limit = given["query"], *paging(given)
        if len(query) > _MOST_QUERY:
            raise ValidationError(
                f"The query has {len(query)} characters; at most {_MOST_QUERY} are allowed.",
                "Send only the words that matter.",
            )
        with self._opened(person, "search", query, given) as (memories, seen):
            found = memories.search(
                query,
                offset + limit + 1,
                mode=given.get("mode"),
                weaker=given.get("all", False),
                **_filters(given),
            )
            seen(len(found.hits[offset : offset + limit]))
            return Found(found.hits, found.weaker, memories.now())

    def latest(self, person: Person, given: Mapping[str, Any]) -> Latest:
        """The newest memories, as `newest` lists them."""
        offset, limit = paging(given)
        with self._opened(person, "list", "", given) as (memories, seen):
            page = memories.newest(offset, limit, **_filters(given))
            seen(len(page.memories))
            return Latest(page.memories, page.total, memories.now())

    def newest(self, person: Person, given: Mapping[str, Any]) -> Json:
        """List memories, newest first."""
        return self._listed(person, "list", given, SharedMemories.newest, _filters(given))

    def timeline(self, person: Person, given: Mapping[str, Any]) -> Json:
        """List memories, oldest first; of the last 30 days, unless a time is named."""
        filters = _filters(given)
        if not filters.keys() & {"since", "session"}:
            filters["since"] = "30d"
        return self._listed(person, "timeline", given, SharedMemories.timeline, filters)

    def by_file(self, person: Person, given: Mapping[str, Any]) -> Json:
        """List the memories that name a file, newest first."""
        filters = {**_filters(given), "file": given["path"]}
        return self._listed(person, "by_file", given, SharedMemories.newest, filters, given["path"])

    def _listed(
        self,
        person: Person,
        action: str,
        given: Mapping[str, Any],
        look: Callable[..., Any],
        filters: Json,
        query: str = "",
    ) -> Json:
        offset, limit = paging(given)
        with self._opened(person, action, query, given) as (memories, seen):
            page = look(memories, offset, limit, **filters)
            seen(len(page.memories))
            now = memories.now()
        left = max(0, page.total - offset - len(page.memories))
        next_step = f"{left} more: offset={offset + limit}. {_READ_ON}" if left else _READ_ON
        return {
            "memories": [_line(one, now) for one in page.memories],
            "total": page.total,
            "next": next_step if page.memories else nothing(offset, page.total),
        }

    def get(self, person: Person, given: Mapping[str, Any]) -> Json:
        """Show all of one memory."""
        with self._opened(person, "get", given["id"], given) as (memories, seen):
            found = memories.get(given["id"])
            seen(1)
        return {**whole(found.memory), **_home(found)}

    def detail(self, person: Person, memory_id: str) -> Detail:
        """One memory with its history."""
        with self._opened(person, "get", memory_id, {}) as (memories, seen):
            found = memories.get(memory_id)
            versions = memories.versions(found.memory)
            seen(1)
            home = _home(found)
            return Detail(
                found.memory,
                (home["repository"], *home.get("also_in", ())),
                home.get("commit", ""),
                versions,
                memories.now(),
            )

    def ages(self, person: Person) -> list[Age]:
        """What is known about the repositories that the person may see."""
        return [age for age in self._mirrors.ages() if age.name in person.repositories]

    def repositories(self, person: Person) -> Json:
        """List the repositories that the person may see."""
        mine = self.ages(person)
        return {
            "repositories": [
                {
                    "name": age.name,
                    "memories": age.memories,
                    "read_seconds_ago": None if age.read is None else round(age.read),
                }
                for age in mine
            ]
        }

    @contextmanager
    def _opened(
        self, person: Person, action: str, query: str, given: Mapping[str, Any]
    ) -> Iterator[tuple[SharedMemories, Callable[[int], None]]]:
        """Open what a person sees; what they got is in the audit log before they get it."""
        names: frozenset[str] = frozenset()
        hits = 0

        def seen(count: int) -> None:
            nonlocal hits
            hits = count

        try:
            wanted = given.get("repository")
            if wanted is not None:
                names = frozenset({wanted})  # the log names what was refused, too
                person.require(wanted)
            asked = person.repositories if wanted is None else frozenset({wanted})
            names = asked & self._names
            with self._indexes.reading(names) as indexes:
                yield SharedMemories(indexes, self._config, self._embedder()), seen
        except RecollectError as error:
            self._audit.note(person.name, action, query, names, 0, type(error).__name__)
            raise
        self._audit.note(person.name, action, query, names, hits)


def paging(given: Mapping[str, Any]) -> tuple[int, int]:
    """The offset and the limit of a page."""
    return given.get("offset") or 0, min(given.get("limit") or _PAGE, _MOST_PAGE)


def _filters(given: Mapping[str, Any]) -> Json:
    return {name: given[name] for name in _FILTERS if given.get(name)}


def _line(one: SharedMemory, now: float) -> Json:
    return {**line_of(one.memory, now), **_home(one)}


def _hit(hit: SharedHit, now: float) -> Json:
    return {
        **line_of(hit.memory, now, score=round(hit.score, 4)),
        "uid": hit.memory.uid,
        **_home(hit),
    }


def _home(one: SharedMemory | SharedHit) -> Json:
    """Where a memory is from; whoever reads it did not write it."""
    name = parse_name(one.memory.id)
    is_commit = name is not None and name.anchor not in PROJECT_ANCHORS
    first, *others = one.repositories or ("",)
    return {
        "repository": first,
        **({"also_in": others} if others else {}),
        **({"commit": name.anchor} if name is not None and is_commit else {}),
        "trust": "another repository",
    }

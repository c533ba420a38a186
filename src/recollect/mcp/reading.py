"""The tools that read. What they give counts as used; what they only looked at does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.api.recollect import Recollect
from recollect.core.age import counted, seconds_of
from recollect.core.crowding import is_ahead
from recollect.core.fields import CONCEPTS, check_path
from recollect.core.memory import Memory
from recollect.engine.stores import Stores
from recollect.errors import NotFound, ValidationError
from recollect.ledger.worktree import find_root
from recollect.mcp.results import Json, line_of, nothing, page, whole

_PAGE = 10
_MOST_PAGE = 50
_MOST_QUERY = 10_000
_FOR_AGENTS = ("public", "private", "secret")
_READ_ON = "get_memory(id) shows one whole."


def find(stores: Stores, memory_id: str) -> tuple[Recollect, Memory]:
    """The memory of an id, the project's or the person's own, and where it is."""
    for store in stores.all[1:]:
        try:
            return stores.store, _shown(stores.store.get(memory_id))
        except NotFound:
            if store.candidates(memory_id):
                return store, _shown(store.get(memory_id))
    return stores.store, _shown(stores.store.get(memory_id))


def _shown(memory: Memory) -> Memory:
    if memory.sensitivity == "unknown":
        raise NotFound(
            "That memory has not been classified, so agents may not read it.",
            f"Ask the user to run: recollect edit {memory.id} --sensitivity public",
        )
    return memory


def search_memories(stores: Stores, given: Mapping[str, Any]) -> Json:
    """What answers a query, best first."""
    query, offset, limit = given["query"], *paging(given)
    if len(query) > _MOST_QUERY:
        raise ValidationError(
            f"The query has {len(query)} characters.", "Ask with the words that matter."
        )
    filters = _filters(given)
    hits = [
        (hit, store)
        for store in stores.all
        for hit in store.search(
            query, offset + limit + 1, mode=given.get("mode"), counting=False, **filters
        )
    ]
    hits.sort(key=lambda pair: (-pair[0].score, pair[0].memory.uid))
    shown = hits[offset : offset + limit]
    now = _note_shown(stores, [(hit.memory, store) for hit, store in shown])
    lines = [line_of(hit.memory, now, score=round(hit.score, 2)) for hit, _ in shown]
    more = f" offset={offset + limit} shows more." if len(hits) > offset + limit else ""
    return {
        "memories": lines,
        "next": (_READ_ON + more) if lines else nothing(offset, len(hits)),
    }


def list_memories(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Memories that pass the filters, newest first."""
    return _listed(stores, given, _filters(given))


def search_by_file(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Memories that name a file."""
    return _listed(stores, given, {**_filters(given), "file": _relative(stores, given["path"])})


def search_by_concept(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Memories of a concept."""
    concept = given["concept"].strip().lower()
    if concept not in CONCEPTS:
        raise ValidationError(
            f"There is no concept {given['concept'][:60]!r}.", "Use one of: " + ", ".join(CONCEPTS)
        )
    return _listed(stores, given, {**_filters(given), "concept": concept})


def get_timeline(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Memories in the order in which they were made."""
    return _listed(stores, given, _filters(given), newest_first=False)


def _listed(
    stores: Stores, given: Mapping[str, Any], filters: Json, *, newest_first: bool = True
) -> Json:
    offset, limit = paging(given)
    found = [(memory, store) for store in stores.all for memory in store.memories(**filters)]
    moment = stores.store.ledger.clock().timestamp()

    def made(pair: tuple[Memory, Recollect]) -> tuple[bool, str, str]:
        memory = pair[0]
        # Nothing from the future comes before what is new.
        ahead = newest_first and is_ahead(seconds_of(memory.created), moment)
        return not ahead, counted(memory.created, moment), memory.uid

    found.sort(key=made, reverse=newest_first)
    shown = found[offset : offset + limit]
    now = _note_shown(stores, shown)
    lines: list[Json] = [line_of(memory, now) for memory, _ in found[: offset + limit]]
    lines += [{}] * (len(found) - len(lines))
    return page(lines, offset, limit, next_step=_READ_ON)


def get_memory(stores: Stores, given: Mapping[str, Any]) -> Json:
    """One memory, whole."""
    store, memory = find(stores, given["id"])
    store.used([memory])
    return {**whole(memory), "next": "update_memory(id, if_version=version) changes it."}


def why(stores: Stores, given: Mapping[str, Any]) -> Json:
    """What the last events led to."""
    store = stores.store
    traces = store.local.sessions.traces(
        min(given.get("limit") or 3, _MOST_PAGE), given.get("session")
    )
    uids = {uid for trace in traces for step in trace.steps for uid in _uids(step)}
    known = store.indexing.using(lambda index: index.get_many(sorted(uids)))
    now = _now(stores)
    return {
        "events": [
            {"event": t.event, "seconds_ago": round(now - t.at), "steps": list(t.steps)}
            for t in traces
        ],
        "memories": {m.uid: line_of(m, now)["id"] for m in known},
        "next": _READ_ON,
    }


def _uids(step: Mapping[str, Any]) -> list[str]:
    memories = step.get("memories")
    listed = [item["uid"] for item in memories] if isinstance(memories, list) else []
    return [*step.get("uids", ()), *listed]


def _note_shown(stores: Stores, shown: Sequence[tuple[Memory, Recollect]]) -> float:
    """Note what a reader got to see, and no more; when that was."""
    now = _now(stores)
    for store in stores.all:
        uids = [memory.uid for memory, owner in shown if owner is store]
        store.local.usage.record(uids, "shown", now)
    return now


def paging(given: Mapping[str, Any]) -> tuple[int, int]:
    """From which line on, and how many."""
    return given.get("offset") or 0, min(given.get("limit") or _PAGE, _MOST_PAGE)


def _filters(given: Mapping[str, Any]) -> Json:
    names = ("kind", "status", "tags", "session", "since", "until", "sensitivity")
    filters: Json = {name: given[name] for name in names if given.get(name)}
    if filters.setdefault("sensitivity", "public") not in _FOR_AGENTS:
        raise ValidationError(
            f"Agents may not read what is {filters['sensitivity'][:60]}.",
            f"Ask for {', '.join(_FOR_AGENTS)}, one at a time.",
        )
    return filters


def _relative(stores: Stores, path: str) -> str:
    """A path as memories name it: from the root of the working tree."""
    if Path(path).is_absolute():
        repository = stores.store.ledger.repository
        root = find_root(repository.git.directory)
        for base in (root, root.resolve()) if root is not None else ():
            if Path(path).is_relative_to(base):
                return Path(path).relative_to(base).as_posix()
    return check_path(path)


def _now(stores: Stores) -> float:
    return stores.store.ledger.clock().timestamp()

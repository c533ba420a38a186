"""The MCP tools that read. Only what an agent gets counts as used, not what was looked at."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.api.recollect import Recollect
from recollect.api.results import Answer, Answers, PastCommit, weaker_matches
from recollect.api.waiting import waiting_for_review
from recollect.core.capabilities import PRIVATE, require
from recollect.core.fields import CONCEPTS, check_path
from recollect.core.memory import Memory
from recollect.errors import NotFound, ValidationError
from recollect.mcp.results import Json, line_of, nothing, page, whole

_PAGE = 10
_MOST_PAGE = 50
_MOST_QUERY = 10_000
_FOR_AGENTS = ("public", "private", "secret")
_FILTERS = (
    "kind",
    "status",
    "tags",
    "session",
    "observation_type",
    "since",
    "until",
    "sensitivity",
)
_CHANGE = "update_memory(id, if_version=version) changes it."
_READ_ON = "get_memory(id) shows one whole."
_COMMITS = "commits are from the history, not memories: git show COMMIT shows one."


def find(store: Recollect, memory_id: str) -> tuple[Recollect, Memory]:
    """The memory of an id, the project's or the user's own, and the object that holds it."""
    owner = store.owner_of(memory_id)
    memory = owner.get(memory_id)
    if memory.sensitivity != "public":
        require(store.allowed, PRIVATE)
    if memory.sensitivity == "unknown":
        raise NotFound(
            "That memory has not been classified, so agents may not read it.",
            f"Ask the user to run: recollect edit {memory.id} --sensitivity public",
        )
    return owner, memory


def read(store: Recollect, memory_id: str, sensitivity: str = "public") -> tuple[Recollect, Memory]:
    """What `find` gives, if the memory has this sensitivity: ids can be guessed."""
    owner, memory = find(store, memory_id)
    if memory.sensitivity not in ("public", sensitivity):
        raise NotFound(
            f"That memory is {memory.sensitivity}.",
            f"If the user asks for it, send sensitivity={memory.sensitivity}.",
        )
    return owner, memory


def search_memories(store: Recollect, given: Mapping[str, Any]) -> Json:
    """Find the memories that answer a query, best first."""
    query, offset, limit = given["query"], *paging(given)
    if len(query) > _MOST_QUERY:
        raise ValidationError(
            f"The query has {len(query)} characters; at most {_MOST_QUERY} are allowed.",
            "Send only the words that matter.",
        )
    hits = store.search(
        query,
        offset + limit + 1,
        mode=given.get("mode"),
        counting=False,
        weaker=given.get("all", False),
        **_filters(store, given),
    )
    shown = hits[offset : offset + limit]
    store.note_shown(shown)
    now = store.now()
    lines = [line_of(hit.memory, now, mine=hit.mine, score=round(hit.score, 2)) for hit in shown]
    more = f" offset={offset + limit} shows more." if len(hits) > offset + limit else ""
    them = "it" if hits.weaker == 1 else "them"
    weaker = f" {weaker_matches(hits.weaker)}: all=true shows {them}." if hits.weaker else ""
    found: Json = {
        "memories": lines,
        "next": (_READ_ON + more if lines else nothing(offset, len(hits))) + weaker,
    }
    past = _from_history(store, given, hits, limit) if not offset else []
    commits = [_commit(one) for one in past if isinstance(one, PastCommit)]
    if commits:
        found["next"] = f"{found['next'] if lines else ''} {_COMMITS}".strip()
        # What answers best comes first.
        is_ahead = isinstance(past[0], PastCommit)
        found = {"commits": commits, **found} if is_ahead else {**found, "commits": commits}
    return found


def _from_history(
    store: Recollect, given: Mapping[str, Any], hits: Answers, limit: int
) -> list[Answer | PastCommit]:
    """Hits with commits of the history, if these leave room and no filter is given."""
    is_open = given.get("mode") in (None, "hybrid", "text")
    if not is_open or any(given.get(name) for name in _FILTERS):
        return []
    return store.with_history(given["query"], hits[: hits.strong], limit)


def _commit(one: PastCommit) -> Json:
    return {
        "commit": one.short,
        "date": one.created[:10],
        "author": one.author,
        "subject": one.subject,
        **({"reason": one.reason} if one.reason else {}),
    }


def list_memories(store: Recollect, given: Mapping[str, Any]) -> Json:
    """List the memories that pass the filters, newest first."""
    return _listed(store, given, _filters(store, given))


def search_by_file(store: Recollect, given: Mapping[str, Any]) -> Json:
    """List the memories that name a file."""
    return _listed(
        store, given, {**_filters(store, given), "file": _relative(store, given["path"])}
    )


def search_by_concept(store: Recollect, given: Mapping[str, Any]) -> Json:
    """List the memories of a concept."""
    concept = given["concept"].strip().lower()
    if concept not in CONCEPTS:
        raise ValidationError(
            f"There is no concept {given['concept'][:60]!r}.", "Use one of: " + ", ".join(CONCEPTS)
        )
    return _listed(store, given, {**_filters(store, given), "concept": concept})


def get_timeline(store: Recollect, given: Mapping[str, Any]) -> Json:
    """List memories by creation time, oldest first; of one project, without the user's others."""
    filters = {**_filters(store, given), "project": given.get("project", "")}
    return _listed(store, given, filters, newest_first=False)


def _listed(
    store: Recollect, given: Mapping[str, Any], filters: Json, *, newest_first: bool = True
) -> Json:
    offset, limit = paging(given)
    found = store.browse(newest_first=newest_first, **filters)
    store.note_shown(found[offset : offset + limit])
    now = store.now()
    lines: list[Json] = [line_of(one.memory, now, mine=one.mine) for one in found[: offset + limit]]
    lines += [{}] * (len(found) - len(lines))
    return page(lines, offset, limit, next_step=_READ_ON)


def get_memory(store: Recollect, given: Mapping[str, Any]) -> Json:
    """Show all of one memory, or of several; private ones only if the agent asks for them."""
    level = given.get("sensitivity", "public")
    if isinstance(given["id"], str):
        return {**_whole(store, given["id"], level), "next": _CHANGE}
    ids = list(dict.fromkeys(given["id"]))[:_MOST_PAGE]
    known = [memory_id for memory_id in ids if store.owner_of(memory_id).candidates(memory_id)]
    return {
        "memories": [_whole(store, memory_id, level) for memory_id in known],
        "unknown": [memory_id for memory_id in ids if memory_id not in known],
        "next": _CHANGE,
    }


def _whole(store: Recollect, memory_id: str, sensitivity: str) -> Json:
    owner, memory = read(store, memory_id, sensitivity)
    commit = owner.commit_info(memory)
    shown = {**whole(memory), "access_count": owner.access_counts([memory])[memory.uid]}
    owner.used([memory])
    return {**shown, **({"commit_info": commit._asdict()} if commit else {})}


def why(store: Recollect, given: Mapping[str, Any]) -> Json:
    """What the last hook events did, and why."""
    traces = store.why(min(given.get("limit") or 3, _MOST_PAGE), given.get("session"))
    uids = {uid for trace in traces for step in trace.steps for uid in _uids(step)}
    now = store.now()
    return {
        "events": [
            {
                "event": t.event,
                "session": t.session,
                "seconds_ago": round(now - t.at),
                "steps": list(t.steps),
            }
            for t in traces
        ],
        "memories": {m.uid: line_of(m, now)["id"] for m in store.get_many(sorted(uids))},
        "waiting_for_user": waiting_for_review(store).in_words() or "nothing",
        "next": _READ_ON,
    }


def _uids(step: Mapping[str, Any]) -> list[str]:
    memories = step.get("memories")
    listed = [item["uid"] for item in memories] if isinstance(memories, list) else []
    return [*step.get("uids", ()), *listed]


def paging(given: Mapping[str, Any]) -> tuple[int, int]:
    """The offset and the limit of a page."""
    return given.get("offset") or 0, min(given.get("limit") or _PAGE, _MOST_PAGE)


def _filters(store: Recollect, given: Mapping[str, Any]) -> Json:
    filters: Json = {name: given[name] for name in _FILTERS if given.get(name)}
    if filters.setdefault("sensitivity", "public") not in _FOR_AGENTS:
        raise ValidationError(
            f"Agents may not read memories with sensitivity {filters['sensitivity'][:60]}.",
            f"Ask for {', '.join(_FOR_AGENTS)}, one at a time.",
        )
    if filters["sensitivity"] != "public":
        require(store.allowed, PRIVATE)
    return filters


def _relative(store: Recollect, path: str) -> str:
    """A path relative to the root of the working tree, as memories name it."""
    if Path(path).is_absolute():
        root = store.work_tree
        for base in (root, root.resolve()) if root is not None else ():
            if Path(path).is_relative_to(base):
                return Path(path).relative_to(base).as_posix()
    return check_path(path)

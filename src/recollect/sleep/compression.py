"""Makes one memory of several that say much the same, out of their own sentences.

Nothing is invented and nothing is lost: the merged memory names its sources, they are archived as
they are, and its nonce derives from their uids, so that two clones that sleep apart make the same
one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from recollect.core.age import seconds_of
from recollect.core.fields import LOCAL_SENSITIVITIES, MAX_TAGS
from recollect.core.kinds import BY_NAME
from recollect.core.memory import VIA_SLEEP, Memory
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.status import ACTIVE
from recollect.core.uid import derive_uid
from recollect.index.text import query_terms
from recollect.sleep.clusters import find_clusters, jaccard
from recollect.sleep.lifecycle import is_merged, is_untouched, touched, was_noticed
from recollect.sleep.plan import Merge
from recollect.sleep.policy import Policy
from recollect.sleep.wording import MOST_OF_ONE, Said, claims, pieces_of, word

T = TypeVar("T")
_DAY = 86_400.0
_MOST_FILES = 40
# What nobody has classified is the most sensitive of all: it is never given to anybody.
_SENSITIVITY = ("public", "private", "secret", "unknown")
# The least trusted voice among the sources is the voice of the merged memory.
_VOICES = ("tool", "agent", "user")
# Typed by hand or short-lived by nature: summaries of sessions have a window of their own, and a
# fact is one sentence already.
_NEVER = frozenset({"sessions", "facts"})


def plan_merges(
    memories: Sequence[Memory], policy: Policy, now: float, *, min_age: float | None = None
) -> list[Merge]:
    """The merges that are due: old enough, alike enough, of one kind, project and space."""
    oldest = (policy.min_age if min_age is None else min_age) * _DAY
    sources = {uid for memory in memories for uid in memory.sources}
    free = [
        memory
        for memory in memories
        if memory.status == ACTIVE
        and memory.kind in BY_NAME
        and memory.kind not in _NEVER
        and memory.sensitivity != "unknown"
        and memory.ttl is None
        and len(memory.text) <= MOST_OF_ONE
        and memory.uid not in sources
        and not is_merged(memory)
        and (since := touched(memory)) is not None
        and now - since >= oldest
    ]
    merges: list[Merge] = []
    parts: list[list[Memory]] = [[]]
    while parts:  # what the second grouping takes may make room in the first
        for key in (_claims_of, _headline_of):
            # What memories of one headline have in common is what they are about.
            parts = list(_grouped(free, key, policy, any_word=key is _headline_of))
            merges += [merge(part, oldest) for part in parts]
            taken = {memory.uid for part in parts for memory in part}
            free = [memory for memory in free if memory.uid not in taken]
    return merges


def _claims_of(memory: Memory) -> Hashable:
    """Memories that claim the same may be worded as they like."""
    return claims(f"{memory.summary}\n{memory.text}")


def _headline_of(memory: Memory) -> Hashable:
    """Memories of one headline may tell different things below it."""
    return tuple(query_terms(memory.summary)), claims(memory.summary)


def _grouped(
    memories: Iterable[Memory],
    key: Callable[[Memory], Hashable],
    policy: Policy,
    *,
    any_word: bool,
) -> Iterator[list[Memory]]:
    """What can be merged among memories of one kind, project and space, and of one key."""
    groups: dict[Hashable, list[Memory]] = {}
    for memory in memories:
        is_local = memory.sensitivity in LOCAL_SENSITIVITIES
        groups.setdefault((memory.kind, memory.project, is_local, key(memory)), []).append(memory)
    large = [group for group in groups.values() if len(group) >= policy.least]
    for group in sorted(large, key=lambda group: min(memory.uid for memory in group)):
        yield from _alike(group, policy, any_word)


def _alike(group: Sequence[Memory], policy: Policy, any_word: bool) -> Iterator[list[Memory]]:
    """The parts of a group that can be merged: they say much the same, and it fits into one text.

    What is left of a cluster is looked at again, as the next sleep would do.
    """
    left = {memory.uid: memory for memory in group}
    words = {uid: words_of(memory) for uid, memory in left.items()}
    while len(left) >= policy.least:
        known = {uid: words[uid] for uid in left}
        clusters = find_clusters(known, policy.similarity, policy.least, any_word=any_word)
        found = [
            part
            for cluster in clusters
            for part in _fitting([left[uid] for uid in cluster], policy.least)
        ]
        if not found:
            return
        yield from found
        taken = {memory.uid for part in found for memory in part}
        left = {uid: left[uid] for cluster in clusters for uid in cluster if uid not in taken}


def _fitting(cluster: Sequence[Memory], least: int) -> Iterator[list[Memory]]:
    """Parts of a cluster, each with as many members as one text has room for."""
    pieces = {memory.uid: pieces_of(memory) for memory in cluster}
    rest = list(cluster)
    while len(rest) >= least:
        first, *others = rest
        part, left, said = [first], list[Memory](), Said()
        if not said.add(pieces[first.uid]):
            rest = others
            continue
        for memory in others:
            if _have_room([*part, memory]) and said.add(pieces[memory.uid]):
                part.append(memory)
            else:
                left.append(memory)
        if len(part) >= least:
            yield part
            rest = left
        else:
            rest = others


def _have_room(part: Sequence[Memory]) -> bool:
    """Whether one memory can have the tags and files of all of them."""
    return (
        len({tag for memory in part for tag in memory.tags}) <= MAX_TAGS
        and len({path for memory in part for path in memory.files_modified}) <= _MOST_FILES
        and len({path for memory in part for path in memory.files_read}) <= _MOST_FILES
    )


def words_of(memory: Memory) -> frozenset[str]:
    """The words of a memory that carry meaning."""
    return frozenset(query_terms(f"{memory.summary}\n{memory.text}"))


def merge(sources: Sequence[Memory], wait: float = 0.0) -> Merge:
    """One memory out of several, whatever the order in which they come."""
    sources = tuple(sorted(sources, key=lambda memory: memory.uid))
    newest = max(sources, key=lambda memory: (seconds_of(memory.created) or 0.0, memory.uid))
    best = _most_typical(sources)
    count = f" ({len(sources)} {sources[0].kind})"
    headline = shorten_line(best.summary, SUMMARY_LENGTH - len(count))
    return Merge(
        nonce=_merge_nonce([memory.uid for memory in sources], newest.created),
        kind=sources[0].kind,
        summary=headline + count,
        body=word(sources, headline),
        fields=_fields(sources),
        # What somebody corrected yesterday is not old because it was merged today.
        created=max(map(_last_touched, sources), key=lambda at: seconds_of(at) or 0.0),
        due=max(touched(memory) or 0.0 for memory in sources) + wait,
        sources=sources,
    )


def _merge_nonce(sources: Iterable[str], created: str | None) -> str:
    """The nonce of what is merged from some memories: the same in every clone."""
    names = "\n".join(sorted(sources))
    return derive_uid(f"merged\n{names}", int((seconds_of(created) or 0.0) * 1000))


def _last_touched(memory: Memory) -> str:
    """When a memory was born or last changed, as a record says it."""
    moments = filter(None, (memory.created, memory.updated, memory.status_changed))
    return max(moments, key=lambda at: seconds_of(at) or 0.0, default="")


def _most_typical(sources: Sequence[Memory]) -> Memory:
    """The source that shares most with the others; then the most important, then the newest."""
    words = {memory.uid: words_of(memory) for memory in sources}

    def rank(memory: Memory) -> tuple[float, float, str]:
        shared = sum(jaccard(words[memory.uid], other) for other in words.values())
        return (round(shared, 9), memory.importance, memory.uid)

    return max(sources, key=rank)


def _fields(sources: Sequence[Memory]) -> dict[str, Any]:
    """What the merged memory keeps: the union, the strongest, the most sensitive."""
    voice = min((_voice(memory) for memory in sources), key=_VOICES.index)
    uids = [memory.uid for memory in sources]
    fields: dict[str, Any] = {
        "tags": _common(sources, lambda memory: memory.tags)[:MAX_TAGS],
        "concepts": _common(sources, lambda memory: memory.concepts),
        "files_modified": _common(sources, lambda memory: memory.files_modified)[:_MOST_FILES],
        "files_read": _common(sources, lambda memory: memory.files_read)[:_MOST_FILES],
        "observation_type": _same(memory.observation_type for memory in sources),
        "spec": _same(memory.spec for memory in sources),
        "phase": _same(memory.phase for memory in sources),
        "branch": _same(memory.branch for memory in sources),
        "project": _same(memory.project for memory in sources),
        "relates_to": uids,
        "importance": max(memory.importance for memory in sources),
        "confidence": min(memory.confidence for memory in sources),
        "sensitivity": highest_sensitivity(memory.sensitivity for memory in sources),
        "provenance": {"said_by": voice, "via": VIA_SLEEP, "sources": uids},
    }
    if all(was_noticed(memory) and is_untouched(memory) for memory in sources):
        fields["provenance"]["hook"] = VIA_SLEEP  # nobody asked for it either
    return {name: value for name, value in fields.items() if value not in (None, [], "public")}


def highest_sensitivity(levels: Iterable[str]) -> str:
    """The most sensitive level; one that this version does not know is as good as unknown."""
    known = [level if level in _SENSITIVITY else "unknown" for level in levels]
    return max(known, key=_SENSITIVITY.index)


def _voice(memory: Memory) -> str:
    """Who said it; what was captured without a word about that was captured by a person."""
    said = str(memory.provenance.get("said_by", "user"))
    return said if said in _VOICES else "agent"


def _common(sources: Sequence[Memory], get: Callable[[Memory], Iterable[str]]) -> list[str]:
    """The values of all sources, those that most of them have first."""
    counts = Counter(value for memory in sources for value in dict.fromkeys(get(memory)))
    return sorted(counts, key=lambda value: (-counts[value], value))


def _same(values: Iterable[T]) -> T | None:
    """The value that all of them have, if they have one."""
    found = list(dict.fromkeys(values))
    return found[0] if len(found) == 1 else None

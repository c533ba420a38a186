"""Merges several similar memories into one, using their own sentences.

Nothing is invented and nothing is lost. The merged memory names its sources, which are archived
unchanged. Its nonce derives from their uids, so that two clones that sleep independently make the
same memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from recollect.core.age import seconds_of
from recollect.core.fields import LOCAL_SENSITIVITIES, MAX_QUESTIONS, MAX_TAGS
from recollect.core.kinds import BY_NAME
from recollect.core.memory import VIA_SLEEP, Memory
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.status import ACTIVE
from recollect.core.uid import derive_uid
from recollect.index.text import query_terms
from recollect.sleep.clusters import find_clusters, jaccard
from recollect.sleep.lifecycle import is_merged, is_untouched, last_changed, was_noticed
from recollect.sleep.plan import Merge
from recollect.sleep.policy import Policy
from recollect.sleep.wording import MOST_OF_ONE, Pieces, claims, pieces_of, word

T = TypeVar("T")
_DAY = 86_400.0
_MOST_FILES = 40
# Unclassified memories count as the most sensitive, because they are never shown to anyone.
_SENSITIVITY = ("public", "private", "secret", "unknown")
# A merged memory gets the provenance of its least trusted source.
_VOICES = ("tool", "agent", "user")
# Session summaries have their own window, and a fact is already one sentence.
_NEVER = frozenset({"sessions", "facts"})


def plan_merges(
    memories: Sequence[Memory], policy: Policy, now: float, *, min_age: float | None = None
) -> list[Merge]:
    """Return the merges that are due: similar, old enough, and of one kind, project and space."""
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
        and (since := last_changed(memory)) is not None
        and now - since >= oldest
    ]
    merges: list[Merge] = []
    parts: list[list[Memory]] = [[]]
    while parts:  # a merge of the second grouping may make room in the first
        for key in (_claims_of, _headline_of):
            # With one headline, shared words are the subject, so no word is too common.
            parts = list(_grouped(free, key, policy, any_word=key is _headline_of))
            merges += [merge(part, oldest) for part in parts]
            taken = {memory.uid for part in parts for memory in part}
            free = [memory for memory in free if memory.uid not in taken]
    return merges


def _claims_of(memory: Memory) -> Hashable:
    """Group memories that make the same claims, in whatever words."""
    return claims(f"{memory.summary}\n{memory.text}")


def _headline_of(memory: Memory) -> Hashable:
    """Group memories with one headline, whatever their bodies say."""
    return tuple(query_terms(memory.summary)), claims(memory.summary)


def _grouped(
    memories: Iterable[Memory],
    key: Callable[[Memory], Hashable],
    policy: Policy,
    *,
    any_word: bool,
) -> Iterator[list[Memory]]:
    """Yield what can be merged among memories of one kind, project, space and key."""
    groups: dict[Hashable, list[Memory]] = {}
    for memory in memories:
        is_local = memory.sensitivity in LOCAL_SENSITIVITIES
        groups.setdefault((memory.kind, memory.project, is_local, key(memory)), []).append(memory)
    large = [group for group in groups.values() if len(group) >= policy.least]
    for group in sorted(large, key=lambda group: min(memory.uid for memory in group)):
        yield from _alike(group, policy, any_word)


def _alike(group: Sequence[Memory], policy: Policy, any_word: bool) -> Iterator[list[Memory]]:
    """Yield the parts of a group that can be merged: similar, and short enough for one text.

    The rest of a cluster is clustered again, as the next sleep would do.
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
    """Split a cluster into parts that each fit into one text."""
    pieces = {memory.uid: pieces_of(memory) for memory in cluster}
    rest = list(cluster)
    while len(rest) >= least:
        first, *others = rest
        part, left, said = [first], list[Memory](), Pieces()
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
    """Return whether one memory can hold the tags and files of all of them."""
    return (
        len({tag for memory in part for tag in memory.tags}) <= MAX_TAGS
        and len({path for memory in part for path in memory.files_modified}) <= _MOST_FILES
        and len({path for memory in part for path in memory.files_read}) <= _MOST_FILES
    )


def words_of(memory: Memory) -> frozenset[str]:
    """Return the meaningful words of a memory."""
    return frozenset(query_terms(f"{memory.summary}\n{memory.text}"))


def merge(sources: Sequence[Memory], wait: float = 0.0) -> Merge:
    """Merge several memories into one; their order does not matter."""
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
        # A recent correction must not look old because of the merge.
        created=max(map(_last_changed, sources), key=lambda at: seconds_of(at) or 0.0),
        due=max(last_changed(memory) or 0.0 for memory in sources) + wait,
        sources=sources,
    )


def _merge_nonce(sources: Iterable[str], created: str | None) -> str:
    """Return the nonce of a merge, which is the same in every clone."""
    names = "\n".join(sorted(sources))
    return derive_uid(f"merged\n{names}", int((seconds_of(created) or 0.0) * 1000))


def _last_changed(memory: Memory) -> str:
    """Return when a memory was created or last changed, as its record says."""
    moments = filter(None, (memory.created, memory.updated, memory.status_changed))
    return max(moments, key=lambda at: seconds_of(at) or 0.0, default="")


def _most_typical(sources: Sequence[Memory]) -> Memory:
    """Return the source most like the others; on a tie, the most important, then the newest."""
    words = {memory.uid: words_of(memory) for memory in sources}

    def rank(memory: Memory) -> tuple[float, float, str]:
        shared = sum(jaccard(words[memory.uid], other) for other in words.values())
        return (round(shared, 9), memory.importance, memory.uid)

    return max(sources, key=rank)


def _fields(sources: Sequence[Memory]) -> dict[str, Any]:
    """Return the fields of the merged memory: union, highest importance, highest sensitivity."""
    voice = min((_speaker(memory) for memory in sources), key=_VOICES.index)
    uids = [memory.uid for memory in sources]
    fields: dict[str, Any] = {
        "tags": _common(sources, lambda memory: memory.tags)[:MAX_TAGS],
        "concepts": _common(sources, lambda memory: memory.concepts),
        "asked_as": _common(sources, lambda memory: memory.asked_as)[:MAX_QUESTIONS],
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
    """Return the most sensitive level; a level of a newer version counts as unknown."""
    known = [level if level in _SENSITIVITY else "unknown" for level in levels]
    return max(known, key=_SENSITIVITY.index)


def _speaker(memory: Memory) -> str:
    """Return who said it; without provenance, a person captured it."""
    said = str(memory.provenance.get("said_by", "user"))
    return said if said in _VOICES else "agent"


def _common(sources: Sequence[Memory], get: Callable[[Memory], Iterable[str]]) -> list[str]:
    """Return the values of all sources, the most frequent first."""
    counts = Counter(value for memory in sources for value in dict.fromkeys(get(memory)))
    return sorted(counts, key=lambda value: (-counts[value], value))


def _same(values: Iterable[T]) -> T | None:
    """Return the value that all sources share, if there is one."""
    found = list(dict.fromkeys(values))
    return found[0] if len(found) == 1 else None

"""Makes one memory of several that say much the same, out of their own sentences.

Nothing is invented and nothing is lost: the merged memory names its sources, they are archived as
they are, and its uid derives from theirs, so that two clones that sleep apart make the same one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from recollect.core.age import seconds_of
from recollect.core.fields import LOCAL_SENSITIVITIES, MAX_TAGS
from recollect.core.kinds import BY_NAME
from recollect.core.memory import Memory
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.patterns import pattern
from recollect.core.status import ACTIVE
from recollect.core.uid import derive_uid
from recollect.index.text import denials, query_terms
from recollect.sleep.clusters import find_clusters, jaccard
from recollect.sleep.lifecycle import is_merged, touched, was_noticed
from recollect.sleep.plan import VIA_SLEEP, Merge
from recollect.sleep.policy import Policy

T = TypeVar("T")
_DAY = 86_400.0
_SENTENCE = pattern(r"(?<=[.!?])\s+|\n+")
_NUMBERED = pattern(r"[\w.+:/-]*\d[\w.+:/-]*")
_MARKS = pattern(r"^[\s>#*+-]+")
# Two sentences that share more of their words than this say the same.
_SAME = 0.6
_MOST_DETAILS = 200  # characters of the body that are details
_MOST_POINTS = 3
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
    sources = {uid for memory in memories if is_merged(memory) for uid in memory.relates_to}
    groups: dict[tuple[str, str | None, bool, tuple[str, ...], int], list[Memory]] = {}
    for memory in memories:
        since = touched(memory)
        if (
            memory.status == ACTIVE
            and memory.kind in BY_NAME
            and memory.kind not in _NEVER
            and memory.sensitivity != "unknown"
            and memory.ttl is None
            and memory.uid not in sources
            and not is_merged(memory)
            and since is not None
            and now - since >= oldest
        ):
            is_local = memory.sensitivity in LOCAL_SENSITIVITIES
            key = (memory.kind, memory.project, is_local, *_claims(memory))
            groups.setdefault(key, []).append(memory)
    merges = []
    for alike in sorted(groups, key=repr):
        by_uid = {memory.uid: memory for memory in groups[alike]}
        if len(by_uid) < policy.least:
            continue
        words = {uid: words_of(memory) for uid, memory in by_uid.items()}
        clusters = find_clusters(words, policy.similarity, policy.least)
        merges += [merge([by_uid[uid] for uid in cluster], oldest) for cluster in clusters]
    return merges


def _claims(memory: Memory) -> tuple[tuple[str, ...], int]:
    """What must be equal, however alike the words are: numbers, versions, and what is denied.

    "Needs Node 18" and "needs Node 22" share nearly all of their words, and one of them is wrong.
    """
    text = f"{memory.summary}\n{memory.text}"
    numbers = {word.strip(".+-:/").lower() for word in _NUMBERED.findall(text)}
    return tuple(sorted(numbers)), denials(text)


def words_of(memory: Memory) -> frozenset[str]:
    """The words of a memory that carry meaning."""
    return frozenset(query_terms(f"{memory.summary}\n{memory.text}"))


def merge(sources: Sequence[Memory], wait: float = 0.0) -> Merge:
    """One memory out of several, whatever the order in which they come."""
    sources = tuple(sorted(sources, key=lambda memory: memory.uid))
    newest = max(sources, key=lambda memory: (seconds_of(memory.created) or 0.0, memory.uid))
    born = seconds_of(newest.created) or 0.0
    best = _most_typical(sources)
    count = f" ({len(sources)} {sources[0].kind})"
    summary = shorten_line(best.summary, SUMMARY_LENGTH - len(count)) + count
    names = "\n".join(sorted(memory.uid for memory in sources))
    return Merge(
        uid=derive_uid(f"merged\n{names}", int(born * 1000)),
        kind=sources[0].kind,
        summary=summary,
        body=_body(sources, best),
        fields=_fields(sources),
        created=newest.created or "",
        due=max(touched(memory) or 0.0 for memory in sources) + wait,
        sources=sources,
    )


def _most_typical(sources: Sequence[Memory]) -> Memory:
    """The source that shares most with the others; then the most important, then the newest."""
    words = {memory.uid: words_of(memory) for memory in sources}

    def rank(memory: Memory) -> tuple[float, float, str]:
        shared = sum(jaccard(words[memory.uid], other) for other in words.values())
        return (round(shared, 9), memory.importance, memory.uid)

    return max(sources, key=rank)


def _body(sources: Sequence[Memory], best: Memory) -> str:
    """What was said, when, and each thing once. The sources are named by `relates_to`."""
    dated = sorted(sources, key=lambda memory: (memory.created or "", memory.uid))
    first, last = _day(dated[0]), _day(dated[-1])
    when = f"on {first}" if first == last else f"from {first} to {last}"
    points = _points(dated, best)
    details = _details(dated, [best.summary, *points])
    return "\n".join([f"Said {len(sources)} times, {when}.", *points, *details])


def _points(dated: Sequence[Memory], best: Memory) -> list[str]:
    """The summaries that say something else than the one that was chosen for all."""
    known = [frozenset(query_terms(best.summary))]
    points = []
    for memory in dated:
        own = frozenset(query_terms(memory.summary))
        if not any(_says(own, other) for other in known):
            known.append(own)
            points.append(f"- {_day(memory)}: {memory.summary}")
    return points[:_MOST_POINTS]


def _details(dated: Sequence[Memory], lines: Iterable[str]) -> list[str]:
    """Sentences of the bodies that say something new, those most often heard first."""
    known = [frozenset(query_terms(line)) for line in lines]
    sentences = [
        (memory.uid, at, _MARKS.sub("", sentence).strip())
        for memory in dated
        for at, sentence in enumerate(_SENTENCE.split(memory.text))
    ]
    words = {text: frozenset(query_terms(text)) for _, _, text in sentences}
    heard = Counter(word for own in words.values() for word in own)

    def weight(text: str) -> float:
        own = words[text]
        return sum(heard[word] for word in own) / len(own) if own else 0.0

    chosen: list[tuple[str, int, str]] = []
    room = _MOST_DETAILS
    for uid, at, text in sorted(sentences, key=lambda s: (-weight(s[2]), s[0], s[1])):
        own = words[text]
        if len(own) < 2 or len(text) > room or any(_says(own, other) for other in known):
            continue
        known.append(own)
        chosen.append((uid, at, text))
        room -= len(text)
    order = {memory.uid: number for number, memory in enumerate(dated)}
    chosen.sort(key=lambda item: (order[item[0]], item[1]))
    return [f"- {text}" for _, _, text in chosen]


def _says(own: frozenset[str], other: frozenset[str]) -> bool:
    return own <= other or jaccard(own, other) > _SAME


def _fields(sources: Sequence[Memory]) -> dict[str, Any]:
    """What the merged memory keeps: the union, the strongest, the most sensitive."""
    voice = min((_voice(memory) for memory in sources), key=_VOICES.index)
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
        "relates_to": [memory.uid for memory in sources],
        "importance": max(memory.importance for memory in sources),
        "confidence": min(memory.confidence for memory in sources),
        "sensitivity": highest_sensitivity(memory.sensitivity for memory in sources),
        "provenance": {"said_by": voice, "via": VIA_SLEEP},
    }
    if all(was_noticed(memory) for memory in sources):
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


def _day(memory: Memory) -> str:
    return re.split(r"[T ]", memory.created or "?")[0]

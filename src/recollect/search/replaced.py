"""Puts the newest word on a matter in the place of what it reverses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from recollect.core.memory import Memory
from recollect.core.reversal import replaces, reversed_uids
from recollect.index.protocol import Index
from recollect.search.gate import probability
from recollect.search.search import Hit
from recollect.search.selection import Candidate, Skipped, Sorted

# Reversals of reversals that are followed. More is no conversation.
_MOST_STEPS: Final = 5


def replacements(
    index: Index,
    memories: Sequence[Memory],
    owner: Callable[[], str],
    may_show: Callable[[Memory], bool],
) -> dict[str, Memory]:
    """Return, by uid, the newest memory that replaces each one of these, as the owner sees it.

    Who the owner is, git may have to say: it is asked only if something may be replaced.
    """
    newer: dict[str, Memory] = {}
    looked: Sequence[Memory] = memories
    for _ in range(_MOST_STEPS):
        known = {memory.uid: memory for memory in looked}
        related = index.relating(list(known)) if known else []
        found = [memory for memory in related if may_show(memory)]
        looked = []
        for new in found:  # in order of creation, so that the newest counts
            for uid in {*reversed_uids(new)} & {*new.relates_to} & known.keys():
                if replaces(new, known[uid], owner()):
                    newer[uid] = new
                    looked.append(new)
        if not looked:
            break
    return {memory.uid: _last(newer, memory.uid) for memory in memories if memory.uid in newer}


def _last(newer: Mapping[str, Memory], uid: str) -> Memory:
    """Return the last memory of a chain of reversals; a circle ends where it began."""
    seen = {uid}
    last = newer[uid]
    while last.uid in newer and last.uid not in seen:
        seen.add(last.uid)
        last = newer[last.uid]
    return last


def newest_word(candidates: Sequence[Candidate], newer: Mapping[str, Memory]) -> Sorted:
    """Leave out what was replaced. What replaces it is as likely an answer as that was."""
    if not newer:
        return list(candidates), []
    kept = {c.memory.uid: c for c in candidates if c.memory.uid not in newer}
    skipped = []
    for old in candidates:
        new = newer.get(old.memory.uid)
        if new is None:
            continue
        skipped.append(Skipped(old.memory.uid, f"replaced by {new.id}"))
        own = kept.get(new.uid)
        if own is not None:
            kept[new.uid] = own._replace(instead_of=old.memory.summary)
        if own is None or own.probability < old.probability or own.score < old.score:
            kept[new.uid] = old._replace(
                memory=new,
                score=max(old.score, own.score if own else 0.0),
                probability=max(old.probability, own.probability if own else 0.0),
                reason=f"replaces {old.memory.id}",
                instead_of=old.memory.summary,
            )
    return list(kept.values()), skipped


def newest_hits(hits: Sequence[Hit], newer: Mapping[str, Memory]) -> list[Hit]:
    """Put what replaces a hit before it, as likely as it is; the replaced one says so."""
    if not newer:
        return list(hits)
    found = {hit.memory.uid: hit for hit in hits}
    for old in hits:
        new = newer.get(old.memory.uid)
        if new is None:
            continue
        own = found.get(new.uid) or old._replace(memory=new)
        better = max(own, old, key=lambda hit: probability(hit.features))
        found[new.uid] = own._replace(
            score=max(own.score, old.score),
            words=max(own.words, old.words),
            features=better.features,
        )
        found[old.memory.uid] = old._replace(replaced_by=new)
    # An old one stands behind a new one with the same score.
    return sorted(found.values(), key=lambda hit: (-hit.score, hit.replaced_by is not None))

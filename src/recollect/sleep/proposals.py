"""Suggests merges of permanent kinds, which are never merged without a person's consent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recollect.capture.novelty import fingerprint
from recollect.capture.suggestions import is_waiting, suggest, suggestions
from recollect.index.protocol import Index, is_purged
from recollect.sleep.plan import Merge
from recollect.store.store import Store

# Merges rank below captured suggestions, so they are the first to leave a full list.
_CONFIDENCE = 0.3
_MOST_PROPOSALS = 5


def worth_asking(store: Store, index: Index, proposals: Iterable[Merge]) -> Iterator[Merge]:
    """Yield the merges that are neither pending nor rejected; only a few are pending at a time."""
    found = list(proposals)
    if not found:
        return
    asked = sum(bool(waiting.sources) for waiting in suggestions(store))
    for merge in found:
        text = f"{merge.summary}\n{merge.body}"
        if asked >= _MOST_PROPOSALS:
            return
        if (
            "sensitivity" not in merge.fields  # private memories are not copied into a file
            and not is_purged(index, merge.nonce)
            and not is_waiting(store, merge.nonce)
            and not store.local.observed.is_rejected(fingerprint(text))
        ):
            asked += 1
            yield merge


def propose(store: Store, merge: Merge) -> None:
    """Suggest the merge of memories of a permanent kind."""
    suggest(
        store,
        {
            "kind": merge.kind,
            "created": merge.created,
            "at": None,
            **merge.fields,
            "summary": merge.summary,
            "body": merge.body,
        },
        confidence=_CONFIDENCE,
        why=f"{len(merge.sources)} {merge.kind} are similar",
        nonce=merge.nonce,
        sources={memory.uid: memory.version for memory in merge.sources},
    )

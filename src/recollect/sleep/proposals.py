"""Merges of permanent kinds: nobody merges those unasked, so they are suggested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recollect.capture.novelty import fingerprint
from recollect.capture.suggestions import is_waiting, suggest, suggestions
from recollect.index.protocol import Index, is_purged
from recollect.sleep.plan import Merge
from recollect.store.store import Store

# A proposal is less certain than what somebody said, so it is the first to go from a full list.
_PROPOSED = 0.3
_MOST_PROPOSALS = 5


def worth_asking(store: Store, index: Index, proposals: Iterable[Merge]) -> Iterator[Merge]:
    """Those that wait for no answer yet and got none; only a few wait at a time."""
    found = list(proposals)
    if not found:
        return
    asked = sum(bool(waiting.sources) for waiting in suggestions(store))
    for merge in found:
        text = f"{merge.summary}\n{merge.body}"
        if asked >= _MOST_PROPOSALS:
            return
        if (
            "sensitivity" not in merge.fields  # what is private is not copied into a file
            and not is_purged(index, merge.nonce)
            and not is_waiting(store, merge.nonce)
            and not store.local.observed.is_rejected(fingerprint(text))
        ):
            asked += 1
            yield merge


def propose(store: Store, merge: Merge) -> None:
    """Let somebody say whether memories of a permanent kind may become one."""
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
        confidence=_PROPOSED,
        why=f"{len(merge.sources)} {merge.kind} say much the same",
        nonce=merge.nonce,
        sources={memory.uid: memory.version for memory in merge.sources},
    )

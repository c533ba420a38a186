"""What was noticed and is not certain enough: it waits for somebody to accept or reject it.

Suggestions are local and never shared. A rejected one is not suggested again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from recollect.capture.novelty import NEW, Known, fingerprint, judge
from recollect.core.memory import NO_FIELDS, Memory
from recollect.core.status import VISIBLE
from recollect.errors import Ambiguous, NotFound, VersionConflict
from recollect.state.spool import Spool
from recollect.store.spool_flush import keep
from recollect.store.store import Store

FOLDER = "suggestions"
MOST = 100
_NAME_LENGTH = 6


class Suggestion(NamedTuple):
    """A draft that waits for a word; `updates` is the memory that it would change."""

    uid: str
    draft: Mapping[str, Any]
    confidence: float
    why: str
    updates: str | None = None
    # What it was merged from, by uid: the versions that were read.
    sources: Mapping[str, str] = NO_FIELDS

    @property
    def name(self) -> str:
        """What people type for it."""
        return self.uid[-_NAME_LENGTH:].lower()

    @property
    def text(self) -> str:
        """All that it says."""
        return f"{self.draft.get('summary', '')}\n{self.draft.get('body', '')}"

    def as_json(self) -> dict[str, Any]:
        """The suggestion as `--json` prints it."""
        return {
            "id": self.name,
            **self.draft,
            "confidence": self.confidence,
            "why": self.why,
            "updates": self.updates,
        }


def _spool(store: Store) -> Spool:
    return Spool(store.ledger.repository.state_dir / FOLDER)


def suggest(
    store: Store,
    draft: Mapping[str, Any],
    *,
    confidence: float,
    why: str,
    updates: str | None = None,
    uid: str | None = None,
    sources: Mapping[str, str] = NO_FIELDS,
) -> int:
    """Keep a draft for review; how many weaker ones had to go for it. It must be redacted."""
    spool = _spool(store)
    spool.put(
        uid or store.new_uid(),
        {
            "draft": dict(draft),
            "confidence": confidence,
            "why": why,
            "updates": updates,
            "sources": dict(sources),
            "project": store.project,
        },
    )
    return spool.trim(MOST, lambda waiting: float(waiting.get("confidence") or 0))


def is_waiting(store: Store, uid: str) -> bool:
    """Whether a suggestion of this uid waits for review."""
    return uid in _spool(store).waiting()


def suggestions(store: Store) -> list[Suggestion]:
    """What waits for review, oldest first."""
    found = []
    for uid, waiting in _spool(store).waiting().items():
        draft = waiting.get("draft")
        if isinstance(draft, dict) and waiting.get("project") == store.project:
            confidence = float(waiting.get("confidence") or 0)
            updates = waiting.get("updates")
            why = str(waiting.get("why") or "")
            sources = waiting.get("sources") or {}
            found.append(Suggestion(uid, draft, confidence, why, updates, sources))
    return [suggestion for suggestion in found if not _is_settled(store, suggestion)]


def _is_settled(store: Store, suggestion: Suggestion) -> bool:
    """Whether a merge is needless by now: its sources are merged, hidden or gone. It is dropped."""
    if not suggestion.sources:
        return False
    from recollect.index.protocol import is_purged, merged_from

    index, uids = store.indexing.fresh(), list(suggestion.sources)
    visible = [memory for memory in index.get_many(uids) if memory.status in VISIBLE]
    if (
        len(visible) == len(uids)
        and not merged_from(index, uids)
        and not is_purged(index, suggestion.uid)
    ):
        return False
    _spool(store).drop(suggestion.uid)
    return True


def named(store: Store, names: Sequence[str]) -> list[Suggestion]:
    """The suggestions of some names; one that means none, or several, is refused."""
    waiting = suggestions(store)
    chosen = []
    for name in names:
        meant = [s for s in waiting if s.uid.lower().endswith(name.strip().lower())]
        if not meant or not name.strip():
            raise NotFound(f"There is no suggestion {name}", "List them with: recollect review")
        if len(meant) > 1:
            raise Ambiguous(f"{name} means several suggestions.", [s.uid for s in meant])
        chosen += meant
    return chosen


def accept(store: Store, chosen: Sequence[Suggestion]) -> list[Memory]:
    """Make memories of suggestions, or change the ones they would update."""
    _refuse_outdated(store, chosen)
    memories = []
    for suggestion in chosen:
        draft = dict(suggestion.draft)
        known = store.indexing.fresh().get_many([suggestion.updates] if suggestion.updates else [])
        if known:
            memories.append(
                # A suggestion that is one sentence says nothing against the body that is there.
                store.update(known[0].uid, summary=draft["summary"], body=draft.get("body") or None)
            )
        else:
            draft["provenance"] = {**(draft.get("provenance") or {}), "accepted": True}
            # What is merged has a uid that derives from its sources: whoever else says yes, in
            # another clone, makes the same memory.
            uids = [suggestion.uid] if suggestion.sources else ()
            memories += keep(store, [draft], uids=uids)
        _spool(store).drop(suggestion.uid)
    now = store.ledger.clock().timestamp()
    store.local.usage.record([memory.uid for memory in memories], "accepted", now)
    return memories


def _refuse_outdated(store: Store, chosen: Sequence[Suggestion]) -> None:
    """Drop merges of what has changed since, and say so: they would hide what is true now."""
    for suggestion in chosen:
        sources = store.indexing.fresh().get_many(list(suggestion.sources))
        present = {memory.uid: memory.version for memory in sources}
        if present != dict(suggestion.sources):
            _spool(store).drop(suggestion.uid)
            raise VersionConflict(
                f"What {suggestion.name} would merge has changed since it was suggested.",
                "Nothing was stored and the suggestion is dropped; sleep looks at them again.",
            )


def forget(store: Store, purged: Memory) -> None:
    """Drop the suggestions that say what a purged memory said, or were made of it."""
    gone = Known("", f"{purged.summary}\n{purged.text}")
    for uid, waiting in _spool(store).waiting().items():
        draft = waiting.get("draft") or {}
        text = f"{draft.get('summary', '')}\n{draft.get('body', '')}"
        made_of = purged.uid in (draft.get("relates_to") or ())
        if made_of or judge(text, [gone]).verdict != NEW:
            _spool(store).drop(uid)


def reject(store: Store, chosen: Sequence[Suggestion]) -> None:
    """Drop suggestions for good."""
    now = store.ledger.clock().timestamp()
    store.local.make_folder()
    store.local.noticing.reject([fingerprint(suggestion.text) for suggestion in chosen], now)
    for suggestion in chosen:
        _spool(store).drop(suggestion.uid)

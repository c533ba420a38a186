"""Keeps suggestions: captures that are not certain enough, pending until you review them.

Suggestions are local and never shared. A rejected suggestion is not suggested again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.capture.novelty import Known, fingerprint, judge
from recollect.capture.rejections import forget_rejected, note_rejected
from recollect.core.memory import NO_FIELDS, Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.status import VISIBLE
from recollect.errors import Ambiguous, NotFound
from recollect.state.local_key import SUGGESTION, is_ours, sign
from recollect.state.spool import SUGGESTIONS_FOLDER, Spool
from recollect.store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST = 100
_NAME_LENGTH = 6
UNKNOWN: Mapping[str, str] = {"via": "unknown"}
_UNKNOWN_CONFIDENCE = 0.1
_LIKE_PURGED = 0.5  # the share of common words from which a text goes with a purged one
_UNKNOWN_WHY = "unknown origin: you did not write it on this machine"


class Suggestion(NamedTuple):
    """A pending draft; `updates` is the memory that it would change."""

    uid: str
    draft: Mapping[str, Any]
    confidence: float
    why: str
    updates: str | None = None
    # The sources of a merge, by uid, with the versions that were read.
    sources: Mapping[str, str] = NO_FIELDS
    # The mirror file that it comes from: its path, its text, and its base state.
    document: Mapping[str, Any] = NO_FIELDS

    @property
    def name(self) -> str:
        """The name that people type."""
        return self.uid[-_NAME_LENGTH:].lower()

    @property
    def is_unknown(self) -> bool:
        """Whether its origin is unknown."""
        return bool(self.draft.get("provenance") == UNKNOWN)

    @property
    def text(self) -> str:
        """The complete text."""
        return f"{self.draft.get('summary', '')}\n{self.draft.get('body', '')}"

    def as_json(self) -> dict[str, Any]:
        """Return the suggestion as `--json` prints it."""
        return {
            "id": self.name,
            **self.draft,
            "confidence": self.confidence,
            "why": self.why,
            "updates": self.updates,
        }


def waiting_suggestions(store: Store) -> Spool:
    """Return the store of pending suggestions."""
    return Spool(store.ledger.repository.state_dir / SUGGESTIONS_FOLDER)


# The source of a draft that waits because of `compaction.prompt_first`.
COMPACTION = "compaction"


def suggest(
    store: Store,
    draft: Mapping[str, Any],
    *,
    confidence: float,
    why: str,
    updates: str | None = None,
    nonce: str | None = None,
    sources: Mapping[str, str] = NO_FIELDS,
    document: Mapping[str, Any] = NO_FIELDS,
) -> int:
    """Store a redacted draft for review; return how many weaker ones were dropped for it."""
    spool = waiting_suggestions(store)
    nonce = nonce or store.new_nonce()
    said = {
        "draft": store.redact(draft),
        "confidence": confidence,
        "why": store.redact(why),
        "updates": updates,
        "sources": dict(sources),
        "document": dict(document),  # redacted by the reader of the file
        "project": store.project,
    }
    spool.put(nonce, sign(store.config.home, SUGGESTION, nonce, said))
    return spool.trim(MOST, _confidence)


def _confidence(waiting: Mapping[str, Any]) -> float:
    """Return a valid confidence, whatever the file contains."""
    said = waiting.get("confidence")
    return float(said) if isinstance(said, int | float) else 0.0


def withdraw(store: Store, path: str) -> None:
    """Drop the earlier suggestion of a mirror file that changed again."""
    for suggestion in suggestions(store):
        if suggestion.document and suggestion.document.get("path") == path:
            waiting_suggestions(store).drop(suggestion.uid)


def is_waiting(store: Store, uid: str) -> bool:
    """Return whether a suggestion with this uid is pending."""
    return uid in waiting_suggestions(store).waiting()


def suggest_unknown(store: Store, draft: Mapping[str, Any]) -> bool:
    """Store the text of a draft of unknown origin; return whether it has any."""
    words = _words(draft)
    if not words:
        return False
    clean = {**store.redact(words), "kind": words["kind"], "provenance": UNKNOWN}
    suggest(store, clean, confidence=_UNKNOWN_CONFIDENCE, why=_UNKNOWN_WHY)
    return True


def _words(draft: Any) -> dict[str, str]:
    """Return the text of a draft without its metadata; empty if it is not a draft."""
    if not isinstance(draft, Mapping):
        return {}
    words = {name: draft.get(name) or "" for name in ("kind", "summary", "body")}
    is_text = all(isinstance(word, str) for word in words.values())
    return words if is_text and words["kind"] and words["summary"] else {}


def suggestions(store: Store) -> list[Suggestion]:
    """Return the pending suggestions, oldest first."""
    found = []
    for uid, waiting in waiting_suggestions(store).waiting().items():
        draft = waiting.get("draft")
        if not isinstance(draft, dict) or waiting.get("project") != store.project:
            continue
        if not is_ours(store.config.home, SUGGESTION, uid, waiting):
            # It came with a copied repository: only its text counts.
            words = _words(draft)
            if words:
                draft = {**words, "provenance": UNKNOWN}
                found.append(Suggestion(uid, draft, _UNKNOWN_CONFIDENCE, _UNKNOWN_WHY))
            continue
        updates = waiting.get("updates")
        why = str(waiting.get("why") or "")
        sources = waiting.get("sources") or {}
        document = waiting.get("document") or {}
        confidence = _confidence(waiting)
        found.append(Suggestion(uid, draft, confidence, why, updates, sources, document))
    return [suggestion for suggestion in found if not _is_settled(store, suggestion)]


def _is_settled(store: Store, suggestion: Suggestion) -> bool:
    """Return whether a merge is obsolete: its sources are merged, hidden or gone."""
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
    waiting_suggestions(store).drop(suggestion.uid)
    return True


def is_memory_name(store: Store, name: str) -> bool:
    """Whether a name in a review means a memory, and not a suggestion."""
    if ":" in name:
        return True
    own = [s for s in suggestions(store) if s.uid.lower().endswith(name.strip().lower())]
    return not own and bool(name.strip()) and bool(store.candidates(name))


def named(store: Store, names: Sequence[str]) -> list[Suggestion]:
    """Return the suggestions with these names; raise if a name matches none or several."""
    waiting = suggestions(store)
    chosen = []
    for name in names:
        meant = [s for s in waiting if s.uid.lower().endswith(name.strip().lower())]
        if not meant or not name.strip():
            raise NotFound(f"There is no suggestion {name}", "List them with: recollect review")
        if len(meant) > 1:
            raise Ambiguous(f"{name} matches several suggestions.", [s.uid for s in meant])
        chosen += meant
    return chosen


def forget(store: Store, purged: Memory) -> None:
    """Drop the suggestions with the text of a purged memory, or made from it."""
    gone = Known("", f"{purged.summary}\n{purged.text}")
    for uid, waiting in waiting_suggestions(store).waiting().items():
        draft = waiting.get("draft")
        draft = draft if isinstance(draft, dict) else {}
        text = f"{draft.get('summary', '')}\n{draft.get('body', '')}"
        made_of = purged.uid in (*(draft.get("relates_to") or ()), waiting.get("updates"))
        if made_of or judge(text, [gone]).similarity >= _LIKE_PURGED:
            waiting_suggestions(store).drop(uid)


def reject(store: Store, chosen: Sequence[Suggestion]) -> None:
    """Reject suggestions for good."""
    now = store.ledger.clock().timestamp()
    store.local.make_folder()
    store.local.observed.reject(_marks(chosen), now)
    plain = [one for one in chosen if not one.document and not one.sources]
    note_rejected(store, {one.uid: one.text for one in plain})
    for suggestion in chosen:
        waiting_suggestions(store).drop(suggestion.uid)


def _marks(chosen: Sequence[Suggestion]) -> list[str]:
    """Return what stands for rejected suggestions that are no plain drafts."""
    marks = [f"mirror rejected {one.uid}" for one in chosen if one.document]
    # A rejected merge says nothing against what its sources say.
    return marks + [fingerprint(one.text) for one in chosen if one.sources]


def put_back(store: Store, chosen: Sequence[Suggestion]) -> None:
    """Take back the rejection of suggestions: they wait for review again."""
    store.local.observed.forget_rejected(_marks(chosen))
    forget_rejected(store, [one.text for one in chosen])
    for one in chosen:
        suggest(
            store,
            one.draft,
            confidence=one.confidence,
            why=one.why,
            updates=one.updates,
            nonce=one.uid,
            sources=one.sources,
            document=one.document,
        )

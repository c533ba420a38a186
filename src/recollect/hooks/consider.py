"""Decides what happens to a draft: captured, suggested or skipped, each with a trace line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from recollect.capture.novelty import DUPLICATE, NEAR, Known, fingerprint, judge, said_in
from recollect.core.note import summarize
from recollect.hooks.pipeline import Work

_SIMILAR = 8  # memories to compare a draft with
# Prefix of a changed file among the milestones of a session.
FILE = "changed "
SIGNAL = "signal: "
SUMMARY = "session summary"


class Draft(NamedTuple):
    """A record that could be captured, with its confidence and the detector that found it."""

    record: Mapping[str, Any]
    confidence: float
    is_certain: bool
    why: str


def is_wanted(work: Work, kind: str) -> bool:
    """Whether memories of a kind may be captured automatically."""
    return all(work.session.setting(f"kinds.{kind}.{key}") for key in ("enabled", "auto_capture"))


def is_on(work: Work) -> bool:
    """Whether automatic capture is on."""
    return str(work.session.setting("capture.mode")) != "off"


def origin(work: Work, said_by: str, via: str) -> dict[str, Any]:
    """Return the fields that say where a memory comes from."""
    return {
        "session": work.event.session or None,
        "provenance": {"said_by": said_by, "via": via, "hook": work.event.name},
    }


def draft_of(work: Work, kind: str, text: str, said_by: str, via: str) -> dict[str, Any]:
    """Make a record of a kind from a text."""
    summary, body = summarize(text)
    return {"kind": kind, "summary": summary, "body": body, **origin(work, said_by, via)}


def consider(work: Work, drafts: Sequence[Draft]) -> None:
    """Capture or suggest new drafts, under a lock so that two sessions capture a draft once."""
    if drafts:
        with work.session.locked():
            _consider_locked(work, drafts)


def _consider_locked(work: Work, drafts: Sequence[Draft]) -> None:
    """Redact each draft, compare it with what is known, decide, and trace the decision."""
    certain: list[Draft] = []
    pending: list[Known] | None = None
    automatic = str(work.session.setting("capture.mode")) == "auto"
    for draft in drafts:
        record = dict(draft.record)
        for field in ("summary", "body"):
            record[field] = work.session.redact(str(record.get(field) or ""))
        draft = draft._replace(record=record)
        text = f"{record['summary']}\n{record['body']}"
        if not is_wanted(work, str(record["kind"])):
            work.note("skipped", reason=f"kinds.{record['kind']} is off", why=draft.why)
            continue
        # Certain drafts need no check, and signals are checked where they are detected. Everything
        # else must be memorable.
        is_checked = draft.is_certain or draft.why.startswith((SIGNAL, SUMMARY))
        if not is_checked and not is_memorable(text):
            work.note("skipped", reason="not memorable", why=draft.why)
            continue
        if work.session.is_rejected(fingerprint(text)):
            work.note("skipped", reason="rejected earlier", why=draft.why)
            continue
        source = next(
            (doc.name for doc in work.session.project_documents() if said_in(text, doc.text)), None
        )
        if source is not None:
            work.note("skipped", reason=f"already in {source}", why=draft.why)
            continue
        if pending is None:
            pending = work.session.pending_suggestions()
        known = [
            Known(m.uid, f"{m.summary}\n{m.text}") for m in work.session.similar(text, _SIMILAR)
        ]
        others = [Known("", f"{d.record['summary']}\n{d.record['body']}") for d in certain]
        like = judge(text, known)
        if like.verdict == DUPLICATE:
            work.session.note_repeated([like.like])
            work.note("skipped", reason="already remembered", uids=[like.like], why=draft.why)
        elif judge(text, [*pending, *others]).verdict in (DUPLICATE, NEAR):
            work.note("skipped", reason="already suggested", why=draft.why)
        elif draft.is_certain and automatic and like.verdict != NEAR:
            certain.append(draft)
        else:
            updates = like.like if like.verdict == NEAR else None
            work.session.suggest(
                record, confidence=draft.confidence, why=draft.why, updates=updates
            )
            pending.append(Known("", text))
            work.note("suggested", why=draft.why, confidence=round(draft.confidence, 2))
    if certain:
        named = {work.session.derive_nonce(d.record, n): d.record for n, d in enumerate(certain)}
        captured = work.session.capture(named)
        work.session.mark_known(work.event.context, captured)
        work.note(
            "captured",
            uids=[memory.uid for memory in captured],
            pending=len(certain) - len(captured),
        )


def is_memorable(text: str) -> bool:
    """Whether the words of a text make it worth remembering."""
    from recollect.capture.observations import GATE, memorability

    return memorability(text) >= GATE

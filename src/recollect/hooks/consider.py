"""Decides what happens to a draft: captured, kept unconfirmed or skipped, with a trace line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.capture.novelty import DUPLICATE, NEAR, SUPERSEDES, Known, judge, said_in
from recollect.capture.unconfirmed import SAID_AGAIN
from recollect.core.age import seconds_since
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.names import short
from recollect.core.note import summarize
from recollect.core.status import ACTIVE, UNCONFIRMED
from recollect.hooks.notify import KEPT, tell
from recollect.hooks.pipeline import Work
from recollect.hosts.protocol import PRE_COMPACT, PROMPT, STOP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SIMILAR = 8  # memories to compare a draft with
# Seconds after which the same words are said again, and not read again.
_LATER = 60.0
SIGNAL = "signal: "
SUMMARY = "session summary"
CHECKPOINT = "checkpoint"


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
        "provenance": {
            "said_by": said_by,
            "via": via,
            "hook": work.event.name,
            "host": work.event.host,
        },
    }


def draft_of(work: Work, kind: str, text: str, said_by: str, via: str) -> dict[str, Any]:
    """Make a record of a kind from a text."""
    summary, body = summarize(text)
    return {"kind": kind, "summary": summary, "body": body, **origin(work, said_by, via)}


def consider(work: Work, drafts: Sequence[Draft]) -> None:
    """Capture new drafts, confirmed or not, under a lock so that two sessions do it once."""
    if drafts:
        with work.session.locked():
            _consider_locked(work, drafts)


def _only_answers(record: Mapping[str, Any]) -> bool:
    """Whether a person says no more than what to do with what the agent named."""
    from recollect.capture.hearsay import only_answers

    origin = record.get("provenance") or {}
    return origin.get("said_by") == "user" and only_answers(str(record["summary"]))


def _own_words(record: Mapping[str, Any], text: str) -> str:
    """Return a text without the commands that a tool ran: a person names these in any prompt."""
    if (record.get("provenance") or {}).get("said_by") != "tool":
        return text
    from recollect.capture.sentences import without_code

    return without_code(text)


def _consider_locked(work: Work, drafts: Sequence[Draft]) -> None:
    """Redact each draft, compare it with what is known, decide, and trace the decision."""
    from recollect.capture.suggestions import COMPACTION

    certain: list[Draft] = []
    pending: list[Known] | None = None
    automatic = str(work.session.setting("capture.mode")) == "auto"
    compacting_first = work.event.name == PRE_COMPACT and work.session.setting(
        "compaction.prompt_first"
    )
    for draft in drafts:
        record = dict(draft.record)
        for field in ("summary", "body"):
            record[field] = work.session.redact(str(record.get(field) or ""))
        draft = draft._replace(record=record)
        text = f"{record['summary']}\n{record['body']}"
        if not is_wanted(work, str(record["kind"])):
            work.note("skipped", reason=f"kinds.{record['kind']} is off", why=draft.why)
            continue
        # Certain drafts need no check, and talk was rated by the detection model. Everything
        # else must be memorable.
        is_checked = draft.is_certain or draft.why.startswith((SIGNAL, SUMMARY, CHECKPOINT))
        if not is_checked and not is_memorable(work, text):
            work.note("skipped", reason="not memorable", why=draft.why)
            continue
        if _only_answers(record):
            work.note("skipped", reason="it only answers a question", why=draft.why)
            continue
        if work.session.is_unkept(_own_words(record, text)):
            work.note("skipped", reason="you asked not to keep it", why=draft.why)
            continue
        if work.session.is_rejected(text):
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
        similar = [m for m in work.session.similar(text, _SIMILAR) if work.session.swallows(m)]
        known = [Known(m.uid, f"{m.summary}\n{m.text}") for m in similar]
        others = [Known("", f"{d.record['summary']}\n{d.record['body']}") for d in certain]
        like = judge(text, known)
        if like.verdict == DUPLICATE and _confirms(
            work, draft, next(m for m in similar if m.uid == like.like), automatic=automatic
        ):
            continue
        if like.verdict == DUPLICATE:
            work.session.note_repeated([like.like])
            work.note("skipped", reason="already remembered", uids=[like.like], why=draft.why)
        elif like.verdict != SUPERSEDES and (stored := _stored(work, text, similar)):
            work.session.note_repeated(stored)
            work.note("skipped", reason="the agent wrote it down", uids=stored, why=draft.why)
        elif judge(text, [*pending, *others]).verdict in (DUPLICATE, NEAR):
            work.note("skipped", reason="already suggested", why=draft.why)
        elif draft.is_certain and automatic and like.verdict not in (NEAR, SUPERSEDES):
            certain.append(draft)
        else:
            updates = like.like if like.verdict in (NEAR, SUPERSEDES) else None
            reverses = work.session.reversed_by(record, similar)
            if compacting_first:
                held = {**record, "provenance": {**record["provenance"], "via": COMPACTION}}
                work.session.suggest_for_review(
                    held, confidence=draft.confidence, why=draft.why, updates=updates
                )
                pending.append(Known("", text))
                work.note("suggested", why=draft.why, confidence=round(draft.confidence, 2))
                continue
            noticed = work.session.suggest(
                record,
                confidence=draft.confidence,
                why=draft.why,
                updates=updates,
                reverses=reverses,
            )
            if noticed is not None:
                work.noticed.append(noticed)
            if noticed is not None and reverses:
                work.note("reverses", uids=[old.uid for old in reverses])
                if scratched := work.session.scratch(noticed, reverses):
                    work.note("superseded", uids=[old.uid for old in scratched])
            pending.append(Known("", text))
            # `updates` is the memory that it may supersede once somebody accepts it.
            also = {"uids": [updates]} if updates else {}
            work.note("unconfirmed", why=draft.why, confidence=round(draft.confidence, 2), **also)
    if certain:
        named = {work.session.derive_nonce(d.record, n): d.record for n, d in enumerate(certain)}
        captured = list(work.session.capture(named).values())
        work.session.mark_known(work.event.context, captured)
        for memory in captured if work.event.name in (PROMPT, STOP) else ():
            tell(work, KEPT, f"remembered as {short(memory.id)}")
        work.note(
            "captured",
            uids=[memory.uid for memory in captured],
            pending=len(certain) - len(captured),
        )


def _stored(work: Work, text: str, similar: Sequence[Memory]) -> list[str]:
    """Return what the agent wrote from the same talk, and a text of the transcript restates.

    What a person types now is newer than that, and may change it.
    """
    if work.event.name == PROMPT:
        return []
    from recollect.capture.restating import restates

    return [
        m.uid
        for m in similar
        if m.status == ACTIVE and m.provenance.get("said_by") == "agent"
        if m.session == work.event.session and restates(text, f"{m.summary}\n{m.text}")
    ]


def _confirms(work: Work, draft: Draft, known: Memory, *, automatic: bool) -> bool:
    """Whether a draft confirms the unconfirmed memory that it repeats; if so, confirm it.

    Only what a person types counts. A stop reads the same words again in the transcript, and a hook
    that is repeated after a crash sees the same prompt again: hence the wait.
    """
    if known.status != UNCONFIRMED or work.event.name != PROMPT:
        return False
    passed = seconds_since(known.created, work.session.now())
    waited = passed is not None and passed >= _LATER
    if not waited and not (draft.is_certain and automatic):
        return False
    confirmed = work.session.confirm(known.uid, SAID_AGAIN)
    if confirmed is None:
        return False
    work.kept.append(confirmed)
    work.note("confirmed", why=SAID_AGAIN, uids=[confirmed.uid])
    tell(work, KEPT, f"confirmed as {short(confirmed.id)}, because you said it again")
    return True


def is_memorable(work: Work, text: str) -> bool:
    """Whether the words of a text make it worth remembering."""
    return memorability_of(work, text) >= float(work.session.setting("memorability.threshold"))


def memorability_of(work: Work, text: str) -> float:
    """Rate a text with the weights that the user has set."""
    from recollect.capture.observations import memorability
    from recollect.core.fields import OBSERVATION_TYPES

    setting = work.session.setting
    weights = {name: float(setting(f"memorability.weights.{name}")) for name in OBSERVATION_TYPES}
    return memorability(text, weights=weights)

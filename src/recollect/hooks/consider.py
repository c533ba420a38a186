"""What becomes of a draft: kept, suggested or skipped, each with a line in the trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from recollect.capture.novelty import DUPLICATE, NEAR, Known, fingerprint, judge, said_in
from recollect.core.note import summarize
from recollect.hooks.pipeline import Work

_LOOK_AT = 8
# How a changed file is told among what a session reached.
FILE = "changed "
SIGNAL = "signal: "
SUMMARY = "a session's summary"


class Draft(NamedTuple):
    """Something that was noticed: what would be kept, how certain that is, and where it is from."""

    record: Mapping[str, Any]
    confidence: float
    is_certain: bool
    why: str


def is_wanted(work: Work, kind: str) -> bool:
    """Whether memories of a kind may be noticed."""
    return all(work.session.setting(f"kinds.{kind}.{key}") for key in ("enabled", "auto_capture"))


def is_on(work: Work) -> bool:
    """Whether anything is to be noticed at all."""
    return str(work.session.setting("capture.mode")) != "off"


def origin(work: Work, said_by: str, via: str) -> dict[str, Any]:
    """The fields of a memory that say where it is from."""
    return {
        "session": work.event.session or None,
        "provenance": {"said_by": said_by, "via": via, "hook": work.event.name},
    }


def draft_of(work: Work, kind: str, text: str, said_by: str, via: str) -> dict[str, Any]:
    """A text as a memory of a kind."""
    summary, body = summarize(text)
    return {"kind": kind, "summary": summary, "body": body, **origin(work, said_by, via)}


def consider(work: Work, drafts: Sequence[Draft]) -> None:
    """Keep or suggest what is new. Two sessions that hear the same must not both keep it."""
    if drafts:
        with work.session.locked():
            _consider_alone(work, drafts)


def _consider_alone(work: Work, drafts: Sequence[Draft]) -> None:
    """Redact, compare with what is known, then decide; every decision leaves a line."""
    certain: list[Draft] = []
    waiting: list[Known] | None = None
    automatic = str(work.session.setting("capture.mode")) == "auto"
    for draft in drafts:
        record = dict(draft.record)
        for field in ("summary", "body"):
            record[field] = work.session.redact(str(record.get(field) or ""))
        draft = draft._replace(record=record)
        text = f"{record['summary']}\n{record['body']}"
        if not is_wanted(work, str(record["kind"])):
            work.note("skipped", reason=f"{record['kind']} is switched off", why=draft.why)
            continue
        # What a person typed is sure by its words; everything else must be memorable, and signals
        # of the agent have been looked at.
        is_sure = draft.is_certain or draft.why.startswith((SIGNAL, SUMMARY))
        if not is_sure and not is_memorable(text):
            work.note("skipped", reason="not memorable", why=draft.why)
            continue
        if work.session.is_rejected(fingerprint(text)):
            work.note("skipped", reason="rejected before", why=draft.why)
            continue
        said = next((doc.name for doc in work.session.documents() if said_in(text, doc.text)), None)
        if said is not None:
            work.note("skipped", reason=f"{said} says it already", why=draft.why)
            continue
        if waiting is None:
            waiting = work.session.suggested()
        known = [
            Known(m.uid, f"{m.summary}\n{m.text}") for m in work.session.similar(text, _LOOK_AT)
        ]
        others = [Known("", f"{d.record['summary']}\n{d.record['body']}") for d in certain]
        like = judge(text, known)
        if like.verdict == DUPLICATE:
            work.session.touch([like.like])
            work.note("skipped", reason="known already", uids=[like.like], why=draft.why)
        elif judge(text, [*waiting, *others]).verdict in (DUPLICATE, NEAR):
            work.note("skipped", reason="suggested already", why=draft.why)
        elif draft.is_certain and automatic and like.verdict != NEAR:
            certain.append(draft)
        else:
            updates = like.like if like.verdict == NEAR else None
            work.session.suggest(
                record, confidence=draft.confidence, why=draft.why, updates=updates
            )
            waiting.append(Known("", text))
            work.note("suggested", why=draft.why, confidence=round(draft.confidence, 2))
    if certain:
        named = {work.session.identify(d.record, n): d.record for n, d in enumerate(certain)}
        kept = work.session.keep(named)
        work.session.know(work.event.context, kept)
        work.note("kept", uids=[memory.uid for memory in kept], waiting=len(certain) - len(kept))


def is_memorable(text: str) -> bool:
    """Whether a text is worth a place in memory, by its words alone."""
    from recollect.capture.observations import GATE, memorability

    return memorability(text) >= GATE

"""The stages that notice what matters by themselves, as far as `capture.mode` lets them.

Everything goes one way: detect, redact, gate, novelty, decide. Whatever is not certain enough to be
kept is suggested, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recollect.core.marks import without_own_text
from recollect.hooks.consider import (
    FILE,
    SIGNAL,
    SUMMARY,
    Draft,
    consider,
    draft_of,
    is_memorable,
    is_on,
    is_wanted,
    origin,
)
from recollect.hooks.pipeline import Work
from recollect.hooks.talk import Talk
from recollect.hosts import protocol as events

if TYPE_CHECKING:
    from recollect.capture.triage import Finding

# Seed A: what a session's end or a compaction may bring, and how certain it must be.
_AT_PROMPT, _AT_STOP, _AT_COMPACTION = (3, 0.70), (5, 0.70), (3, 0.85)
# How what the agent says it has done is told among what a session reached.
DONE = "done: "
# Below this a finding of triage rests on single words, and half of those are junk: an agent that
# drafts can tell, a queue of suggestions cannot.
_TRIAGE_SURE = 0.6
_CORRECTED = SIGNAL + "correction"


def notice_prompt(work: Work) -> None:
    """Signals in what a person typed."""
    if is_on(work):
        from recollect.capture.outcomes import goal_of, is_prompt

        text = without_own_text(work.event.text)
        if is_prompt(text):
            work.session.note_goal(goal_of(text))
        consider(work, _signals(work, [("user", text)], _AT_PROMPT))


def notice_talk(work: Work) -> None:
    """Signals in what was said since the last time, by a person or by the agent."""
    if not is_on(work):
        return
    talk = work.session.talk()
    _notice_talk(work, talk)
    if work.event.name == events.STOP:
        _note_outcome(work, talk)
    work.session.heard()


def _notice_talk(work: Work, talk: Talk) -> None:
    said = talk.said or [("assistant", without_own_text(work.event.text))]
    compacting = work.event.name == events.PRE_COMPACT
    consider(work, _signals(work, said, _AT_COMPACTION if compacting else _AT_STOP))
    mode = str(work.session.setting("triage.mode"))
    if mode == "off" or not talk.said:
        return
    done = work.session.worked(talk)
    if compacting:
        return
    recent = talk.said[-min(200, max(1, int(work.session.setting("triage.max_messages")))) :]
    if not _triage(work, recent, done):
        return
    clean = [(role, work.session.redact(text)) for role, text in recent]
    findings = _triage(work, clean, done)
    work.note("triage", categories=[finding.category for finding in findings])
    if mode == "draft":
        from recollect.hooks.drafting import ask_to_draft

        ask_to_draft(work, findings, clean)
    else:
        consider(work, _worth_suggesting(work, findings))


def _triage(work: Work, said: Sequence[tuple[str, str]], done: Talk) -> list[Finding]:
    from recollect.capture.triage import DRAFTED, triage

    thresholds = {
        category: float(work.session.setting(f"kinds.{kind}.triage_threshold"))
        for category, kind in DRAFTED.items()
    }
    tools, distinct = sum(done.tools.values()), len(done.tools)
    found = triage(
        said, tools=tools, exchanges=done.exchanges, distinct=distinct, thresholds=thresholds
    )
    return [finding for finding in found if is_wanted(work, finding.kind)]


def _worth_suggesting(work: Work, findings: Sequence[Finding]) -> list[Draft]:
    """What somebody who was not there can make sense of."""
    from recollect.capture.triage import is_whole

    return [
        Draft(
            draft_of(work, finding.kind, finding.snippet, "agent", "triage"),
            min(finding.score, 0.9),
            False,
            f"triage: {finding.category}",
        )
        for finding in findings
        if finding.score >= _TRIAGE_SURE and is_whole(finding)
    ]


def notice_tool(work: Work) -> None:
    """What a tool taught."""
    if is_on(work):
        from recollect.hooks.notice_tools import look_at_tool

        look_at_tool(work)


def _note_outcome(work: Work, talk: Talk) -> None:
    """What the agent says that it has done, where it did something; for the session's summary."""
    from recollect.capture.outcomes import outcome_of

    if len(talk.said) > 1 and not talk.wrote:
        return
    done = outcome_of(work.session.redact(without_own_text(work.event.text)))
    if done:
        work.session.reached(DONE + done)


def sum_up(work: Work) -> None:
    """What earlier sessions did, each in one memory, now that they have ended."""
    if not is_on(work):
        return
    for session, goal, reached in work.session.unsummarised():
        from recollect.capture.checkpoints import session_summary

        files, done = (
            [what.removeprefix(mark) for what in reached if what.startswith(mark)]
            for mark in (FILE, DONE)
        )
        checkpoints = [what for what in reached if not what.startswith((FILE, DONE))]
        record = session_summary([goal], files, checkpoints, done) if goal else None
        if record is not None:
            record = {**record, **origin(work, "agent", "session"), "session": session}
            _consider_summary(work, record, float(record["confidence"]))
        work.session.summed(session)


def _consider_summary(work: Work, record: Mapping[str, Any], sure: float) -> None:
    """Keep a summary that surely tells what a session was about, suggest one that may."""
    if sure >= float(work.session.setting("capture.suggest_threshold")):
        certain = sure >= float(work.session.setting("capture.auto_threshold"))
        consider(work, [Draft(record, sure, certain, SUMMARY)])
    else:
        work.note("skipped", reason="it tells little of the session", why=SUMMARY)


def _signals(work: Work, said: Iterable[tuple[str, str]], limits: tuple[int, float]) -> list[Draft]:
    """The strongest signals of a talk, as drafts."""
    from recollect.capture.decide import Action, decide, draft
    from recollect.capture.signal_rules import EXPLICIT
    from recollect.capture.signals import MAX_TYPED, detect

    auto = float(work.session.setting("capture.auto_threshold"))
    suggest = float(work.session.setting("capture.suggest_threshold"))
    most, least = limits
    found = []
    said = list(said)
    for role, text in said:
        agent = role == "assistant"
        # What is found is cut, and half a secret is not found any more: redact, then look again.
        hears = detect(text, by_agent=agent)
        for signal in detect(work.session.redact(text), by_agent=agent) if hears else ():
            action = decide(signal, auto=auto, suggest=suggest)
            must = (agent or len(text) > MAX_TYPED) and signal.type != EXPLICIT
            if must and not is_memorable(signal.sentence):
                work.note("skipped", reason="not memorable", why=SIGNAL + signal.type)
            elif action != Action.SKIP and signal.confidence >= least:
                via = "request" if signal.type == EXPLICIT and not agent else "signal"
                record = {**draft(signal), **origin(work, _speaker(role), via)}
                found.append(
                    Draft(record, signal.confidence, action == Action.AUTO, SIGNAL + signal.type)
                )
    found += _corrections(work, said)
    found.sort(key=lambda item: -item.confidence)
    return found[:most]


def _corrections(work: Work, said: Sequence[tuple[str, str]]) -> list[Draft]:
    """What a person had to tell the agent."""
    from recollect.capture.corrections import corrections
    from recollect.capture.decide import draft

    if not corrections(said):
        return []
    clean = [(role, work.session.redact(text)) for role, text in said]
    return [
        Draft({**draft(one), **origin(work, "user", "signal")}, one.confidence, False, _CORRECTED)
        for one in corrections(clean)
    ]


def _speaker(role: str) -> str:
    return "agent" if role == "assistant" else "user"

"""Stages that capture without a marker, if `capture.mode` allows it.

Every draft takes the same path: detect, redact, gate, compare, decide. A draft that is not certain
enough to capture is suggested, once.
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
from recollect.hooks.conversation import Conversation
from recollect.hooks.pipeline import Work
from recollect.hosts import protocol as events

if TYPE_CHECKING:
    from recollect.capture.triage import Finding

# The maximum number of drafts per event, and their minimum confidence.
_AT_PROMPT, _AT_STOP, _AT_COMPACTION = (3, 0.70), (5, 0.70), (3, 0.85)
# Prefix of an outcome, as the agent reports it, among the milestones of a session.
DONE = "done: "
# Below this score a finding rests on single words, and half of those are junk. A drafting agent can
# tell them apart; a queue of suggestions cannot.
_TRIAGE_SURE = 0.6
_CORRECTED = SIGNAL + "correction"


def notice_prompt(work: Work) -> None:
    """Look for signals in what a person typed."""
    if is_on(work):
        from recollect.capture.outcomes import goal_of, is_prompt

        text = without_own_text(work.event.text)
        if is_prompt(text):
            work.session.note_goal(goal_of(text))
        consider(work, _signals(work, [("user", text)], _AT_PROMPT))


def notice_conversation(work: Work) -> None:
    """Look for signals in the messages since the last time, of the person and the agent."""
    if not is_on(work):
        return
    conversation = work.session.read_conversation()
    _notice_conversation(work, conversation)
    if work.event.name == events.STOP:
        _note_outcome(work, conversation)
    work.session.mark_read()


def _notice_conversation(work: Work, conversation: Conversation) -> None:
    messages = conversation.messages or [("assistant", without_own_text(work.event.text))]
    compacting = work.event.name == events.PRE_COMPACT
    consider(work, _signals(work, messages, _AT_COMPACTION if compacting else _AT_STOP))
    mode = str(work.session.setting("triage.mode"))
    if mode == "off" or not conversation.messages:
        return
    done = work.session.add_work(conversation)
    if compacting:
        return
    most = min(200, max(1, int(work.session.setting("triage.max_messages"))))
    recent = conversation.messages[-most:]
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


def _triage(work: Work, messages: Sequence[tuple[str, str]], done: Conversation) -> list[Finding]:
    from recollect.capture.triage import KIND_OF_CATEGORY, triage

    thresholds = {
        category: float(work.session.setting(f"kinds.{kind}.triage_threshold"))
        for category, kind in KIND_OF_CATEGORY.items()
    }
    tools, distinct = sum(done.tools.values()), len(done.tools)
    found = triage(
        messages, tools=tools, exchanges=done.exchanges, distinct=distinct, thresholds=thresholds
    )
    return [finding for finding in found if is_wanted(work, finding.kind)]


def _worth_suggesting(work: Work, findings: Sequence[Finding]) -> list[Draft]:
    """Make drafts of the findings that make sense without the conversation."""
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
    """Learn from the result of a tool."""
    if is_on(work):
        from recollect.hooks.notice_tools import learn_from_tool

        learn_from_tool(work)


def _note_outcome(work: Work, conversation: Conversation) -> None:
    """Record what the agent says it has done, for the summary of the session."""
    from recollect.capture.outcomes import outcome_of

    if len(conversation.messages) > 1 and not conversation.wrote:
        return
    done = outcome_of(work.session.redact(without_own_text(work.event.text)))
    if done:
        work.session.note_milestone(DONE + done)


def summarise_sessions(work: Work) -> None:
    """Write one memory for each earlier session that has ended without a summary."""
    if not is_on(work):
        return
    for session, goal, milestones in work.session.unsummarised():
        from recollect.capture.checkpoints import session_summary

        files, done = (
            [what.removeprefix(mark) for what in milestones if what.startswith(mark)]
            for mark in (FILE, DONE)
        )
        checkpoints = [what for what in milestones if not what.startswith((FILE, DONE))]
        record = session_summary([goal], files, checkpoints, done) if goal else None
        if record is not None:
            record = {**record, **origin(work, "agent", "session"), "session": session}
            _consider_summary(work, record, float(record["confidence"]))
        work.session.mark_summarised(session)


def _consider_summary(work: Work, record: Mapping[str, Any], confidence: float) -> None:
    """Capture, suggest or skip the summary of a session, by its confidence."""
    if confidence >= float(work.session.setting("capture.suggest_threshold")):
        certain = confidence >= float(work.session.setting("capture.auto_threshold"))
        consider(work, [Draft(record, confidence, certain, SUMMARY)])
    else:
        work.note("skipped", reason="it says too little about the session", why=SUMMARY)


def _signals(
    work: Work, messages: Iterable[tuple[str, str]], limits: tuple[int, float]
) -> list[Draft]:
    """Make drafts of the strongest signals in some messages."""
    from recollect.capture.decide import Action, decide, draft
    from recollect.capture.signal_rules import EXPLICIT
    from recollect.capture.signals import MAX_TYPED, detect

    auto = float(work.session.setting("capture.auto_threshold"))
    suggest = float(work.session.setting("capture.suggest_threshold"))
    most, least = limits
    found = []
    messages = list(messages)
    for role, text in messages:
        agent = role == "assistant"
        # A signal is cut out of the text, and redaction would miss half a secret: redact the whole
        # text, then detect again.
        has_signal = detect(text, by_agent=agent)
        for signal in detect(work.session.redact(text), by_agent=agent) if has_signal else ():
            action = decide(signal, auto=auto, suggest=suggest)
            needs_gate = (agent or len(text) > MAX_TYPED) and signal.type != EXPLICIT
            if needs_gate and not is_memorable(signal.sentence):
                work.note("skipped", reason="not memorable", why=SIGNAL + signal.type)
            elif action != Action.SKIP and signal.confidence >= least:
                via = "request" if signal.type == EXPLICIT and not agent else "signal"
                record = {**draft(signal), **origin(work, _speaker(role), via)}
                found.append(
                    Draft(record, signal.confidence, action == Action.AUTO, SIGNAL + signal.type)
                )
    found += _corrections(work, messages)
    found.sort(key=lambda item: -item.confidence)
    return found[:most]


def _corrections(work: Work, messages: Sequence[tuple[str, str]]) -> list[Draft]:
    """Make drafts of what a person had to correct."""
    from recollect.capture.corrections import corrections
    from recollect.capture.decide import draft

    if not corrections(messages):
        return []
    clean = [(role, work.session.redact(text)) for role, text in messages]
    return [
        Draft({**draft(one), **origin(work, "user", "signal")}, one.confidence, False, _CORRECTED)
        for one in corrections(clean)
    ]


def _speaker(role: str) -> str:
    return "agent" if role == "assistant" else "user"

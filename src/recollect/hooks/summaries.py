"""Summaries of sessions: what the log of a session gets, and one memory for each session.

Prompts and answers are logged at their own events. What such an event had no time for is logged
when the transcript is read, at the end of the turn or at the start of a later session.
"""

from __future__ import annotations

from recollect.core.age import seconds_of
from recollect.core.marks import without_own_text
from recollect.core.memory import Memory
from recollect.hooks.consider import SUMMARY, is_on, is_wanted, origin
from recollect.hooks.pipeline import Work
from recollect.hooks.unkept import answered
from recollect.hosts.protocol import COMMAND, PROMPT, STOP, TOOL_FAILURE
from recollect.state.session_log import Due
from recollect.state.session_marks import DONE, TESTS_FAIL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.hooks.conversation import Conversation

_AT_ONCE = 3  # summaries at one start; the others wait for the next
_MAY_RUN = 3600.0  # seconds without an event after which a session hardly still runs


def note_prompt(work: Work, text: str, kept: str) -> None:
    """Log a prompt: the goal of the session, or a correction of the last turn.

    `kept` is the text without what must not be kept.
    """
    from recollect.capture.outcomes import correction_of
    from recollect.capture.retractions import takes_back

    if takes_back(text) and work.session.has_earlier_turn(text):
        work.session.take_back(correction_of(kept), commits=True)
        work.note("took back what was reported as done", reason="the prompt corrects it")
    work.session.note_turn(text)
    _note_goal(work, kept)


def _note_goal(work: Work, kept: str) -> None:
    """Log what a session is for: neither a wish nor what somebody else thinks."""
    from recollect.capture.hearsay import without_hearsay
    from recollect.capture.outcomes import goal_of

    if _is_goal(kept):
        own = _without_wishes(without_hearsay(kept))
        if _is_goal(own):
            work.session.note_goal(goal_of(own))


def note_check(work: Work) -> None:
    """Log that tests failed: a session that ends red is no success."""
    if not is_on(work) or work.event.action != COMMAND:
        return
    from recollect.capture.checkpoints import tests_failed

    event = work.event
    output = f"{event.output}\n{event.error}" if event.name == TOOL_FAILURE else event.output
    if tests_failed(event.action, event.command, output):
        work.session.note_milestone(TESTS_FAIL)


def note_turns(work: Work, conversation: Conversation, clean: Conversation) -> None:
    """Log what the agent says it has done and what is left, and what lost prompts said.

    `clean` is the conversation without what must not be kept.
    """
    from recollect.capture.retractions import takes_back

    messages = list(clean.messages)
    typed = [text for _, text in conversation.messages]
    if not messages and work.event.name == STOP:
        messages = [("assistant", answered(work, without_own_text(work.event.text)))]
    # A report counts if the turn changed something, or if nothing is known about the turn.
    counts = conversation.wrote or len(messages) <= 1
    reported: list[str] = []
    answer = ""
    for number, (role, text) in enumerate(messages):
        if role == "assistant":
            answer = text if not answer else f"{answer}\n\n{text}"
            continue
        reported += _done(work, answer) if counts else []
        is_first = not any(who == "user" for who, _ in messages[:number])
        if takes_back(text):
            reported = []
        if not work.session.knows_turn(typed[number]):
            _note_lost_prompt(work, typed[number], text, is_first=is_first)
        answer = ""
    reported += _done(work, answer) if counts else []
    for done in dict.fromkeys(reported):
        from recollect.hooks.checkpoints import note_milestone

        note_milestone(work, DONE + done)
    _note_open(work, answer, did_something=bool(conversation.tools))


def _note_lost_prompt(work: Work, text: str, kept: str, *, is_first: bool) -> None:
    """Log a prompt whose own hook had no time."""
    from recollect.capture.outcomes import correction_of
    from recollect.capture.retractions import takes_back

    if is_first and takes_back(text) and work.session.has_earlier_turn(text):
        # Commits since then belong to the turn that follows the correction.
        work.session.take_back(correction_of(kept), commits=False)
    work.session.note_turn(text)
    _note_goal(work, kept)


def _done(work: Work, answer: str) -> list[str]:
    from recollect.capture.outcomes import outcome_of

    done = outcome_of(work.session.redact(answer)) if answer else ""
    return [done] if done else []


def _note_open(work: Work, answer: str, *, did_something: bool) -> None:
    """Log what the last answer says is left. An answer without work leaves what was left before."""
    from recollect.capture.open_items import open_items

    items = open_items(work.session.redact(answer)) if answer else []
    if items or (answer and did_something):
        work.session.note_open(items)


def _is_goal(text: str) -> bool:
    """Whether a prompt says what a session is for; a question or wish for the memory does not."""
    from recollect.capture.outcomes import is_prompt, is_wish
    from recollect.search.triggers import topicless

    return is_prompt(text) and not is_wish(text) and topicless(text) is None


def _without_wishes(text: str) -> str:
    """Return a prompt without the sentences that ask to keep something."""
    from recollect.capture.outcomes import without_wishes
    from recollect.hook_client import asks

    return without_wishes(text) if asks(PROMPT, text.encode("utf-8", "replace")) else text


# Writing


def summarise_sessions(work: Work) -> None:
    """Write or update one memory for each other session in which something happened."""
    if not is_on(work):
        return
    due = work.session.due_sessions()
    if not due:
        return
    with work.session.locked():  # two sessions that start at once write one summary
        due = work.session.due_sessions()
        for one in due[:_AT_ONCE]:
            try:
                _summarise(work, one)
                work.session.mark_summarised(one)
            except Exception as error:  # the others still need theirs; this one is tried again
                work.failures.append(error)
                work.note("failed", error=type(error).__name__, why=SUMMARY)
    if len(due) > _AT_ONCE:
        work.note("postponed", reason="more sessions to summarise", count=len(due) - _AT_ONCE)


def _summarise(work: Work, due: Due) -> None:
    from recollect.capture.session_summary import Story, says_something, summary_of

    session = work.session
    kept = session.kept_in(due.session)
    is_running = due.ended is None and session.now() - due.active < _MAY_RUN
    draft = summary_of(
        Story(
            session.goals_of(due.session),
            session.log_of(due.session),
            session.failures_of(due.session),
            [m.summary for m in kept if m.kind != "blockers"],
            [m.summary for m in kept if m.kind == "blockers" and m.status == "active"],
            is_running=is_running,
        )
    )
    drafted = session.drafted_summary(due.session)
    if drafted is not None:
        _correct_drafted(work, due, drafted, draft)
        return
    if draft is None or not says_something(draft):
        work.note("skipped", reason="it says too little about the session", why=SUMMARY)
        return
    if not is_wanted(work, str(draft["kind"])):
        work.note("skipped", reason=f"kinds.{draft['kind']} is off", why=SUMMARY)
        return
    record = {**draft, **origin(work, "agent", "session"), "session": due.session}
    known = session.summary_of(due.session)
    if known is not None:
        if session.update_summary(known, record):
            work.note("updated", uids=[known.uid], why=SUMMARY)
        return
    _write(work, due, record)


def _correct_drafted(work: Work, due: Due, drafted: Memory, own: dict[str, Any] | None) -> None:
    """Leave what the agent wrote as it is, except for what the person took back after it."""
    from recollect.capture.session_summary import without_taken_back

    written = {
        "summary": drafted.summary,
        "content": dict(drafted.content or {}),
        "files_modified": list(drafted.files_modified),
    }
    # What was taken back before, the agent knew when it wrote.
    since = seconds_of(drafted.created) or 0.0
    later = [(at, what) for at, what in work.session.log_of(due.session) if at >= since]
    record = without_taken_back(written, later, own)
    if record != written and work.session.update_summary(drafted, record):
        work.note("updated", reason="the person took some of it back", uids=[drafted.uid])
        return
    work.note("skipped", reason="the agent wrote the summary itself", why=SUMMARY)


def _write(work: Work, due: Due, record: dict[str, object]) -> None:
    """Capture or suggest the first summary of a session.

    It is not compared with other memories: each session has its own, and the one that starts needs
    it, so it does not count as known there.
    """
    if str(work.session.setting("capture.mode")) != "auto":
        confidence = float(str(record["confidence"]))
        work.session.suggest(record, confidence=confidence, why=SUMMARY, updates=None)
        work.note("suggested", why=SUMMARY, confidence=round(confidence, 2))
        return
    captured = list(work.session.capture({work.session.summary_nonce(due): record}).values())
    uids = [memory.uid for memory in captured]
    work.note("captured", uids=uids, pending=1 - len(uids), why=SUMMARY)

"""Stages that capture without a marker, if `capture.mode` allows it.

Every draft takes the same path: detect, redact, gate, compare, decide. A draft that is not certain
enough to capture is suggested, once.
"""

from __future__ import annotations

from recollect.core.marks import without_own_text
from recollect.hooks.consider import consider, is_on
from recollect.hooks.detection import drafts_in
from recollect.hooks.marked import keep_missed
from recollect.hooks.pipeline import Work
from recollect.hooks.session_observing import MOST_TRANSCRIPT
from recollect.hooks.summaries import note_prompt, note_turns
from recollect.hooks.unkept import answered, typed, without_unkept
from recollect.hosts import protocol as events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.hooks.conversation import Conversation

# The maximum number of drafts per event; more are postponed to the next event.
_AT_PROMPT, _AT_STOP = 3, 5
# The share of its time in which an event begins to read another part of the conversation.
_READING = 0.5


def notice_prompt(work: Work) -> None:
    """Notice what a person typed."""
    if is_on(work):
        kept = typed(work)
        note_prompt(work, without_own_text(work.event.text), kept)
        drafts = drafts_in(work, [("user", kept)], _AT_PROMPT).drafts
        if work.session.changed_by_prompt():
            from recollect.hooks.changes import change_drafts

            drafts = [*drafts, *change_drafts(work, kept, drafts)]
        consider(work, drafts)
        work.session.drop_taken()


def note_words(work: Work) -> None:
    """Record the words of a prompt as salted hashes, for a few minutes.

    With them, an agent can prove the user's word for a confirmation.
    """
    from recollect.capture.vouching import words_of

    words = words_of(without_own_text(work.event.text))
    if words:
        noticed = work.session.store.local.noticed
        noticed.note_prompt(work.event.session, words, work.session.now())


def notice_conversation(work: Work) -> None:
    """Notice what was said since the last time, by the person and the agent."""
    if is_on(work):
        notice_parts(work, _READING)
    else:
        work.session.skip_conversation()  # what is said now is not for later either


def notice_parts(work: Work, share: float, most: int = MOST_TRANSCRIPT) -> None:
    """Read the new messages, part by part, for a share of the time; the rest waits."""
    while True:
        conversation = work.session.read_conversation(most)
        keep_missed(work, conversation.messages)
        clean = without_unkept(work, conversation)
        _notice_conversation(work, clean)
        note_turns(work, conversation, clean)
        work.session.mark_read()
        if not conversation.more:
            return
        if not work.has_time(share):
            work.note("postponed", reason="no time to read all of the conversation")
            return


def _notice_conversation(work: Work, conversation: Conversation) -> None:
    messages = conversation.messages or [
        ("assistant", answered(work, without_own_text(work.event.text)))
    ]
    if work.event.again and work.session.was_just_asked():
        # The agent answers our request for drafts: that is about the memory, not about the work.
        messages = [said for said in messages if said[0] == "user"]
    compacting = work.event.name == events.PRE_COMPACT
    noticed = drafts_in(
        work,
        messages,
        int(work.session.setting("compaction.max_captures")) if compacting else _AT_STOP,
        failed=conversation.failed,
        recovered=conversation.recovered,
        worked=bool(conversation.tools),
    )
    consider(work, noticed.drafts)
    work.session.drop_taken()
    if conversation.messages:
        from recollect.hooks.drafting import triage_talk

        triage_talk(work, conversation, [*noticed.drafts, *noticed.weak])


def notice_tool(work: Work) -> None:
    """Learn from the result of a tool."""
    if is_on(work):
        from recollect.hooks.notice_tools import learn_from_tool

        learn_from_tool(work)


def notice_cited(work: Work) -> None:
    """Record which memories in the context the agent's answer uses."""
    from recollect.hooks import citing

    citing.notice_cited(work)


def notice_subagent(work: Work) -> None:
    """Learn from the last message of a subagent."""
    if is_on(work):
        from recollect.hooks.notice_reports import learn_from_subagent

        learn_from_subagent(work)


def notice_unsolved(work: Work) -> None:
    """Keep failures that nobody solved."""
    if is_on(work) and work.session.has_unsolved():
        from recollect.hooks.unsolved import keep_unsolved

        keep_unsolved(work)

"""Keeps out of everything what a person asks not to keep, and what the agent repeats of it."""

from __future__ import annotations

from recollect.core.marks import without_own_text
from recollect.hooks.notify import ALL, tell
from recollect.hooks.pipeline import Work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.capture.unkept import Parted
    from recollect.hooks.conversation import Conversation


NOT_KEPT = "not kept, as you asked."
ASKED_NOT_TO = "you asked not to keep it"
# One of these is in nearly every prompt that asks not to keep something. Without the engine, the
# model is not loaded for the others.
_WORDS = (
    *("n't", "not", "no ", "never", "nothing", "just", "only", "forget", "drop", "temp", "jok"),
    *("kidding", "today", "session", "between", "ignore", "scratch", "record", "private", "secret"),
    *("for now", "moment", "afterwards", "erase", "lol", "haha", "back to", "hypothe", "idle"),
    *("dont", "confiden", "wipe", "undo", "take ", "none"),
)


def typed(work: Work) -> str:
    """Return what a prompt says that may be kept; tell the user if that is not everything."""
    text = without_own_text(work.event.text)
    parted = _part(work, text)
    if parted.kept != text:
        why = {"by": work.session.redact(parted.why)} if parted.why else {}
        work.note("left out", reason=ASKED_NOT_TO, **why)
        tell(work, ALL, NOT_KEPT)
    return parted.kept


def answered(work: Work, text: str) -> str:
    """Return the lines of an answer that may be kept."""
    return "\n".join(line for line in text.split("\n") if not work.session.is_unkept(line))


def without_unkept(work: Work, conversation: Conversation) -> Conversation:
    """Return a conversation with as many messages, without what must not be kept."""
    # First what the person says: it decides what the agent repeats.
    said = [
        (role, _part(work, text).kept if role == "user" else text)
        for role, text in conversation.messages
    ]
    messages = [(role, text if role == "user" else answered(work, text)) for role, text in said]
    return conversation._replace(messages=messages)


def _part(work: Work, text: str) -> Parted:
    read = work.session.reader()
    if read is None and not any(map(text.lower().__contains__, _WORDS)):
        from recollect.capture.unkept import part

        parted = part(text)
    else:
        from recollect.capture.learned_unkept import part_prompt

        parted = part_prompt(text, read)
    if parted.unkept:
        work.session.note_unkept(parted.unkept)
    return parted

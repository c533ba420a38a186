"""Joins the last message in an event with the transcript; stores only salted hashes of it."""

from __future__ import annotations

from recollect.capture.last_message import Said, normal, with_last, without_counted
from recollect.core.marks import without_own_text
from recollect.hooks.session_state import salted_hash
from recollect.hosts.protocol import Event
from recollect.state.local import LocalState

Marks = tuple[str, str]


def join_last(local: LocalState, event: Event, said: list[Said]) -> tuple[list[Said], Marks]:
    """Return the messages with the last one included once, and the marks to store after reading."""
    salt = local.episodes.salt()

    def mark(text: str) -> str:
        return str(salted_hash(text, salt)) if text else ""

    ahead, whole = local.observed.last_message(event.session)
    if ahead:
        new = without_counted(said, lambda text: mark(text) == ahead)
        if len(new) < len(said):
            said, ahead = new, ""
    last = without_own_text(event.text)
    now = mark(normal(last))
    if not said and now == whole:  # the same stop again
        return said, (ahead, whole)
    joined = with_last(said, last)
    return joined.said, (mark(joined.ahead) or ahead, now)

"""Joins the last message in an event with the transcript; stores only salted hashes of it."""

from __future__ import annotations

from recollect.capture.last_message import Said, normal, with_last, without_counted
from recollect.core.marks import without_own_text
from recollect.hosts.protocol import STOP, Event
from recollect.state.local import LocalState
from recollect.state.salting import salted_hash

Marks = tuple[str, str]


def join_last(local: LocalState, event: Event, messages: list[Said]) -> tuple[list[Said], Marks]:
    """Return the messages with the last one included once, and the marks to store after reading."""
    salt = local.episodes.salt()

    def mark(text: str) -> str:
        return str(salted_hash(text, salt)) if text else ""

    ahead, whole = local.observed.last_message(event.session)
    if ahead:
        new = without_counted(messages, lambda text: mark(text) == ahead)
        if len(new) < len(messages):
            messages, ahead = new, ""
    if event.name != STOP:
        return messages, (ahead, whole)
    last = without_own_text(event.text)
    now = mark(normal(last))
    if not messages and now == whole:  # the same stop again
        return messages, (ahead, whole)
    joined = with_last(messages, last)
    return joined.said, (mark(joined.ahead) or ahead, now)

"""Joins the agent's last message, which the transcript may not contain yet.

The client sends the last message with the event and writes the transcript later. They are joined
here, so that the message counts when it is said, and only once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.core.named_tuple import NamedTuple

Said = tuple[str, str]  # role, text
_AGENT = "assistant"
# It is at the start of the new part, within a few lines.
_MOST_LINES = 8


class Joined(NamedTuple):
    """The conversation, and its end that the transcript does not contain yet."""

    said: list[Said]
    ahead: str = ""


def normal(text: str) -> str:
    """Remove the white space that may differ between event and transcript."""
    return " ".join(text.split())


def with_last(said: Sequence[Said], last: str) -> Joined:
    """Add the part of the last message that the transcript lacks."""
    found, wanted = list(said), normal(last)
    if not wanted:
        return Joined(found)
    recent: list[str] = []
    for role, text in reversed(found):
        if role != _AGENT:
            break
        recent.insert(0, normal(text))
    if " ".join(recent).endswith(wanted):
        return Joined(found)
    # One message has several transcript lines, and some of them may be there.
    for count in range(min(len(recent), _MOST_LINES), 0, -1):
        beginning = " ".join(recent[-count:]) + " "
        if wanted.startswith(beginning):
            return Joined([*found[:-count], (_AGENT, last)], wanted.removeprefix(beginning))
    return Joined([*found, (_AGENT, last)], wanted)


def without_counted(said: Sequence[Said], is_counted: Callable[[str], bool]) -> list[Said]:
    """Remove the message that was counted before the transcript contained it."""
    for start in range(min(len(said), _MOST_LINES)):
        joined = ""
        for end in range(start, min(len(said), start + _MOST_LINES)):
            role, text = said[end]
            if role != _AGENT:
                break
            joined = f"{joined} {normal(text)}".strip()
            if is_counted(joined):
                return [*said[:start], *said[end + 1 :]]
    return list(said)

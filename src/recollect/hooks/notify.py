"""Tells the user, in one line per turn, what was kept and what was noticed; and the agent, at once.

`notify` says which lines the user sees. Alarms are not affected: what was not saved is always told.

The agent does not see the user's lines. If it were told nothing, it would store again, in its own
words, what the user asks to keep. And where the words of a prompt leave open whether the user asks,
the agent can tell, because it understands them.
"""

from __future__ import annotations

from recollect.core.marks import in_guide
from recollect.core.names import short
from recollect.core.note import shorten_line
from recollect.core.patterns import pattern
from recollect.hosts import protocol as events
from recollect.hosts.registry import host_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recollect.core.memory import Memory
    from recollect.hooks.pipeline import Work

# What a line is about: something was kept for the user, or anything else.
KEPT, ALL = "kept", "all"
_PREFIX = "Recollect: "
_QUOTED = pattern(r' "[^"\n]{0,100}"(?=[,.;]|\Z)')
# Summaries that one line quotes, and how long each may be.
_MOST_QUOTED, _QUOTED_LENGTH = 2, 60
_MOST_NAMED = 3  # memories that a line for the agent names


def tell(work: Work, level: str, text: str) -> None:
    """Add a sentence to the line of this event, if the user wants to see that level."""
    wanted = str(work.session.setting("notify"))
    if wanted == ALL or (wanted == KEPT and level == KEPT):
        work.reply.notice.append(_PREFIX + text.removeprefix(_PREFIX))


def tell_noticed(work: Work) -> None:
    """Tell what became unconfirmed in this session and was not told yet, once per turn.

    If the turn has had its line, it waits for the next one.
    """
    noticed, session = work.session.store.local.noticed, work.event.session
    if work.event.name == events.PROMPT:
        work.reply.notice[:0] = noticed.begin_turn(session)
    elif noticed.had_line(session):
        # Local state holds no text of memories; the id is enough for a line that comes late.
        noticed.tell_later(session, [_QUOTED.sub("", line) for line in work.reply.notice])
        work.reply.notice.clear()
        work.reply.had_line = True
        return
    memories = work.session.untold()
    if memories:
        tell(work, ALL, _line_of(memories))
        noticed.mark_told([memory.uid for memory in memories])
    join_lines(work)
    if work.reply.notice:
        noticed.note_line(session, work.session.now())


def tell_agent(work: Work) -> None:
    """Name what a prompt made Recollect keep, and say how to confirm what was only noticed."""
    lines = []
    if work.kept:
        lines.append(f"Kept for the user, don't store it again: {_ids(work.kept)}")
    if work.noticed:
        lines.append(
            f"Noticed, not confirmed: {_ids(work.noticed)}. Only if the user asks here, in whatever"
            " words, to keep it for later: recollect review accept ID --user-said 'the exact words'"
        )
    if lines:
        work.reply.context.append(in_guide(lines))
        work.note("told the agent", kept=len(work.kept), noticed=len(work.noticed))


def _ids(memories: Sequence[Memory]) -> str:
    return ", ".join(short(memory.id) for memory in memories[:_MOST_NAMED])


def tell_waiting(work: Work) -> None:
    """Tell at the start of a session what waits for the user."""
    if work.event.source == "compact":
        return  # the same session goes on
    waiting = work.session.waiting()
    if waiting:
        in_agent = host_named(work.event.host).REVIEW
        hint = f"{in_agent} or: recollect review" if in_agent else "recollect review"
        tell(work, ALL, f"{waiting}. Review them with {hint}")


def offer_sync(work: Work) -> None:
    """Tell once that the remote has memories which this clone never got."""
    if not work.event.agent and (text := work.session.offer_sync()):
        tell(work, ALL, text)


def offer_learning(work: Work) -> None:
    """Offer once, in a repository with a past, to learn from it; a start has one line at most."""
    if (
        work.event.source == "startup"
        and not work.reply.notice
        and work.session.may_offer_learning()
    ):
        in_agent = host_named(work.event.host).LEARN
        hint = f"{in_agent} or: recollect learn" if in_agent else "recollect learn"
        tell(work, ALL, f"the history and docs here can fill the memory. To look, use {hint}")


def join_lines(work: Work) -> None:
    """Make one line of all lines of an event."""
    if str(work.session.setting("notify")) == "none":
        work.reply.notice.clear()
    if len(work.reply.notice) > 1:
        parts = [line.removeprefix(_PREFIX).rstrip(".") for line in work.reply.notice]
        work.reply.notice[:] = [_PREFIX + " · ".join(dict.fromkeys(parts))]


def _line_of(memories: list[Memory]) -> str:
    quoted = [
        f'"{shorten_line(memory.summary, _QUOTED_LENGTH)}"' for memory in memories[:_MOST_QUOTED]
    ]
    more = ", …" if len(memories) > _MOST_QUOTED else ""
    return f"noticed {len(memories)} (unconfirmed): {', '.join(quoted)}{more}"

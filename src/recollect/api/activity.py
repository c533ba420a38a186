"""What agents did with the memory: their sessions, and in which of them a memory was injected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from recollect.core.named_tuple import NamedTuple
from recollect.state.session_marks import TURN
from recollect.state.sessions import TITLE_OF, Span, Trace

if TYPE_CHECKING:
    from recollect.core.memory import Memory
    from recollect.store.store import Store

# More events than local state keeps.
_EVERY_TRACE = 1000
# The steps of a trace that say that an agent got something, and that something was kept.
_GIVEN = frozenset({"injected", "titles", "guided", "asked the agent to draft"})
_KEPT = frozenset({"captured", "unconfirmed", "confirmed", "restored"})


class Injection(NamedTuple):
    """A session that got a memory: when, whether as a title only, and whether it was used."""

    session: str
    at: float
    is_title: bool
    is_used: bool
    # Why it was chosen, if the event is still kept.
    reason: str = ""


class SessionSummary(NamedTuple):
    """A session of an agent: when it ran, its goal, and what it got from the memory."""

    id: str
    began: float
    # When something last happened in it, and when it ended, if it did.
    active: float
    ended: float | None
    goal: str = ""
    events: int = 0
    injected: int = 0
    kept: int = 0
    tokens: int = 0
    milliseconds: float = 0.0


class SessionReport(NamedTuple):
    """Everything that is known of one session: its events and its log, oldest first."""

    summary: SessionSummary
    traces: Sequence[Trace]
    log: Sequence[tuple[float, str]]
    # The memories that were captured in it.
    learnt: Sequence[Memory]


def tokens_given(traces: Iterable[Trace]) -> int:
    """Return how many tokens hooks put into the context of agents."""
    return sum(
        int(step.get("tokens") or 0)
        for trace in traces
        for step in trace.steps
        if step["what"] in _GIVEN
    )


class DaySpent(NamedTuple):
    """What hooks put into contexts on one day: tokens, memories, and how many of those were used.

    A memory counts as used if an answer in the same session repeated or named it.
    """

    day: str
    tokens: int = 0
    given: int = 0
    used: int = 0


def spending(store: Store) -> list[DaySpent]:
    """Return what hooks put into contexts, by day in local time, of the events that are kept."""
    traces = store.local.sessions.traces(_EVERY_TRACE)
    used = {
        (trace.session, uid)
        for trace in traces
        for step in trace.steps
        if step["what"] == "cited"
        for uid in step.get("uids") or ()
    }
    days: dict[str, DaySpent] = {}
    for trace in reversed(traces):
        day = f"{datetime.fromtimestamp(trace.at).astimezone():%Y-%m-%d}"
        given = [
            (trace.session, memory["uid"])
            for step in trace.steps
            if step["what"] == "injected"
            for memory in step["memories"]
        ]
        known = days.get(day, DaySpent(day))
        days[day] = DaySpent(
            day,
            known.tokens + tokens_given([trace]),
            known.given + len(given),
            known.used + sum(one in used for one in given),
        )
    return [days[day] for day in sorted(days)]


def injections(store: Store, memory_id: str) -> list[Injection]:
    """Return the sessions in which a memory was injected, the last one first."""
    uid = store.get(memory_id).uid
    found = store.local.sessions.contexts_of(uid)
    # The events are read once: a memory may have been given to many sessions.
    reasons = _reasons(store, uid) if found else {}
    return [
        Injection(
            given.context,
            given.at,
            given.version.startswith(TITLE_OF),
            given.is_cited,
            reasons.get(given.context.partition("/")[0], ""),
        )
        for given in found
    ]


def _reasons(store: Store, uid: str) -> dict[str, str]:
    """Return why a memory was last given to each session."""
    found: dict[str, str] = {}
    for trace in store.local.sessions.traces(_EVERY_TRACE):
        for step in trace.steps:
            if step["what"] == "injected":
                for memory in step["memories"]:
                    if memory["uid"] == uid and memory.get("reason"):
                        found.setdefault(trace.session, str(memory["reason"]))
    return found


def sessions(store: Store, limit: int = 50) -> list[SessionSummary]:
    """Return the last sessions of agents, the last active one first."""
    traces: dict[str, list[Trace]] = {}
    for trace in store.local.sessions.traces(_EVERY_TRACE):
        traces.setdefault(trace.session, []).append(trace)
    spans = {span.session: span for span in store.local.sessions.spans()}
    found = [
        _summary(store, session, spans.get(session), traces.get(session, ()))
        for session in spans.keys() | traces.keys()
        if session
    ]
    return sorted(found, key=lambda one: -one.active)[: max(0, limit)]


def session_report(store: Store, session: str) -> SessionReport | None:
    """Return what is known of a session; None if nothing is."""
    traces = store.local.sessions.traces(_EVERY_TRACE, session)[::-1]
    spans = [span for span in store.local.sessions.spans() if span.session == session]
    if not traces and not spans:
        return None
    log = [entry for entry in store.local.session_log.entries(session) if entry[1][:5] != TURN]
    learnt = store.memories(session=session, status="all", sensitivity="all")
    return SessionReport(
        _summary(store, session, spans[0] if spans else None, traces), traces, log, learnt
    )


def _summary(
    store: Store, session: str, span: Span | None, traces: Iterable[Trace]
) -> SessionSummary:
    events = list(traces)
    times = [trace.at for trace in events]
    steps = [step for trace in events for step in trace.steps]
    first = min([*times, *([span.began] if span is not None else [])])
    ended = span.ended if span is not None else None
    return SessionSummary(
        session,
        first,
        max([*times, first, ended or first]),
        ended,
        store.local.session_log.goal(session),
        events=len(events),
        injected=sum(len(step["memories"]) for step in steps if step["what"] == "injected"),
        kept=sum(step["what"] in _KEPT for step in steps),
        tokens=tokens_given(events),
        milliseconds=sum(trace.milliseconds for trace in events),
    )

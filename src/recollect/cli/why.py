"""`recollect why`: what the last hook events did, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import click

from recollect.api.recollect import Recollect
from recollect.cli.output import echo_json, json_option, opened
from recollect.state.sessions import Trace
from recollect.state.unfinished import ENDED, RAN_OUT

_MOST_NAMED = 3  # skipped memories that are named; `--json` has all
_SESSION = 8  # characters of a session's id that are shown
# How a step reads, if not by the name that stages give it.
_READS = {"captured": "kept", "suggested": "noticed"}
_NOT_SHOWN = ("what", "memories", "uids", "reason", "tokens", "pending", "count", "by")


@click.command()
@click.option("-n", "--limit", default=10, show_default=True, help="At most this many events.")
@click.option("--last", is_flag=True, help="Only the last event.")
@click.option("--session", metavar="ID", help="Only this session of an agent.")
@json_option
@click.pass_context
def why_command(
    ctx: click.Context, limit: int, last: bool, session: str | None, as_json: bool
) -> None:
    """Show what was kept, noticed, injected or skipped, and why.

    Events are listed by session, with their time of day. An event that ran out of time says so.
    """
    with opened(ctx) as store:
        traces = store.why(1 if last else limit, session)
        if as_json:
            echo_json([_as_json(trace, store) for trace in traces])
            return
        if not traces:
            click.echo(
                "No agent has run here yet. To set one up, see: recollect install --help", err=True
            )
        today = _moment(store.now()).date()
        shown: str | None = None
        for trace in reversed(traces):
            if trace.session != shown:
                shown = trace.session
                click.secho(f"Session {shown[:_SESSION] or '?'}", bold=True)
            at = _moment(trace.at)
            when = at.strftime("%H:%M:%S" if at.date() == today else "%Y-%m-%d %H:%M:%S")
            click.echo(f"  {when}  {trace.event}, {trace.milliseconds:.0f} ms")
            for step in trace.steps:
                for line in _lines(step, trace, store):
                    click.echo(f"    {line}")


def _moment(at: float) -> datetime:
    """Return a time as a local one."""
    return datetime.fromtimestamp(at).astimezone()


def _lines(step: Mapping[str, Any], trace: Trace, store: Recollect) -> Iterator[str]:
    """Describe what one stage recorded."""
    if step["what"] == RAN_OUT:
        yield _ran_out(step, trace)
        return
    memories = step.get("memories")
    is_scored = isinstance(memories, list)
    named = memories if isinstance(memories, list) else [{"uid": u} for u in step.get("uids", ())]
    yield _headline(step, len(named))
    if step.get("by"):
        yield f"  decided by: {step['by']}"
    for item in named if is_scored else named[:_MOST_NAMED]:
        yield f"  {_name(item['uid'], store)}"
        parts = [f"{name} {value:.2f}" for name, value in item.items() if isinstance(value, float)]
        if item.get("reason"):
            yield f"    {item['reason']}: " + ", ".join(parts)
    if not is_scored and len(named) > _MOST_NAMED:
        yield f"  and {len(named) - _MOST_NAMED} more"


def _headline(step: Mapping[str, Any], named: int) -> str:
    what = str(step["what"])
    number = step.get("count") or (named if named > 1 else "")
    head = f"{_READS.get(what, what)} {number}".rstrip()
    if step.get("tokens"):
        head += f", {step['tokens']} tokens"
    if step.get("pending"):
        head += f", {step['pending']} will be written by a later event"
    reason = step.get("reason")
    if reason:
        head += f": {reason}"
    details = [
        _told(value) if name == "why" else f"{name} {_told(value)}"
        for name, value in step.items()
        if name not in _NOT_SHOWN and value
    ]
    return head + (f" ({', '.join(details)})" if details else "")


def _told(value: Any) -> str:
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return " ".join(map(str, value)) if is_list else str(value)


def _ran_out(step: Mapping[str, Any], trace: Trace) -> str:
    """Describe an event that ran out of time."""
    said = f"{RAN_OUT} after {trace.milliseconds:.0f} ms"
    if step.get("during"):
        said += f", in the stage: {step['during']}"
    return said + ". What was not done is left to a later event."


def _name(uid: str, store: Recollect) -> str:
    found = store.get_many([uid])
    if not found:
        return f"{uid} (your own, or purged)"
    return f"{store.short_name(found[0])}  {found[0].open_title}"


def _as_json(trace: Trace, store: Recollect) -> dict[str, Any]:
    uids = {uid for step in trace.steps for uid in _uids(step)}
    names = {memory.uid: memory.id for memory in store.get_many(sorted(uids))}
    return {
        "event": trace.event,
        "session": trace.session,
        "at": trace.at,
        "time": _moment(trace.at).isoformat(timespec="seconds"),
        "milliseconds": trace.milliseconds,
        "finished": all(step["what"] not in (RAN_OUT, ENDED) for step in trace.steps),
        "steps": list(trace.steps),
        "ids": names,
    }


def _uids(step: Mapping[str, Any]) -> Iterator[str]:
    yield from step.get("uids", ())
    memories = step.get("memories")
    if isinstance(memories, list):
        yield from (item["uid"] for item in memories)

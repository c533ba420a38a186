"""`recollect why`: what the last hook events did, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from recollect.api.recollect import Recollect
from recollect.cli.output import echo_json, json_option, opened
from recollect.core.age import age_of
from recollect.state.sessions import Trace


@click.command()
@click.option("-n", "--limit", default=10, show_default=True, help="At most this many events.")
@click.option("--last", is_flag=True, help="Only the last event.")
@click.option("--session", metavar="ID", help="Only this session of an agent.")
@json_option
@click.pass_context
def why_command(
    ctx: click.Context, limit: int, last: bool, session: str | None, as_json: bool
) -> None:
    """Show what was captured, injected or skipped, and why."""
    with opened(ctx) as store:
        traces = store.why(1 if last else limit, session)
        if as_json:
            echo_json([_as_json(trace, store) for trace in traces])
            return
        if not traces:
            click.echo(
                "No agent has run here yet. To set one up, see: recollect install --help", err=True
            )
        now = store.ledger.clock().timestamp()
        for trace in reversed(traces):
            when = age_of(now - trace.at)
            click.echo(
                f"{click.style(trace.event, bold=True)}  {'just now' if when == 'now' else when},"
                f" {trace.milliseconds:.0f} ms, session {trace.session[:8] or '?'}"
            )
            for step in trace.steps:
                for line in _lines(step, store):
                    click.echo(f"  {line}")


def _lines(step: Mapping[str, Any], store: Recollect) -> Iterator[str]:
    """Describe what one stage recorded."""
    what = step["what"]
    details = {k: v for k, v in step.items() if k not in ("what", "memories", "uids", "reason")}
    said = ", ".join(f"{name} {value}" for name, value in details.items())
    reason = f": {step['reason']}" if step.get("reason") else ""
    memories = step.get("memories")
    if not isinstance(memories, list):
        memories = [{"uid": uid} for uid in step.get("uids", ())]
    else:
        reason = ""
    yield f"{what}{reason}" + (f" ({said})" if said else "")
    for item in memories:
        yield f"  {_name(item['uid'], store)}"
        parts = [f"{name} {value:.2f}" for name, value in item.items() if isinstance(value, float)]
        if item.get("reason"):
            yield f"    {item['reason']}: " + ", ".join(parts)


def _name(uid: str, store: Recollect) -> str:
    found = store.get_many([uid])
    if not found:
        return f"{uid} (your own, or purged)"
    # An agent may read this output.
    shown = found[0].summary if found[0].sensitivity == "public" else f"({found[0].sensitivity})"
    return f"{store.short_name(found[0])}  {shown}"


def _as_json(trace: Trace, store: Recollect) -> dict[str, Any]:
    uids = {uid for step in trace.steps for uid in _uids(step)}
    names = {memory.uid: memory.id for memory in store.get_many(sorted(uids))}
    return {
        "event": trace.event,
        "session": trace.session,
        "at": trace.at,
        "milliseconds": trace.milliseconds,
        "steps": list(trace.steps),
        "ids": names,
    }


def _uids(step: Mapping[str, Any]) -> Iterator[str]:
    yield from step.get("uids", ())
    memories = step.get("memories")
    if isinstance(memories, list):
        yield from (item["uid"] for item in memories)

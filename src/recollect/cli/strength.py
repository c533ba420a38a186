"""`recollect strength`: show how strong a memory is, and why."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from recollect.cli.output import echo_json, id_argument, json_option, opened
from recollect.core.kinds import find_kind

if TYPE_CHECKING:
    from recollect.sleep.strength_report import Strength

_ROWS = 8
_DAY = 86_400.0
_END = datetime(9999, 12, 31, tzinfo=UTC).timestamp()


@click.command()
@id_argument
@json_option
@click.pass_context
def strength_command(ctx: click.Context, memory_id: str, as_json: bool) -> None:
    """Show how strong a memory is, and why.

    Strength goes from 0 to 1. Each use makes a memory stronger; each day without use makes it
    weaker.
    """
    with opened(ctx) as store:
        found = store.owner_of(memory_id).strength(memory_id)
        if as_json:
            echo_json(found.as_json())
            return
        click.secho(found.memory.open_title, bold=True)
        click.echo(f"\nStrength {found.value:.2f} of 1")
        for line in (*_parts(found), "", *_plot(found), "", _future(found)):
            click.echo(line)


def _parts(found: Strength) -> list[str]:
    gain = found.full - found.memory.importance
    times = "1 use" if found.uses.times == 1 else f"{found.uses.times} uses"
    left = f"for {_days(found.idle_days)} without use, {found.decay_per_day:g} a day"
    if not found.decay_per_day:
        left = f"{found.memory.kind} keep their full strength at any age"
    return [
        f"  {found.memory.importance:>5.2f}  its importance",
        f"+ {gain:>5.2f}  for {times}" if found.uses.times else "+  0.00  never used",
        f"x {found.fresh:>5.2f}  {left}",
    ]


def _plot(found: Strength) -> list[str]:
    """Draw one column for each moment; after `now`, what happens if nobody uses the memory."""
    moments = [moment for moment, _ in found.course]
    here = max((n for n, moment in enumerate(moments) if moment <= found.now), default=0)
    rows = []
    for row in range(_ROWS, 0, -1):
        low, high = (row - 1) / _ROWS, row / _ROWS
        label = {_ROWS: " 1.0", _ROWS // 2: " 0.5"}.get(row, "    ")
        marks = "".join(
            ("*" if number <= here else ".") if low < value <= high else " "
            for number, (_, value) in enumerate(found.course)
        )
        rows.append(f"{label} |{marks.rstrip()}")
    axis = ["-"] * len(moments)
    for used in found.used_at:
        axis[min(range(len(moments)), key=lambda number: abs(moments[number] - used))] = "^"
    rows.append(f" 0.0 +{''.join(axis)}")
    first, last = _date(moments[0]), _date(moments[-1])
    labels = list(first.ljust(len(moments) - len(last)) + last)
    if len(first) + 1 <= here <= len(moments) - len(last) - 4:
        labels[here : here + 3] = "now"
    rows.append("      " + "".join(labels))
    rows.append("      * so far   . if nobody uses it   ^ used")
    return rows


def _future(found: Strength) -> str:
    memory = found.memory
    kind = find_kind(memory.kind)
    if memory.status not in ("active", "resolved"):
        why = f": {memory.status_reason}" if memory.status_reason else ""
        return f"It is {memory.status}{why}. To restore it, run: recollect restore ID"
    if found.archived_at is None:
        if kind and kind.permanent:
            return f"It is never archived: {memory.kind} are permanent and do not fade."
        return f"It is never archived: {memory.kind} have no time limit. {_fading(found)}".rstrip()
    if found.archived_at <= found.now:
        does = "retires" if found.is_limited else "archives"
        return f"The next sleep {does} it ({found.reason})."
    when = f"in {_days((found.archived_at - found.now) / _DAY)}, on {_date(found.archived_at)}."
    if found.is_limited:
        return f"It is retired {when} Then its --ttl of {memory.ttl} days is over, used or not."
    archived = f"it is archived {when}"
    if found.faded_at is None or found.faded_at >= found.archived_at:
        return f"Unless it is used, {archived}"
    return f"{_fading(found)}\nUnless it is used, {archived}"


def _fading(found: Strength) -> str:
    """When a memory has faded, and what that means."""
    if found.faded_at is None:
        return ""
    if found.faded_at <= found.now:
        return "It has faded: search still finds it, but ranks it lower."
    when = _date(found.faded_at)
    return f"Unless it is used, it has faded by {when}: search still finds it, but ranks it lower."


def _days(days: float) -> str:
    return "1 day" if round(days) == 1 else f"{days:.0f} days"


def _date(moment: float) -> str:
    return datetime.fromtimestamp(min(moment, _END), tz=UTC).strftime("%Y-%m-%d")

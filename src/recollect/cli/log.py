"""`recollect log`: show the records of the ledger."""

from __future__ import annotations

from typing import Any

import click

from recollect.api.results import LogEntry
from recollect.cli.filters import sensitivity_option
from recollect.cli.output import describe, echo_json, json_option, opened, record_as_json, warn
from recollect.cli.terminal import echo_paged


@click.command()
@click.option("-n", "--limit", type=click.IntRange(min=1), help="Show only the newest records.")
@sensitivity_option
@json_option
@click.pass_context
def log_command(
    ctx: click.Context, limit: int | None, sensitivity: tuple[str, ...], as_json: bool
) -> None:
    """Show captures, changes and purges, newest first, by when they were written.

    Records of private, secret and unclassified memories are shown only if --sensitivity asks for
    them.
    """
    with opened(ctx) as store:
        entries = store.log(limit, sensitivity=sensitivity or "public")
        warn(store)
    if as_json:
        echo_json([_as_json(entry) for entry in entries])
        return
    echo_paged([_line(entry) for entry in entries])


def _as_json(entry: LogEntry) -> dict[str, Any]:
    shown = {**record_as_json(entry.record), "written": entry.written}
    return shown | ({} if entry.sensitivity == "public" else {"sensitivity": entry.sensitivity})


def _line(entry: LogEntry) -> str:
    mark = "" if entry.sensitivity == "public" else f" [{entry.sensitivity}]"
    return f"{entry.written or '?':<21} {entry.name}  {describe(entry.record)}{mark}"

"""`recollect status`: counts of memories, and the state of the index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from recollect.api.waiting import Waiting
from recollect.cli.output import echo_json, json_option, opened, warn
from recollect.core.names import short


@click.command()
@json_option
@click.pass_context
def status_command(ctx: click.Context, as_json: bool) -> None:
    """Show counts of memories, and the state of the index."""
    with opened(ctx) as store:
        summary = store.status()
        warn(store)
        if as_json:
            echo_json(summary)
            return
        click.echo(f"memories: {summary['memories'] or 'none yet'}")
        for line in _table(summary["kinds_and_statuses"], summary["statuses"]):
            click.echo(f"  {line}")
        for key, what in (
            ("often_updated", "updated more than 5 times"),
            ("retired_lately", "retired in the last 7 days"),
        ):
            if summary[key]:
                click.echo(f"{what}: {len(summary[key])}, for example {_name(summary[key][-1])}")
        if summary["pending_purges"]:
            click.echo(
                f"pending purges by others: {summary['pending_purges']}; to apply them, run:"
                " recollect sync --accept-purges"
            )
        counts = (summary["unconfirmed"], summary["suggestions"], summary["suggested_changes"])
        if waiting := Waiting(*counts).in_words():
            click.echo(f"waiting for you: {waiting}; see: recollect review")
        drafts = summary["drafts"]
        if drafts["requests"]:
            click.echo(
                f"drafts requested from agents in the last 7 days: {drafts['requests']}"
                f" ({drafts['tokens']:,} tokens)"
            )
        if summary["clock"]:
            click.echo(f"sleep does not run: {summary['clock']}")
        if summary["unsent_notes"]:
            click.echo(
                f"notes that are not synced yet: {summary['unsent_notes']}; run: recollect sync"
            )
        elif summary["unsent_notes"] is not None and summary["memories"]:
            click.echo("notes that are not synced yet: none, as of the last sync")
        size, index = (f"{summary[key] / 1024:,.0f} KB" for key in ("bytes", "index_bytes"))
        click.echo(f"size: {size} of text, {index} of index")
        if summary["database"]:
            click.echo(f"database: {summary['database']}")
        if summary["database_problem"]:
            click.echo(f"  not in use: {summary['database_problem']}")
        click.echo(
            f"vectors: {summary['model'] or 'none yet; to compute them, run: recollect reindex'}"
        )


def _table(kinds: Mapping[str, Mapping[str, int]], totals: Mapping[str, int]) -> list[str]:
    """Return the counts as a table: a row for each kind, a column for each status."""
    if not kinds:
        return []
    statuses = sorted(totals, key=lambda name: -totals[name])
    rows = {"": dict(zip(statuses, statuses, strict=True)), **kinds}
    if len(kinds) > 1:
        rows["all"] = totals
    first = max(map(len, rows))
    return [
        name.ljust(first)
        + "".join(f"  {row.get(status, ''):>{max(6, len(status))}}" for status in statuses)
        for name, row in rows.items()
    ]


def _name(memory: Mapping[str, Any]) -> str:
    return f"{short(memory['id'])}  {memory['summary']}"

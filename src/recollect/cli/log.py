"""`recollect log`: show the records of the ledger."""

from __future__ import annotations

import click

from recollect.cli.output import describe, echo_json, json_option, opened, record_as_json


@click.command()
@click.option("-n", "--limit", type=click.IntRange(min=1), help="Show only the newest records.")
@json_option
@click.pass_context
def log_command(ctx: click.Context, limit: int | None, as_json: bool) -> None:
    """Show captures, changes and purges, newest first."""
    with opened(ctx) as store:
        entries = store.log(limit)
    if as_json:
        echo_json([record_as_json(entry.record) for entry in entries])
        return
    for record, name in entries:
        click.echo(f"{record.timestamp or '?':<21} {name}  {describe(record)}")

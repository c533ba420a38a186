"""`recollect log`: the journal of the ledger."""

from __future__ import annotations

import click

from recollect.cli.output import describe, echo_json, json_option, opened, record_as_json
from recollect.core.names import short


@click.command()
@click.option("-n", "--limit", type=click.IntRange(min=1), help="Show only the newest records.")
@json_option
@click.pass_context
def log_command(ctx: click.Context, limit: int | None, as_json: bool) -> None:
    """Show what happened to the memories, newest first: captures, changes, purges."""
    with opened(ctx) as store:
        records = [record for record, _ in store.journal()][::-1][:limit]
        memories = {memory.uid: memory for memory in store.memories(status="all")}
        if as_json:
            echo_json([record_as_json(record) for record in records])
            return
        for record in records:
            memory = memories.get(record.memory_uid)
            name = short(memory.id) if memory else short(record.id or record.memory_uid)
            click.echo(f"{record.timestamp or '?':<21} {name}  {describe(record)}")

"""`recollect timeline`: what happened when."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import click

from recollect.cli.filters import filter_options, given_filters
from recollect.cli.output import echo_json, json_option, opened
from recollect.core.age import counted
from recollect.core.memory import Memory


@click.command()
@filter_options
@json_option
@click.pass_context
def timeline_command(ctx: click.Context, /, as_json: bool, **options: Any) -> None:
    """Show memories by day, in the order they were made; of one session or file, if named."""
    with opened(ctx) as store:
        now = store.ledger.clock().timestamp()

        def made(memory: Memory) -> str:
            return counted(memory.created, now)

        memories = sorted(store.memories(**given_filters(options)), key=lambda m: (made(m), m.uid))
        if as_json:
            echo_json([memory.as_json() for memory in memories])
            return
        for day, of_day in groupby(memories, key=lambda m: (made(m) or "no date")[:10]):
            click.secho(day, bold=True)
            for memory in of_day:
                time = made(memory)[11:16]
                click.echo(f"  {time:<5}  {store.short_name(memory)}  {memory.summary}")

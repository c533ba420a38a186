"""`recollect list`: the memories, one line each."""

from __future__ import annotations

from typing import Any

import click

from recollect.cli.filters import filter_options, given_filters
from recollect.cli.output import echo_json, echo_memories, json_option, opened


@click.command()
@filter_options
@json_option
@click.pass_context
def list_command(ctx: click.Context, /, as_json: bool, **options: Any) -> None:
    """List memories, oldest first: active and resolved ones unless you say otherwise."""
    with opened(ctx) as store:
        memories = store.memories(**given_filters(options))
        if as_json:
            echo_json([memory.as_json() for memory in memories])
        elif memories:
            echo_memories(memories, store)
        else:
            click.echo("Nothing found. `recollect capture KIND SUMMARY` remembers.", err=True)

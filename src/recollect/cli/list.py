"""`recollect list`: list memories, one line each."""

from __future__ import annotations

from typing import Any

import click

from recollect.cli.filters import filter_options, given_filters
from recollect.cli.output import echo_json, echo_memories, json_option, listed_as_json, opened


@click.command()
@filter_options
@json_option
@click.pass_context
def list_command(ctx: click.Context, /, as_json: bool, **options: Any) -> None:
    """List memories, oldest first.

    Your own memories are listed with those of the project, marked [mine]. Archived and retired
    memories are listed only if --status asks for them.
    """
    with opened(ctx) as store:
        found = store.browse(**given_filters(options))
        if as_json:
            echo_json([listed_as_json(one) for one in found])
        elif found:
            echo_memories(
                [one.memory for one in found], store, {one.memory.uid for one in found if one.mine}
            )
        else:
            click.echo(
                "Nothing found. To add a memory, run: recollect capture KIND SUMMARY", err=True
            )

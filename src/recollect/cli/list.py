"""`recollect list`: the memories, one line each."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, echo_memories, json_option, opened


@click.command()
@click.option("-k", "--kind", metavar="KIND", help="Only this kind.")
@click.option(
    "-s",
    "--status",
    metavar="STATUS",
    help="active, resolved, archived, retired or all; active and resolved if left out.",
)
@json_option
@click.pass_context
def list_command(ctx: click.Context, kind: str | None, status: str | None, as_json: bool) -> None:
    """List memories, oldest first: active and resolved ones unless you say otherwise."""
    with opened(ctx) as store:
        memories = store.memories(kind=kind, status=status)
        if as_json:
            echo_json([memory.as_json() for memory in memories])
        elif memories:
            echo_memories(memories, store)
        else:
            click.echo("No memories yet. `recollect capture KIND SUMMARY` makes one.", err=True)

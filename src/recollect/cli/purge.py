"""`recollect purge`: erase a memory for good."""

from __future__ import annotations

import sys

import click

from recollect.cli.output import echo_json, id_argument, json_option, opened, warn
from recollect.errors import ValidationError


@click.command()
@id_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def purge_command(ctx: click.Context, memory_id: str, yes: bool, as_json: bool) -> None:
    """Erase a memory for good: text, changes and history. This cannot be undone.

    Other clones erase it at their next sync. A server keeps unreachable objects until it cleans up,
    and copies may exist elsewhere: if the memory held a secret, change that secret first.
    """
    with opened(ctx) as store:
        memory = store.get(memory_id)
        if not yes:
            if not sys.stdin.isatty():
                raise ValidationError("A purge cannot be undone.", "Add --yes to confirm it.")
            click.confirm(f"Erase “{memory.summary}” for good?", abort=True, err=True)
        left = store.purge(memory.uid)
        warn(store)
    for sentence in left:
        click.echo(f"Warning: {sentence}", err=True)
    if as_json:
        echo_json({"purged": memory.id, "uid": memory.uid, "left": left})
    else:
        click.echo(f"Purged {memory.id}")
        click.echo("Run `recollect sync` so that other clones erase it too.", err=True)

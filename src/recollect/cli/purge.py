"""`recollect purge`: erase a memory for good."""

from __future__ import annotations

import sys

import click

from recollect.cli.output import echo_json, id_argument, json_option, opened, warn
from recollect.errors import ValidationError
from recollect.sleep.purge import find_quarantined


@click.command()
@id_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def purge_command(ctx: click.Context, memory_id: str, yes: bool, as_json: bool) -> None:
    """Erase a memory for good: text, changes and history. This cannot be undone.

    ID may also be the uid of a quarantined record, as `recollect doctor` prints it.

    Other clones erase it at their next sync. A server keeps unreachable objects until it cleans up,
    and copies may exist elsewhere: if the memory held a secret, change that secret first.
    """
    with opened(ctx) as store:
        uid = name = find_quarantined(store, memory_id)
        what = f"the quarantined record {uid}"
        if uid is None:
            memory = store.get(memory_id)
            uid, name, what = memory.uid, memory.id, f"“{memory.summary}”"
        if not yes:
            if not sys.stdin.isatty():
                raise ValidationError("A purge cannot be undone.", "Add --yes to confirm it.")
            click.confirm(f"Erase {what} for good?", abort=True, err=True)
        left = store.purge(uid)
        warn(store)
    for sentence in left:
        click.echo(f"Warning: {sentence}", err=True)
    if as_json:
        echo_json({"purged": name, "uid": uid, "left": left})
    else:
        click.echo(f"Purged {name}")
        click.echo("Run `recollect sync` so that other clones erase it too.", err=True)

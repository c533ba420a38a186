"""`recollect purge`: erase a memory for good."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, id_argument, json_option, opened, warn
from recollect.cli.plans import confirm_erasing, yes_option


@click.command()
@id_argument
@yes_option
@json_option
@click.pass_context
def purge_command(ctx: click.Context, memory_id: str, yes: bool, as_json: bool) -> None:
    """Erase a memory for good. You cannot undo this.

    This erases its text, its changes and its history. ID may also be the uid of a quarantined
    record, as `recollect doctor` prints it.

    Other clones erase it at their next sync. A server keeps unreachable objects until it cleans up,
    and there may be other copies. If the memory contains a secret, change that secret first.
    """
    with opened(ctx) as store:
        uid = name = store.quarantined_uid(memory_id)
        what = f"the quarantined record {uid}"
        if uid is None:
            memory = store.get(memory_id)
            uid, name, what = memory.uid, memory.id, f"“{memory.summary}”"
        confirm_erasing(what, yes=yes)
        left = store.purge(uid)
        warn(store)
    for sentence in left:
        click.echo(f"Warning: {sentence}", err=True)
    if as_json:
        echo_json({"purged": name, "uid": uid, "left": left})
    else:
        click.echo(f"Purged {name}")
        click.echo("To erase it in other clones too, run: recollect sync", err=True)

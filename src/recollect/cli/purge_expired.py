"""`recollect purge-expired`: erase memories whose lifetime is over."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, echo_memories, json_option, opened, warn
from recollect.cli.plans import confirm_erasing, confirmed_by_person, dry_run_option, yes_option


@click.command()
@dry_run_option
@yes_option
@json_option
@click.pass_context
def purge_expired_command(ctx: click.Context, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Erase memories whose --ttl is over. You cannot undo this.

    Without this command, the next sleep retires them, and `recollect gc` erases them 30 days later.
    """
    with opened(ctx) as store:
        if not dry_run:
            store.check_clock(force=confirmed_by_person(store))
        memories = store.purge_expired(dry_run=True).memories
        if not as_json:
            if memories and dry_run:
                click.echo(f"Would erase for good: {len(memories)}", err=True)
            echo_memories(memories, store)
            if not memories:
                click.echo("Nothing has expired.", err=True)
        if memories and not dry_run:
            confirm_erasing(f"these {len(memories)}", yes=yes)
        left = [] if dry_run else store.purge_expired(memories).left
        for sentence in left:
            click.echo(f"Warning: {sentence}", err=True)
        if as_json:
            echo_json({"dry_run": dry_run, "expired": [m.id for m in memories], "left": left})
        elif memories and not dry_run:
            click.echo(f"Erased: {len(memories)}", err=True)
        warn(store)

"""`recollect purge-expired`: erase what has outlived its own time."""

from __future__ import annotations

import sys

import click

from recollect.cli.output import echo_json, echo_memories, json_option, opened, warn
from recollect.cli.plans import confirmed_by_person, dry_run_option
from recollect.errors import ValidationError
from recollect.sleep.clock import check_clock
from recollect.sleep.purge import expired, purge


@click.command()
@dry_run_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_context
def purge_expired_command(ctx: click.Context, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Erase for good the memories whose --ttl is over. This cannot be undone.

    Without it they are retired by the next sleep, and erased by `recollect gc` 30 days later.
    """
    with opened(ctx) as store:
        if not dry_run:
            check_clock(store, force=confirmed_by_person(store))
        memories = expired(store)
        if not as_json:
            if memories and dry_run:
                click.echo(f"Would erase for good: {len(memories)}", err=True)
            echo_memories(memories, store)
            if not memories:
                click.echo("Nothing has expired.", err=True)
        if memories and not dry_run and not yes:
            if not sys.stdin.isatty():
                raise ValidationError("A purge cannot be undone.", "Add --yes to confirm it.")
            click.confirm(f"Erase these {len(memories)} for good?", abort=True, err=True)
        left = [] if dry_run else purge(store, memories)
        for sentence in left:
            click.echo(f"Warning: {sentence}", err=True)
        if as_json:
            echo_json({"dry_run": dry_run, "expired": [m.id for m in memories], "left": left})
        elif memories and not dry_run:
            click.echo(f"Erased: {len(memories)}", err=True)
        warn(store)

"""`recollect gc`: erase what has been retired for longer than the grace period."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, echo_memories, json_option, opened, warn
from recollect.cli.plans import confirm_erasing, confirmed_by_person, dry_run_option, yes_option


@click.command()
@dry_run_option
@yes_option
@json_option
@click.pass_context
def gc_command(ctx: click.Context, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Erase memories that were retired long ago.

    The default is 30 days (delete.grace_period_days). With delete.archive_retired, they are
    archived instead, without asking. Other clones erase them at their next sync. You cannot undo
    this.
    """
    with opened(ctx) as store:
        found = store.gc(dry_run=True)
        count = len(found.memories)
        if dry_run and not as_json and count:
            click.echo(f"Would {'archive' if found.archived else 'erase'} {count}:")
        if not as_json:
            echo_memories(found.memories, store)
        if not dry_run:
            if count and not found.archived:
                confirm_erasing(f"these {count}", yes=yes)
            found = store.gc(force=confirmed_by_person(store))
        if as_json:
            echo_json({"dry_run": dry_run, **found.as_json()})
        elif not count:
            click.echo("Nothing to erase: no memory has been retired long enough.", err=True)
        elif not dry_run:
            click.echo(f"{'Archived' if found.archived else 'Erased'}: {count}", err=True)
        if found.waiting and not as_json:
            click.echo(
                f"Kept {len(found.waiting)} more: another memory was merged from them and has not"
                " been retired long enough. To erase them with it, run: recollect purge ID",
                err=True,
            )
        for sentence in found.left:
            click.echo(f"Warning: {sentence}", err=True)
        warn(store)

"""`recollect gc`: erase what has been retired for longer than the grace."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, echo_memories, json_option, opened, warn
from recollect.cli.plans import confirmed_by_person, dry_run_option
from recollect.sleep.clock import check_clock
from recollect.sleep.purge import collect_garbage, garbage


@click.command()
@dry_run_option
@json_option
@click.pass_context
def gc_command(ctx: click.Context, dry_run: bool, as_json: bool) -> None:
    """Erase for good what has been retired for 30 days (delete.grace_period_days).

    With delete.archive_retired it is archived instead. Other clones erase it at their next sync.
    """
    with opened(ctx) as store:
        found = garbage(store)
        count = len(found.memories)
        if dry_run and not as_json and count:
            click.echo(f"Would {'archive' if found.archived else 'erase'} {count}:")
        if not as_json:
            echo_memories(found.memories, store)
        if not dry_run:
            check_clock(store, force=confirmed_by_person(store))
            found = collect_garbage(store)
        if as_json:
            echo_json({"dry_run": dry_run, **found.as_json()})
        elif not count:
            click.echo("Nothing has been retired for long enough.", err=True)
        elif not dry_run:
            click.echo(f"{'Archived' if found.archived else 'Erased'}: {count}", err=True)
        if found.waiting and not as_json:
            click.echo(
                f"{len(found.waiting)} more stay: something was merged from them that is not"
                " retired long enough. To erase them with it: recollect purge ID",
                err=True,
            )
        for sentence in found.left:
            click.echo(f"Warning: {sentence}", err=True)
        warn(store)

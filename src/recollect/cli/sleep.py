"""`recollect sleep`: merge similar memories and archive stale ones."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, json_option, opened, warn
from recollect.cli.plans import confirmed_by_person, dry_run_option, echo_plan


@click.command()
@dry_run_option
@click.option("--now", is_flag=True, help="Run even if it is not due.")
@click.option("--force", is_flag=True, help="Run even if the clock seems to have jumped.")
@json_option
@click.pass_context
def sleep_command(ctx: click.Context, dry_run: bool, now: bool, force: bool, as_json: bool) -> None:
    """Merge similar memories and archive stale ones.

    Recollect does this by itself between sessions. The command runs if a session has ended or a
    day has passed since the last sleep; with --now, it always runs. Nothing is erased. To undo it,
    run `recollect undo --last`. If the clock has jumped, sleep refuses to run.
    """
    with opened(ctx) as store:
        if not dry_run and not (now or force) and not store.is_sleep_due():
            if as_json:
                echo_json({"due": False})
            click.echo(
                "Not due yet: no session has ended and no day has passed since the last sleep."
                " To run it now, add --now",
                err=True,
            )
            return
        force = not dry_run and (force or confirmed_by_person(store))
        plan = store.sleep(dry_run=dry_run, force=force)
        echo_plan(store, plan, as_json=as_json, dry_run=dry_run)
        warn(store)

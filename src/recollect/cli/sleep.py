"""`recollect sleep`: merge what says the same, archive what has faded."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, json_option, opened, warn
from recollect.cli.plans import confirmed_by_person, dry_run_option, echo_plan
from recollect.sleep.clock import check_clock
from recollect.sleep.run import is_due, make_plan, sleep


@click.command()
@dry_run_option
@click.option("--now", is_flag=True, help="Also when it is not time yet.")
@click.option("--force", is_flag=True, help="The clock is right, although it seems to have jumped.")
@json_option
@click.pass_context
def sleep_command(ctx: click.Context, dry_run: bool, now: bool, force: bool, as_json: bool) -> None:
    """Look after the memories: merge what says the same, archive what has faded.

    This happens by itself between sessions. By hand it is done when a session has ended or a day
    has passed since the last time, or always with --now. Nothing is erased, and `recollect undo
    --last` takes it back. If the clock has jumped, sleep refuses to run.
    """
    with opened(ctx) as store:
        if not dry_run and not (now or force) and not is_due(store):
            if as_json:
                echo_json({"due": False})
            click.echo(
                "Not due yet: no session has ended since the last sleep, and no day has passed."
                " Do it with --now",
                err=True,
            )
            return
        if not dry_run:
            check_clock(store, force=force or confirmed_by_person(store))
        plan = make_plan(store) if dry_run else sleep(store)
        echo_plan(store, plan, as_json=as_json, dry_run=dry_run)
        warn(store)

"""`recollect lifecycle`: archive what has faded, retire what was archived long ago."""

from __future__ import annotations

import click

from recollect.cli.output import json_option, opened, warn
from recollect.cli.plans import confirmed_by_person, dry_run_option, echo_plan
from recollect.sleep.clock import check_clock
from recollect.sleep.run import plan_of_lifecycle, sleep


@click.command()
@dry_run_option
@json_option
@click.pass_context
def lifecycle_command(ctx: click.Context, dry_run: bool, as_json: bool) -> None:
    """Change the status of memories whose time has come: archive, retire, bring back.

    What a person archived stays, permanent kinds do not age, and nothing is erased.
    """
    with opened(ctx) as store:
        if not dry_run:
            check_clock(store, force=confirmed_by_person(store))
        plan = plan_of_lifecycle(store) if dry_run else sleep(store, plan_of_lifecycle)
        echo_plan(store, plan, as_json=as_json, dry_run=dry_run)
        warn(store)

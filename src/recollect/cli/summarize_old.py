"""`recollect summarize-old`: merge old memories that say the same."""

from __future__ import annotations

from functools import partial

import click

from recollect.cli.output import json_option, opened, warn
from recollect.cli.plans import confirmed_by_person, dry_run_option, echo_plan
from recollect.sleep.clock import check_clock
from recollect.sleep.run import plan_of_summaries, sleep


@click.command()
@click.option(
    "--days", type=click.IntRange(min=1), default=30, help="Only older ones than this; 30."
)
@dry_run_option
@json_option
@click.pass_context
def summarize_old_command(ctx: click.Context, days: int, dry_run: bool, as_json: bool) -> None:
    """Merge old memories that say much the same, three or more of them, into one.

    The one names its sources; they are archived and come back with: recollect restore ID
    """
    with opened(ctx) as store:
        planner = partial(plan_of_summaries, days=float(days))
        if not dry_run:
            check_clock(store, force=confirmed_by_person(store))
        plan = planner(store) if dry_run else sleep(store, planner)
        echo_plan(store, plan, as_json=as_json, dry_run=dry_run)
        warn(store)

"""`recollect summarize-old`: merge old memories that are similar."""

from __future__ import annotations

import click

from recollect.cli.output import json_option, opened, warn
from recollect.cli.plans import confirmed_by_person, dry_run_option, echo_plan


@click.command()
@click.option(
    "--days",
    type=click.IntRange(min=1),
    default=30,
    help="Only memories older than this many days (default: 30).",
)
@dry_run_option
@json_option
@click.pass_context
def summarize_old_command(ctx: click.Context, days: int, dry_run: bool, as_json: bool) -> None:
    """Merge old memories that are similar.

    Three or more similar memories become one, which names its sources. The sources are archived.
    To restore one, run: recollect restore ID
    """
    with opened(ctx) as store:
        force = not dry_run and confirmed_by_person(store)
        plan = store.summarize_old(days, dry_run=dry_run, force=force)
        echo_plan(store, plan, as_json=as_json, dry_run=dry_run)
        warn(store)

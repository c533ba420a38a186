"""`recollect lifecycle`: archive stale memories, retire those archived long ago."""

from __future__ import annotations

import click

from recollect.cli.output import json_option, opened, warn
from recollect.cli.plans import confirmed_by_person, dry_run_option, echo_plan


@click.command()
@dry_run_option
@json_option
@click.pass_context
def lifecycle_command(ctx: click.Context, dry_run: bool, as_json: bool) -> None:
    """Archive stale memories, and retire those archived long ago.

    Memories that were used after all are restored. What a person archived stays archived,
    permanent kinds never age, and nothing is erased.
    """
    with opened(ctx) as store:
        force = not dry_run and confirmed_by_person(store)
        plan = store.lifecycle(dry_run=dry_run, force=force)
        echo_plan(store, plan, as_json=as_json, dry_run=dry_run)
        warn(store)

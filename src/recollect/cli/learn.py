"""`recollect learn`: fill the memory from what is already here."""

from __future__ import annotations

import click

from recollect.cli.import_plans import import_progress, offer
from recollect.cli.output import echo_json, json_option, opened
from recollect.cli.plans import dry_run_option

yes_option = click.option("--yes", is_flag=True, help="Do not ask.")
all_option = click.option("--all", "all_of", is_flag=True, help="Show every memory, not samples.")


@click.command()
@yes_option
@dry_run_option
@all_option
@click.option("--dismiss", is_flag=True, help="Never offer to learn in this repository again.")
@json_option
@click.pass_context
def learn_command(
    ctx: click.Context, yes: bool, dry_run: bool, all_of: bool, dismiss: bool, as_json: bool
) -> None:
    """Learn from what is here: history, docs, instructions and other memories.

    Shows what it found and what it would keep, then asks. Learning twice adds only what is new.
    """
    with opened(ctx) as store:
        if dismiss:
            store.dismiss_learning()
            if as_json:
                echo_json({"dismissed": True})
            else:
                click.echo("Sessions in this repository no longer offer to learn.", err=True)
            return
        with import_progress() as progress:
            plan = store.plan_import(progress=progress)
        offer(store, plan, agreed=yes, dry_run=dry_run, as_json=as_json, all_of=all_of)

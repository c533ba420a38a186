"""`recollect learn`: fill the memory from what is already here."""

from __future__ import annotations

import click

from recollect.api.recollect import Recollect
from recollect.cli.import_plans import (
    embed_history,
    import_progress,
    offer,
    read_history,
    would_read,
)
from recollect.cli.output import echo_json, json_option, opened
from recollect.cli.plans import dry_run_option

yes_option = click.option("--yes", is_flag=True, help="Do not ask.")
all_option = click.option("--all", "all_of", is_flag=True, help="Show every memory, not samples.")


@click.command()
@yes_option
@dry_run_option
@all_option
@click.option("--dismiss", is_flag=True, help="Never offer to learn in this repository again.")
@click.option(
    "--history/--no-history",
    default=None,
    help="Only read the history for search, or delete what was read.",
)
@json_option
@click.pass_context
def learn_command(
    ctx: click.Context,
    yes: bool,
    dry_run: bool,
    all_of: bool,
    dismiss: bool,
    history: bool | None,
    as_json: bool,
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
        if history is not None:
            _history(store, wanted=history, dry_run=dry_run, as_json=as_json)
            return
        with import_progress() as progress:
            plan = store.plan_import(progress=progress)
        offer(
            store,
            plan,
            agreed=yes,
            dry_run=dry_run,
            as_json=as_json,
            all_of=all_of,
            with_history=True,
        )


def _history(store: Recollect, *, wanted: bool, dry_run: bool, as_json: bool) -> None:
    """Read the history for search, and nothing else; or delete what was read."""
    if wanted:
        done = store.index_history(dry_run=True) if dry_run else read_history(store, quiet=as_json)
        if not dry_run:
            embed_history(store)
        if as_json:
            echo_json(done._asdict())
        elif dry_run:
            would_read(done)
        elif not done.commits:
            click.echo("There are no commits that search could find.", err=True)
        return
    known = store.index_history(dry_run=True)
    gone = bool(known.bytes) if dry_run else store.forget_history()
    if as_json:
        echo_json({"deleted": gone})
    else:
        ends = f"Would forget {known.commits:,} commits. Nothing was deleted."
        said = ends if dry_run else "Search no longer knows the history."
        said = said if gone else "The history was not read."
        click.echo(said, err=True)

"""`recollect repair`: repair what `verify` finds."""

from __future__ import annotations

import click

from recollect.cli.findings import report
from recollect.cli.output import json_option, opened, progress_to


@click.command()
@json_option
@click.pass_context
def repair_command(ctx: click.Context, as_json: bool) -> None:
    """Rebuild damaged notes and the index, then verify.

    If git objects of a kind are damaged or missing, it is rebuilt from the reflog, from what
    remotes had, and from the index.
    """
    with opened(ctx) as store, progress_to("Reading notes") as progress:
        report(store.repair(progress), as_json)

"""`recollect repair`: mend what `verify` finds."""

from __future__ import annotations

import click

from recollect.api.repair import repair
from recollect.cli.findings import report
from recollect.cli.output import json_option, opened, progress_to


@click.command()
@json_option
@click.pass_context
def repair_command(ctx: click.Context, as_json: bool) -> None:
    """Rebuild damaged notes and the index, then verify again.

    A kind whose git objects are damaged or missing is rebuilt from its reflog, from what remotes
    had, and from what the index knows.
    """
    with opened(ctx) as store, progress_to("Reading notes") as progress:
        report(repair(store, progress), as_json)

"""`recollect repair`: mend what `verify` finds."""

from __future__ import annotations

import click

from recollect.cli.findings import report
from recollect.cli.output import json_option, opened, progress_to
from recollect.ledger.health import PROBLEM


@click.command()
@json_option
@click.pass_context
def repair_command(ctx: click.Context, as_json: bool) -> None:
    """Rebuild the index where it differs from the ledger, then verify again."""
    with opened(ctx) as store:
        if any(finding.level == PROBLEM for finding in store.verify()):
            with progress_to("Reading notes") as progress:
                store.indexing.rebuild(progress)
        report(store.verify(), as_json)

"""`recollect doctor`: find problems."""

from __future__ import annotations

import click

from recollect.cli.findings import report
from recollect.cli.output import json_option, opened


@click.command()
@json_option
@click.pass_context
def doctor_command(ctx: click.Context, as_json: bool) -> None:
    """Find problems, and say how to fix them.

    Checks git, the configuration, hooks, the refs and every record.
    """
    with opened(ctx) as store:
        report(store.doctor(), as_json)

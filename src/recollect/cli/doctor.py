"""`recollect doctor`: what is wrong, and what to do."""

from __future__ import annotations

import click

from recollect.cli.findings import report
from recollect.cli.output import json_option, opened


@click.command()
@json_option
@click.pass_context
def doctor_command(ctx: click.Context, as_json: bool) -> None:
    """Check git, the configuration, the refs and every record; say what to do."""
    with opened(ctx) as store:
        report(store.doctor(), as_json)

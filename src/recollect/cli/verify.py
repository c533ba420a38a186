"""`recollect verify`: compare the index with the notes."""

from __future__ import annotations

import click

from recollect.cli.findings import report
from recollect.cli.output import json_option, opened


@click.command()
@json_option
@click.pass_context
def verify_command(ctx: click.Context, as_json: bool) -> None:
    """Check every record, and compare the index with the notes."""
    with opened(ctx) as store:
        report(store.verify(), as_json)

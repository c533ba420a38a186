"""`recollect verify`: whether every record can be read."""

from __future__ import annotations

import click

from recollect.cli.findings import report
from recollect.cli.output import json_option, opened


@click.command()
@json_option
@click.pass_context
def verify_command(ctx: click.Context, as_json: bool) -> None:
    """Read every record that the notes hold and report what is odd."""
    with opened(ctx) as store:
        report(store.verify(), as_json)

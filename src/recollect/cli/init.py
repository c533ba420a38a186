"""`recollect init`: show where memories are stored. It is optional."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, json_option, opened


@click.command()
@json_option
@click.pass_context
def init_command(ctx: click.Context, as_json: bool) -> None:
    """Show where the memories of this directory are stored.

    You do not need to set up anything first.
    """
    with opened(ctx) as store:
        ledger, path, count = store.location()
    if as_json:
        echo_json({"ledger": ledger, "path": str(path), "memories": count})
        return
    click.echo(f"The memories of this directory are stored in {path} ({ledger} ledger)")
    click.echo(f'Memories: {count}. Try: recollect capture decisions "Why we chose X"', err=True)

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
        repository = store.ledger.repository
        count = len(store.memories(status="all"))
        where = "user" if repository.is_user_ledger else "repository"
        if as_json:
            echo_json({"ledger": where, "path": str(repository.common_dir), "memories": count})
            return
        click.echo(
            f"The memories of this directory are stored in {repository.common_dir} ({where} ledger)"
        )
        click.echo(
            f'Memories: {count}. Try: recollect capture decisions "Why we chose X"', err=True
        )

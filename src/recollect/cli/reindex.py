"""`recollect reindex`: update the index and its vectors."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, json_option, opened, progress_to, warn


@click.command()
@click.option("--full", is_flag=True, help="Delete the index and rebuild it.")
@json_option
@click.pass_context
def reindex_command(ctx: click.Context, full: bool, as_json: bool) -> None:
    """Update the index, and compute missing vectors."""
    with opened(ctx) as store:
        with progress_to("Reading notes") as reading, progress_to("Embedding") as embedding:
            done = store.reindex(full=full, reading=reading, embedding=embedding)
        warn(store)
        if as_json:
            echo_json(done._asdict())
        else:
            click.echo(f"Indexed {done.memories} memories; computed {done.embedded} new vectors")

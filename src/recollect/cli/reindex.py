"""`recollect reindex`: bring the index and its vectors up to date."""

from __future__ import annotations

import click

from recollect.cli.output import echo_json, json_option, opened, progress_to, warn
from recollect.index.protocol import Filters


@click.command()
@click.option("--full", is_flag=True, help="Throw the index away and build it anew.")
@json_option
@click.pass_context
def reindex_command(ctx: click.Context, full: bool, as_json: bool) -> None:
    """Read what is new in the ledger and give vectors to memories that have none."""
    with opened(ctx) as store:
        with progress_to("Reading notes") as progress:
            index = store.indexing.rebuild(progress) if full else store.indexing.fresh(progress)
        with progress_to("Embedding memories") as progress:
            embedded = store.indexing.embed_pending(index, progress=progress)
        count = index.count(Filters(statuses=frozenset({"all"})))
        warn(store)
        if as_json:
            echo_json({"memories": count, "embedded": embedded, "model": index.model()})
        else:
            click.echo(f"{count} memories are in the index, {embedded} got vectors just now")

"""`recollect search`: find the right memory, and say why."""

from __future__ import annotations

from typing import Any

import click

from recollect.cli.filters import filter_options, given_filters
from recollect.cli.output import echo_json, json_option, opened, warn
from recollect.core.age import age
from recollect.search.search import MODES


@click.command()
@click.argument("query")
@click.option(
    "-n", "--limit", type=click.IntRange(1, 1000), default=10, help="How many at most (10)."
)
@filter_options
@click.option("--mode", type=click.Choice(MODES), help="How to match; hybrid if left out.")
@click.option("--min-similarity", type=float, metavar="F", help="Leave out weaker matches.")
@click.option("--as-of", metavar="WHEN", help="Answer as the memory was at a commit or date.")
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@json_option
@click.pass_context
def search_command(
    ctx: click.Context,
    /,
    query: str,
    limit: int,
    mode: str | None,
    min_similarity: float | None,
    as_of: str | None,
    explain: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Find memories that answer QUERY, best first. Any text is a legal query.

    Private and secret memories are found only when --sensitivity asks for them.
    """
    with opened(ctx) as store:
        hits = store.search(
            query,
            limit,
            mode=mode,
            min_similarity=min_similarity,
            as_of=as_of,
            **given_filters(options),
        )
        warn(store)
        if as_json:
            echo_json(
                [
                    {**hit.memory.as_json(), "score": round(hit.score, 4), "why": hit.why.as_json()}
                    for hit in hits
                ]
            )
            return
        if not hits:
            click.echo("Nothing found.", err=True)
        now = store.ledger.clock().timestamp()
        for hit in hits:
            name = click.style(store.short_name(hit.memory), fg="yellow")
            when = age(hit.memory.created, now)
            click.echo(f"{hit.score:.2f}  {name}  {when:>4}  {hit.memory.summary}")
            if explain:
                parts = ", ".join(
                    f"{part} {value:.2f}" for part, value in hit.why.as_json().items()
                )
                click.echo(f"      {parts}")

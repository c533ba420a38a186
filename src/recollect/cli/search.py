"""`recollect search`: find memories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from recollect.api.recollect import Recollect
from recollect.api.results import Answer
from recollect.cli.filters import filter_options, given_filters
from recollect.cli.output import MINE, echo_json, json_option, opened, warn
from recollect.config.keys import KEYS
from recollect.core.age import age

_MODES = next(key.choices for key in KEYS if key.name == "recall.match_strategy")


@click.command()
@click.argument("query")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 1000),
    default=10,
    help="At most this many (default: 10).",
)
@filter_options
@click.option(
    "--mode", type=click.Choice(_MODES), help="How to match (default: recall.match_strategy)."
)
@click.option(
    "--min-similarity", type=float, metavar="F", help="Skip matches below this similarity."
)
@click.option("--as-of", metavar="WHEN", help="Search the memories as of a commit or date.")
@click.option("--all", "weaker", is_flag=True, help="Also show weaker matches.")
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
    weaker: bool,
    explain: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Find memories that answer QUERY, best first.

    QUERY is any text, also parts of words and times such as "last week". Your own memories are
    searched with those of the project, and marked [mine]. Private and secret memories are found
    only when --sensitivity asks for them.
    """
    with opened(ctx) as store:
        hits = store.search(
            query,
            limit,
            mode=mode,
            min_similarity=min_similarity,
            as_of=as_of,
            weaker=weaker,
            **given_filters(options),
        )
        warn(store)
        if as_json:
            echo_json(
                [
                    {
                        **hit.memory.as_json(),
                        **({"mine": True} if hit.mine else {}),
                        "score": round(hit.score, 4),
                        "why": hit.why.as_json(),
                    }
                    for hit in hits
                ]
            )
        else:
            _echo_lines(store, hits, explain=explain)
        if hits.weaker:
            more = "1 weaker match" if hits.weaker == 1 else f"{hits.weaker} weaker matches"
            click.echo(f"{'' if hits else 'No answer found; '}{more}; --all shows them", err=True)
        elif not hits:
            click.echo("Nothing found.", err=True)


def _echo_lines(store: Recollect, hits: Iterable[Answer], *, explain: bool) -> None:
    now = store.now()
    for hit in hits:
        name = click.style(store.short_name(hit.memory), fg="yellow")
        mark = click.style(MINE, fg="cyan") if hit.mine else ""
        when = age(hit.memory.created, now)
        click.echo(f"{hit.score:.2f}  {name}  {when:>4}  {hit.memory.summary}{mark}")
        if explain:
            parts = ", ".join(f"{part} {value:.2f}" for part, value in hit.why.as_json().items())
            click.echo(f"      {parts}")

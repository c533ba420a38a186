"""`recollect search`: find memories."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby

import click

from recollect.api.recollect import Recollect
from recollect.api.results import (
    READ_COMMIT,
    Answer,
    PastCommit,
    weaker_matches,
)
from recollect.cli.filters import filter_options, given_filters
from recollect.cli.output import (
    MINE,
    echo_json,
    json_option,
    listed_as_json,
    marks_of,
    opened,
    warn,
)
from recollect.config.keys import KEYS
from recollect.core.age import age
from recollect.errors import RecollectError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.api.everywhere import Elsewhere

# If there are fewer answers than this, weaker matches follow: if nothing is sure, or for a question
# of so many words those with this share of the best score.
NEAREST = 5
SENTENCE = 6
NEAR = 0.5
# A memory without a word of the question comes near it from this cosine on: so have nine of ten
# that answer one, and half of what is nearest to a question about something else (the seven
# projects of `python -m benchmarks.gate`).
NEAR_COSINE = 0.15
_MODES = (
    *next(key.choices for key in KEYS if key.name == "recall.match_strategy"),
    "substring",
)


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
@click.option("--everywhere", is_flag=True, help="Also ask your team's server (server.url).")
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
    everywhere: bool,
    explain: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Find memories that answer QUERY, best first.

    QUERY is any text, also parts of words and times such as "last week". Your own memories are
    searched with those of the project, and marked [mine]. Private and secret memories are found
    only when --sensitivity asks for them.
    """
    with opened(ctx, quickly=True) as store:
        look = partial(
            store.search,
            query,
            mode=mode,
            min_similarity=min_similarity,
            as_of=as_of,
            **given_filters(options),
        )
        hits = look(limit=limit, weaker=weaker)
        sure, left = len(hits), hits.weaker
        is_plain = mode in (None, "hybrid", "text") and min_similarity is None and as_of is None
        is_open = is_plain and not given_filters(options)
        strong = hits[: hits.strong]
        ordered = store.with_history(query, strong, limit) if is_open else [*strong]
        past = [one for one in ordered if isinstance(one, PastCommit)]
        best = max((hit.score for hit in hits), default=0.0)
        hits[: hits.strong] = [one for one in ordered if not isinstance(one, PastCommit)]
        if left and sure < NEAREST and (not sure or len(query.split()) >= SENTENCE):
            # Whoever asks in a sentence often uses other words than the memory.
            near = [
                hit
                for hit in look(limit=limit, weaker=True)[sure:]
                if hit.score >= best * NEAR and (hit.why.keyword or hit.why.vector >= NEAR_COSINE)
            ]
            hits += near[: NEAREST - sure]
            left -= len(hits) - sure
        warn(store)
        elsewhere = _elsewhere(store, query, limit, given_filters(options)) if everywhere else []
        if as_json:
            shown = [
                {
                    **one,
                    **({"weaker": True} if place >= sure else {}),
                    **_replaced(hit),
                    "score": round(hit.score, 4),
                    "why": hit.why.as_json(),
                }
                for place, (one, hit) in enumerate(
                    zip(listed_as_json(hits, store), hits, strict=True)
                )
            ]
            # In the order of the lines: a commit before memories that only come near.
            rest = iter(shown)
            first = [
                one.as_json() if isinstance(one, PastCommit) else next(rest) for one in ordered
            ]
            echo_json([*first, *rest, *(one.as_json() for one in elsewhere)])
        else:
            _echo_in_order(store, ordered, explain=explain)
            _echo_lines(store, hits[len(strong) : sure], explain=explain)
            if hits[sure:]:
                nearest = "The nearest memories:" if past else "No sure answer. The nearest:"
                click.echo("Weaker matches:" if sure else nearest, err=True)
                _echo_lines(store, hits[sure:], explain=explain)
            if elsewhere:
                click.echo("In other repositories:", err=True)
            for one in elsewhere:
                name = click.style(one.id, fg="yellow")
                home = click.style(f"[{one.repository}]", fg="cyan")
                click.echo(f"{one.score:.2f}  {name}  {one.age:>4}  {one.summary} {home}")
        pending = store.pending_history() if past else 0
        if pending:
            click.echo(
                f"{pending:,} commits of the history can't be found by meaning yet. If nothing"
                " computes their vectors now, run: recollect learn --history",
                err=True,
            )
        if left > 0:
            click.echo(f"{weaker_matches(left)}; --all shows them", err=True)
        elif not hits and not elsewhere and not past:
            click.echo("Nothing found.", err=True)


def _echo_in_order(
    store: Recollect, found: Sequence[Answer | PastCommit], *, explain: bool
) -> None:
    """Print memories and commits, the best first, each run under a line that says what it is."""
    before: type[object] = Answer
    for kind, run in groupby(found, key=type):
        if kind is PastCommit:
            click.echo("From the history (commits, not memories):", err=True)
            _echo_commits([one for one in run if isinstance(one, PastCommit)])
        else:
            if before is PastCommit:
                click.echo("Memories:", err=True)
            _echo_lines(store, [one for one in run if isinstance(one, Answer)], explain=explain)
        before = kind
    if any(isinstance(one, PastCommit) for one in found):
        click.echo(READ_COMMIT, err=True)


def _echo_commits(commits: Sequence[PastCommit]) -> None:
    for one in commits:
        name = click.style(one.short, fg="yellow")
        click.echo(f"      {name}  {one.created[:10]}  {one.subject} ({one.author})")
        if one.reason:
            click.echo(f"                    {one.reason}")


def _elsewhere(
    store: Recollect, query: str, limit: int, filters: dict[str, Any]
) -> list[Elsewhere]:
    """What the server finds that is not here; if it cannot be asked, a message says why."""
    from recollect.api.everywhere import search_everywhere

    try:
        found = search_everywhere(store.config, os.environ, query, limit, filters)
    except RecollectError as error:
        click.echo(f"Only local results. {error.message} {error.hint}", err=True)
        return []
    known = {memory.uid for memory in store.get_many([one.uid for one in found])}
    return [one for one in found if one.uid not in known]


def _replaced(hit: Answer) -> dict[str, Any]:
    return {"replaced_by": hit.replaced_by.as_reference()} if hit.replaced_by else {}


def _echo_lines(store: Recollect, hits: Iterable[Answer], *, explain: bool) -> None:
    now = store.now()
    for hit in hits:
        name = click.style(store.short_name(hit.memory), fg="yellow")
        marks = marks_of(hit.memory, now) + (MINE if hit.mine else "")
        if hit.replaced_by is not None:
            marks += f" [replaced by {store.short_name(hit.replaced_by)}]"
        marks = click.style(marks, fg="cyan") if marks else ""
        when = age(hit.memory.created, now)
        click.echo(f"{hit.score:.2f}  {name}  {when:>4}  {hit.memory.summary}{marks}")
        if explain:
            parts = ", ".join(f"{part} {value:.2f}" for part, value in hit.why.as_json().items())
            click.echo(f"      {parts}")

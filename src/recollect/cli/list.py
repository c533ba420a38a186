"""`recollect list`: list memories, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from recollect.api.recollect import Recollect
from recollect.api.results import Listed
from recollect.cli.filters import filter_options, given_filters
from recollect.cli.output import echo_json, json_option, lines_of, listed_as_json, opened, warn
from recollect.cli.terminal import echo_paged
from recollect.errors import ValidationError


@click.command()
@click.option("-n", "--limit", type=click.IntRange(min=1), help="Only so many, the newest.")
@click.option("--run", metavar="RUN", help="Only from this import or sleep, such as import-3.")
@filter_options
@json_option
@click.pass_context
def list_command(
    ctx: click.Context, /, limit: int | None, run: str | None, as_json: bool, **options: Any
) -> None:
    """List memories, newest first.

    Your own memories are listed with those of the project, marked [mine]. Archived and retired
    memories are listed only if --status asks for them, private, secret and unclassified ones only
    if --sensitivity does.
    """
    with opened(ctx, quickly=True) as store:
        found = store.browse(newest_first=True, **given_filters(options))
        found = (_of_run(store, run, found) if run else found)[:limit]
        warn(store)
        if as_json:
            echo_json(listed_as_json(found, store))
        elif found:
            mine = {one.memory.uid for one in found if one.mine}
            echo_paged(lines_of([one.memory for one in found], store, mine))
        else:
            click.echo(
                "Nothing found. To add a memory, run: recollect capture KIND SUMMARY", err=True
            )


def _of_run(store: Recollect, name: str, found: Sequence[Listed]) -> list[Listed]:
    """Return the memories among some that a run wrote. A killed run may name what it planned."""
    run = next((one for one in store.runs() if one.name == name.strip().lower()), None)
    if run is None:
        raise ValidationError(f"There is no run {name!r}.", "To list them, run: recollect undo")
    wrote = frozenset(part for pair in run.records for part in pair)
    return [one for one in found if wrote & {one.memory.uid, one.memory.nonce}]

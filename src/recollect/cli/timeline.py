"""`recollect timeline`: list memories by day."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import click

from recollect.api.results import Listed
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
from recollect.core.age import counted


@click.command()
@filter_options
@json_option
@click.pass_context
def timeline_command(ctx: click.Context, /, as_json: bool, **options: Any) -> None:
    """Show memories by day, oldest first.

    Your own memories are listed with those of the project, marked [mine]. Private, secret and
    unclassified memories are listed only if --sensitivity asks for them.
    """
    with opened(ctx) as store:
        now = store.now()

        def created(one: Listed) -> str:
            return counted(one.memory.created, now)

        found = store.browse(**given_filters(options))
        warn(store)
        if as_json:
            echo_json(listed_as_json(found, store))
            return
        for day, of_day in groupby(found, key=lambda one: (created(one) or "no date")[:10]):
            click.secho(day, bold=True)
            for one in of_day:
                mark = marks_of(one.memory, now) + (MINE if one.mine else "")
                name = store.short_name(one.memory)
                click.echo(f"  {created(one)[11:16]:<5}  {name}  {one.memory.summary}{mark}")

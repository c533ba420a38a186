"""The options that choose memories, the same for every command that lists some."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from recollect.core.fields import CONCEPTS, SENSITIVITIES

_OPTIONS: tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...] = (
    click.option("-k", "--kind", metavar="KIND", help="Only this kind."),
    click.option("--spec", help="Only this specification."),
    click.option("-t", "--tag", "tags", multiple=True, help="Only with this tag; may be repeated."),
    click.option("--file", metavar="PATH", help="Only about this file or folder."),
    click.option("--concept", type=click.Choice(CONCEPTS), help="Only with this facet."),
    click.option("--session", help="Only from this session."),
    click.option("--since", metavar="WHEN", help="Only since 30d ago, 2026-08-23, or a commit."),
    click.option("--until", metavar="WHEN", help="Only until then."),
    click.option(
        "-s",
        "--status",
        multiple=True,
        metavar="STATUS",
        help="active, resolved, archived, retired or all; active and resolved if left out.",
    ),
    click.option(
        "--sensitivity",
        multiple=True,
        type=click.Choice((*SENSITIVITIES, "all")),
        help="Which to look at; may be repeated.",
    ),
)


def filter_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that choose memories."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def given_filters(options: dict[str, Any]) -> dict[str, Any]:
    """The filters that were given, without those left out."""
    return {name: value for name, value in options.items() if value not in (None, ())}

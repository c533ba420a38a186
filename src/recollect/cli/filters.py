"""The options that filter memories, shared by every command that lists them."""

from __future__ import annotations

from collections.abc import Callable

import click

from recollect.cli.fields import split_tags
from recollect.core.fields import CONCEPTS, OBSERVATION_TYPES, SENSITIVITIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

sensitivity_option = click.option(
    "--sensitivity",
    multiple=True,
    type=click.Choice((*SENSITIVITIES, "all")),
    help="Only this sensitivity; may be repeated (default: public).",
)

_OPTIONS: tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...] = (
    click.option("-k", "--kind", metavar="KIND", help="Only this kind."),
    click.option("--spec", help="Only this specification."),
    click.option(
        "-t",
        "--tag",
        "tags",
        multiple=True,
        callback=split_tags,
        help="Only with this tag, or all of several with commas; may be repeated.",
    ),
    click.option("--file", metavar="PATH", help="Only about this file or folder, or naming it."),
    click.option("--concept", type=click.Choice(CONCEPTS), help="Only with this concept."),
    click.option(
        "--type",
        "observation_type",
        type=click.Choice(OBSERVATION_TYPES),
        help="Only with this type of observation.",
    ),
    click.option("--session", help="Only from this session."),
    click.option("--since", metavar="WHEN", help="Only since then: 30d, 2026-08-23, or a commit."),
    click.option("--until", metavar="WHEN", help="Only until then."),
    click.option(
        "-s",
        "--status",
        multiple=True,
        metavar="STATUS",
        help="active, resolved, unconfirmed, archived, retired or all (default: active and"
        " resolved).",
    ),
    click.option("--expired", is_flag=True, default=None, help="Also what is past its lifetime."),
    sensitivity_option,
)


def filter_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that filter memories."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def given_filters(options: dict[str, Any]) -> dict[str, Any]:
    """The filters that were given on the command line."""
    return {name: value for name, value in options.items() if value not in (None, ())}

"""The options that describe a memory, the same for `capture` and `edit`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from recollect.core.fields import CONCEPTS, OBSERVATION_TYPES, SENSITIVITIES
from recollect.errors import ValidationError

_OPTIONS: tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...] = (
    click.option(
        "-m", "--body", "messages", multiple=True, help="The body; several make paragraphs."
    ),
    click.option(
        "-F", "--body-file", metavar="FILE", help="Read the body from a file, or - for stdin."
    ),
    click.option("-t", "--tag", "tags", multiple=True, help="A tag; may be repeated."),
    click.option("--spec", help="The specification it belongs to."),
    click.option("--phase", help="The phase of work: planning, implementation, review, …"),
    click.option(
        "--type", "observation_type", type=click.Choice(OBSERVATION_TYPES), help="What it observes."
    ),
    click.option(
        "--concept",
        "concepts",
        multiple=True,
        type=click.Choice(CONCEPTS),
        help="A facet; may be repeated.",
    ),
    click.option(
        "--file",
        "files_modified",
        multiple=True,
        metavar="PATH",
        help="A file it is about; may be repeated.",
    ),
    click.option(
        "--read",
        "files_read",
        multiple=True,
        metavar="PATH",
        help="A file that was read for it; may be repeated.",
    ),
    click.option(
        "--relates-to",
        "relates_to",
        multiple=True,
        metavar="ID",
        help="A memory it relates to; may be repeated.",
    ),
    click.option("--importance", type=float, help="From 0 to 1."),
    click.option("--confidence", type=float, help="From 0 to 1."),
    click.option(
        "--sensitivity",
        type=click.Choice(SENSITIVITIES),
        help="private and secret never leave this machine.",
    ),
    click.option("--ttl", type=int, metavar="DAYS", help="Days after which it expires."),
    click.option("--session", help="The agent's session it comes from."),
)


def memory_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that describe a memory."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def given_body(messages: tuple[str, ...], body_file: str | None) -> str | None:
    """The body that the options give, or None if they give none."""
    if body_file is None:
        return "\n\n".join(messages) if messages else None
    if messages:
        raise ValidationError("Both -m and -F were given.", "Give the body once.")
    try:
        if body_file == "-":
            return sys.stdin.buffer.read().decode("utf-8")
        return Path(body_file).read_bytes().decode("utf-8")
    except OSError as error:
        raise ValidationError(f"The body cannot be read: {error}") from None
    except UnicodeDecodeError:
        raise ValidationError("The body is not UTF-8 text.", "Store text only.") from None


def given_fields(options: dict[str, Any]) -> dict[str, Any]:
    """The fields that were given, without those left out."""
    lists = {
        name: list(value) if isinstance(value, tuple) else value for name, value in options.items()
    }
    return {name: value for name, value in lists.items() if value not in (None, [])}

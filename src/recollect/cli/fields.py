"""The options that describe a memory, shared by `capture` and `edit`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from recollect.core.fields import CONCEPTS, OBSERVATION_TYPES, SENSITIVITIES
from recollect.errors import ValidationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def split_tags(
    _context: click.Context, _option: click.Parameter, given: tuple[str, ...]
) -> tuple[str, ...]:
    """Split `--tag a,b` into two tags."""
    return tuple(
        part for one in given for part in one.split(",") if part.strip() or not one.strip()
    )


_OPTIONS: tuple[Callable[[Callable[..., Any]], Callable[..., Any]], ...] = (
    click.option(
        "-m", "--body", "messages", multiple=True, help="The body; each one is a paragraph."
    ),
    click.option(
        "-F", "--body-file", metavar="FILE", help="Read the body from a file, or - for stdin."
    ),
    click.option(
        "-t",
        "--tag",
        "tags",
        multiple=True,
        callback=split_tags,
        help="A tag, or several with commas; may be repeated.",
    ),
    click.option("--spec", help="The specification it belongs to."),
    click.option("--phase", help="The phase of work, such as planning or review."),
    click.option(
        "--type",
        "observation_type",
        type=click.Choice(OBSERVATION_TYPES),
        help="The type of observation.",
    ),
    click.option(
        "--concept",
        "concepts",
        multiple=True,
        type=click.Choice(CONCEPTS),
        help="A concept; may be repeated.",
    ),
    click.option(
        "--asked-as",
        "asked_as",
        multiple=True,
        metavar="QUESTION",
        help="A question that it answers, in other words; up to five times.",
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
        help="A file that you read for it; may be repeated.",
    ),
    click.option(
        "--relates-to",
        "relates_to",
        multiple=True,
        metavar="ID",
        help="A related memory; may be repeated.",
    ),
    click.option("--importance", type=float, help="From 0 to 1."),
    click.option("--confidence", type=float, help="From 0 to 1."),
    click.option(
        "--sensitivity",
        type=click.Choice(SENSITIVITIES),
        help="private and secret memories never leave this machine.",
    ),
    click.option("--ttl", type=int, metavar="DAYS", help="Expire after this many days."),
    click.option("--session", help="The agent's session that it comes from."),
)


def memory_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that describe a memory."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def given_body(messages: tuple[str, ...], body_file: str | None) -> str | None:
    """The body from the options, or None if there is none."""
    if body_file is None:
        return "\n\n".join(messages) if messages else None
    if messages:
        raise ValidationError("You gave both -m and -F.", "Use one of them.")
    try:
        if body_file == "-":
            return sys.stdin.buffer.read().decode("utf-8")
        return Path(body_file).read_bytes().decode("utf-8")
    except OSError as error:
        raise ValidationError(f"The body cannot be read: {error}") from None
    except UnicodeDecodeError:
        raise ValidationError("The body is not UTF-8 text.", "Send text only.") from None


def given_fields(options: dict[str, Any]) -> dict[str, Any]:
    """The fields that were given on the command line."""
    lists = {
        name: list(value) if isinstance(value, tuple) else value for name, value in options.items()
    }
    return {name: value for name, value in lists.items() if value not in (None, [])}

"""`recollect review`: accept or reject what was noticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from recollect.api.recollect import Recollect
from recollect.capture import suggestions
from recollect.capture.suggestions import Suggestion
from recollect.cli.output import echo_json, json_option, opened
from recollect.core.names import short
from recollect.errors import ValidationError


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def review_command(ctx: click.Context, as_json: bool) -> None:
    """List what was noticed and waits for a word: accept or reject."""
    if ctx.invoked_subcommand is not None:
        return
    with opened(ctx) as store:
        waiting = suggestions.suggestions(store)
        if as_json:
            echo_json([suggestion.as_json() for suggestion in waiting])
            return
        if not waiting:
            click.echo("Nothing waits for review.", err=True)
        for suggestion in waiting:
            click.echo(
                f"{click.style(suggestion.name, fg='yellow')}  {suggestion.confidence:.2f} "
                f" {suggestion.draft.get('kind')}: {suggestion.draft.get('summary')}"
            )
            if suggestion.updates:
                click.echo("        changes what is known already")
            for line in str(suggestion.draft.get("body") or "").strip().splitlines()[:4]:
                click.echo(f"        {line}")


def _choosing(command: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments by which suggestions are chosen."""
    for decorator in (
        click.pass_context,
        json_option,
        click.option("--all", "every", is_flag=True, help="All of them."),
        click.argument("names", nargs=-1, metavar="[ID]..."),
    ):
        command = decorator(command)
    return command


def _chosen(store: Recollect, names: tuple[str, ...], every: bool) -> list[Suggestion]:
    if every == bool(names):
        raise ValidationError("Name suggestions, or say --all.", "List them: recollect review")
    return suggestions.suggestions(store) if every else suggestions.named(store, names)


@review_command.command("accept")
@_choosing
def accept_command(ctx: click.Context, names: tuple[str, ...], every: bool, as_json: bool) -> None:
    """Make memories of suggestions."""
    with opened(ctx) as store:
        memories = suggestions.accept(store, _chosen(store, names, every))
    if as_json:
        echo_json([memory.as_json() for memory in memories])
        return
    for memory in memories:
        click.echo(short(memory.id))
        click.echo(f"Remembered: {memory.summary}", err=True)


@review_command.command("reject")
@_choosing
def reject_command(ctx: click.Context, names: tuple[str, ...], every: bool, as_json: bool) -> None:
    """Drop suggestions; they are not suggested again."""
    with opened(ctx) as store:
        chosen = _chosen(store, names, every)
        suggestions.reject(store, chosen)
    if as_json:
        echo_json([suggestion.as_json() for suggestion in chosen])
    else:
        click.echo(f"Rejected: {len(chosen)}", err=True)

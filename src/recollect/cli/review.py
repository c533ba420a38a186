"""`recollect review`: accept or reject suggestions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from recollect.cli.output import echo_json, json_option, opened
from recollect.core.authority import SuggestedChange, plain
from recollect.core.names import short
from recollect.errors import ValidationError

_NAME_LENGTH = 6


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def review_command(ctx: click.Context, as_json: bool) -> None:
    """List suggestions; accept or reject them."""
    if ctx.invoked_subcommand is not None:
        return
    with opened(ctx) as store:
        waiting, changes = store.review()
        if as_json:
            shown = [suggestion.as_json() for suggestion in waiting]
            echo_json(shown + [{"id": change_name(c), **c.as_json()} for c in changes])
            return
        if not waiting and not changes:
            click.echo("Nothing to review.", err=True)
        for change in changes:
            fields = ", ".join(f"{k} = {json.dumps(v)}" for k, v in sorted(change.fields.items()))
            name = store.short_name(store.get(change.memory))
            click.echo(
                f"{click.style(change_name(change), fg='yellow')}  {name}: {fields}"
                f" (suggested by {plain(change.by or 'somebody')})"
            )
        for suggestion in waiting:
            click.echo(
                f"{click.style(suggestion.name, fg='yellow')}  {suggestion.confidence:.2f} "
                f" {suggestion.draft.get('kind')}: {suggestion.draft.get('summary')}"
            )
            if suggestion.updates:
                click.echo("        updates an existing memory")
            if suggestion.document or suggestion.is_unknown:
                click.echo(f"        from {suggestion.why}")
            for line in str(suggestion.draft.get("body") or "").strip().splitlines()[:4]:
                click.echo(f"        {line}")


def change_name(change: SuggestedChange) -> str:
    """Return the short id of a change that somebody else suggests."""
    return change.record[-_NAME_LENGTH:].lower()


def _choosing(command: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments that choose suggestions."""
    for decorator in (
        click.pass_context,
        json_option,
        click.option("--all", "every", is_flag=True, help="All of them."),
        click.argument("names", nargs=-1, metavar="[ID]..."),
    ):
        command = decorator(command)
    return command


def _wanted(names: tuple[str, ...], every: bool) -> tuple[str, ...] | None:
    """The names that were given; None for all."""
    if every == bool(names):
        raise ValidationError(
            "Give the ids of suggestions, or --all.", "To list them, run: recollect review"
        )
    return None if every else names


@review_command.command("accept")
@_choosing
def accept_command(ctx: click.Context, names: tuple[str, ...], every: bool, as_json: bool) -> None:
    """Accept suggestions: they become memories."""
    with opened(ctx) as store:
        by = "agent" if ctx.obj.agent else "user"
        memories = store.accept(_wanted(names, every), by=by)
    if as_json:
        echo_json([memory.as_json() for memory in memories])
        return
    for memory in memories:
        click.echo(short(memory.id))
        click.echo(f"Remembered: {memory.summary}", err=True)


@review_command.command("reject")
@_choosing
def reject_command(ctx: click.Context, names: tuple[str, ...], every: bool, as_json: bool) -> None:
    """Reject suggestions: they are not suggested again."""
    with opened(ctx) as store:
        chosen, changes = store.reject(_wanted(names, every))
    if as_json:
        shown = [suggestion.as_json() for suggestion in chosen]
        echo_json(shown + [change.as_json() for change in changes])
    else:
        click.echo(f"Rejected: {len(chosen) + len(changes)}", err=True)

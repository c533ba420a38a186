"""`recollect review`: accept or reject what was noticed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from recollect.api import review
from recollect.api.recollect import Recollect
from recollect.capture import suggestions
from recollect.capture.suggestions import Suggestion
from recollect.cli.output import echo_json, json_option, opened
from recollect.core.authority import SuggestedChange, plain
from recollect.core.names import short
from recollect.errors import ValidationError

_NAME_LENGTH = 6


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def review_command(ctx: click.Context, as_json: bool) -> None:
    """List what was noticed and waits for a word: accept or reject."""
    if ctx.invoked_subcommand is not None:
        return
    with opened(ctx) as store:
        waiting = suggestions.suggestions(store)
        changes = store.suggested_changes()
        if as_json:
            shown = [suggestion.as_json() for suggestion in waiting]
            echo_json(shown + [{"id": change_name(c), **c.as_json()} for c in changes])
            return
        if not waiting and not changes:
            click.echo("Nothing waits for review.", err=True)
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
                click.echo("        changes what is known already")
            if suggestion.document or suggestion.is_unknown:
                click.echo(f"        from {suggestion.why}")
            for line in str(suggestion.draft.get("body") or "").strip().splitlines()[:4]:
                click.echo(f"        {line}")


def change_name(change: SuggestedChange) -> str:
    """What people type for a change that somebody else suggested."""
    return change.record[-_NAME_LENGTH:].lower()


def _changes(
    store: Recollect, names: tuple[str, ...], every: bool
) -> tuple[list[SuggestedChange], tuple[str, ...]]:
    """The suggested changes among what was named, and the names that mean something else."""
    waiting = store.suggested_changes()
    if every:
        return waiting, ()
    found = {n: [c for c in waiting if n and c.record.lower().endswith(n.lower())] for n in names}
    chosen = [meant[0] for meant in found.values() if len(meant) == 1]
    return chosen, tuple(name for name, meant in found.items() if len(meant) != 1)


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


def _chosen(
    store: Recollect, names: tuple[str, ...], every: bool
) -> tuple[list[Suggestion], list[SuggestedChange]]:
    if every == bool(names):
        raise ValidationError("Name suggestions, or say --all.", "List them: recollect review")
    changes, others = _changes(store, names, every)
    if every:
        return suggestions.suggestions(store), changes
    return suggestions.named(store, others), changes


@review_command.command("accept")
@_choosing
def accept_command(ctx: click.Context, names: tuple[str, ...], every: bool, as_json: bool) -> None:
    """Make memories of suggestions."""
    with opened(ctx) as store:
        by = "agent" if ctx.obj.agent else "user"
        chosen, changes = _chosen(store, names, every)
        memories = review.accept(store, chosen, by=by)
        memories += [store.accept_change(change.record) for change in changes]
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
        chosen, changes = _chosen(store, names, every)
        suggestions.reject(store, chosen)
        for change in changes:
            store.reject_change(change.record)
    if as_json:
        shown = [suggestion.as_json() for suggestion in chosen]
        echo_json(shown + [change.as_json() for change in changes])
    else:
        click.echo(f"Rejected: {len(chosen) + len(changes)}", err=True)

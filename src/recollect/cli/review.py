"""`recollect review`: accept, reject or merge what was noticed and what others suggest."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from recollect.api.recollect import Recollect
from recollect.api.reviews import Review
from recollect.cli.output import echo_json, json_option, opened
from recollect.cli.review_lines import change_name, echo_change, where_from
from recollect.core.names import short
from recollect.errors import ValidationError

_MOST_LINES = 4


@click.group(invoke_without_command=True)
@click.option(
    "--reset-learning",
    is_flag=True,
    help="Forget what detection learned from your decisions, and stop.",
)
@json_option
@click.pass_context
def review_command(ctx: click.Context, reset_learning: bool, as_json: bool) -> None:
    """Decide about unconfirmed memories and suggestions.

    On a terminal, asks about one after the other. Otherwise, lists them.
    """
    if ctx.invoked_subcommand is not None:
        return
    with opened(ctx) as store:
        if reset_learning:
            store.forget_learned()
            click.echo("Forgot what detection learned from your decisions.", err=True)
            return
        review = store.review()
        if as_json:
            echo_json(_as_json(store, review))
        elif not review.total:
            click.echo("Nothing to review.", err=True)
        elif sys.stdin.isatty() and sys.stdout.isatty() and not ctx.obj.agent:
            from recollect.cli.reviewing import ask_about

            ask_about(store, review)
        else:
            _list(store, review)


def _as_json(store: Recollect, review: Review) -> list[dict[str, Any]]:
    """Everything that waits; `what` says what each is."""
    noticed = []
    for memory in review.unconfirmed:
        old = store.would_supersede(memory)
        noticed.append(
            {
                **memory.as_json(),
                "what": "unconfirmed",
                "why": memory.provenance.get("why"),
                "would_supersede": old.as_reference() if old is not None else None,
            }
        )
    return [
        *noticed,
        *({**suggestion.as_json(), "what": "suggestion"} for suggestion in review.suggestions),
        *({"id": change_name(c), **c.as_json(), "what": "change"} for c in review.changes),
    ]


def _list(store: Recollect, review: Review) -> None:
    for memory in review.unconfirmed:
        click.echo(
            f"{click.style(store.short_name(memory), fg='yellow')}  {memory.confidence:.2f} "
            f" {memory.kind}: {memory.summary}"
        )
        click.echo(f"        {where_from(store, memory)}")
        old = store.would_supersede(memory)
        if old is not None:
            click.echo(f"        would supersede {store.short_name(old)}: {old.summary}")
        _echo_body(memory.text)
    for change in review.changes:
        echo_change(store, change)
    for suggestion in review.suggestions:
        click.echo(
            f"{click.style(suggestion.name, fg='yellow')}  {suggestion.confidence:.2f} "
            f" {suggestion.draft.get('kind')}: {suggestion.draft.get('summary')}"
        )
        if suggestion.document or suggestion.is_unknown:
            click.echo(f"        from {suggestion.why}")
        _echo_body(str(suggestion.draft.get("body") or ""))


def _echo_body(text: str) -> None:
    for line in text.strip().splitlines()[:_MOST_LINES]:
        click.echo(f"        {line}")


def _choosing(command: Callable[..., Any]) -> Callable[..., Any]:
    """The arguments that choose what to decide about."""
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
            "Give the ids of what you decide about, or --all.",
            "To list them, run: recollect review",
        )
    return None if every else names


@review_command.command("accept")
@click.option(
    "--keep-both", is_flag=True, help="Do not archive a memory that the accepted one supersedes."
)
@click.option(
    "--user-said", default="", metavar="TEXT", help="In an agent: the user's exact words."
)
@_choosing
def accept_command(
    ctx: click.Context,
    names: tuple[str, ...],
    every: bool,
    as_json: bool,
    keep_both: bool,
    user_said: str,
) -> None:
    """Accept: they become memories that others get, too.

    If one supersedes another memory, that one is archived; its text stays.
    """
    with opened(ctx) as store:
        by = "agent" if ctx.obj.agent else "user"
        wanted = _wanted(names, every)
        before = [store.would_supersede(m) for m in store.review(wanted).unconfirmed]
        memories = store.accept(wanted, by=by, user_said=user_said, keep_both=keep_both)
    if as_json:
        echo_json([memory.as_json() for memory in memories])
        return
    for memory in memories:
        click.echo(short(memory.id))
        click.echo(f"Remembered: {memory.summary}", err=True)
    for old in before:
        if old is not None and not keep_both:
            click.echo(f"Replaced: {short(old.id)}  {old.summary}", err=True)


@review_command.command("reject")
@_choosing
def reject_command(ctx: click.Context, names: tuple[str, ...], every: bool, as_json: bool) -> None:
    """Reject: neither they nor their like come again."""
    with opened(ctx) as store:
        rejected = store.reject(_wanted(names, every))
        if as_json:
            echo_json(_as_json(store, rejected))
            return
    click.echo(f"Rejected: {rejected.total}", err=True)
    for memory in rejected.unconfirmed:
        click.echo(f"To undo it, run: recollect restore {short(memory.id)}", err=True)


@review_command.command("merge")
@click.argument("name", metavar="ID")
@click.argument("into", metavar="INTO")
@json_option
@click.pass_context
def merge_command(ctx: click.Context, name: str, into: str, as_json: bool) -> None:
    """Add the text of a memory to the memory INTO, and archive it."""
    with opened(ctx) as store:
        memory = store.merge_into(name, into)
    if as_json:
        echo_json(memory.as_json())
    else:
        click.echo(short(memory.id))
        click.echo(f"Merged into: {memory.summary}", err=True)

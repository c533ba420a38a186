"""`recollect capture`: remember something."""

from __future__ import annotations

from typing import Any

import click

from recollect.cli.fields import given_body, given_fields, memory_options
from recollect.cli.output import echo_json, json_option, opened, said_here
from recollect.core.names import short


@click.command()
@click.argument("kind")
@click.argument("summary")
@memory_options
@click.option(
    "--at", default="HEAD", metavar="REV", show_default=True, help="The commit it belongs to."
)
@click.option("--project", is_flag=True, help="It belongs to the whole project, not to a commit.")
@json_option
@click.pass_context
def capture_command(
    ctx: click.Context,
    /,
    kind: str,
    summary: str,
    messages: tuple[str, ...],
    body_file: str | None,
    at: str,
    project: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Remember SUMMARY as a memory of KIND, next to the current commit.

    Prints the id. KIND is decisions, preferences, constraints, runbooks, tech-debt, sessions,
    learnings, patterns, solutions, research, reviews, retrospective, inception, elicitation,
    progress, blockers, notes or facts; singulars work too.
    """
    with opened(ctx) as store:
        body = given_body(messages, body_file) or ""
        memory = store.capture(
            kind,
            summary,
            body,
            at=None if project else at,
            provenance={**said_here(ctx, store, f"{summary}\n{body}"), "via": "cli"},
            **given_fields(options),
        )
    if as_json:
        echo_json(memory.as_json())
    else:
        click.echo(short(memory.id))
        click.echo(f"Remembered: {memory.summary}", err=True)

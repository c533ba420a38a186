"""`recollect capture`: capture a memory."""

from __future__ import annotations

from typing import Any

import click

from recollect.api.duplicates import hidden_as
from recollect.cli.fields import given_body, given_fields, memory_options
from recollect.cli.output import echo_json, echo_notes, json_option, opened, said_here, warnings_of
from recollect.core.kinds import KINDS
from recollect.core.names import short

*_FIRST, _LAST = (kind.name for kind in KINDS)
_HELP = f"""Capture a memory, attached to the current commit.

SUMMARY is one line. Prints the id. If a memory with the same text exists, the id is that of the
existing one, which gets the tags, concepts and files that it does not have yet.

KIND is {", ".join(_FIRST)} or {_LAST}; singulars work too.
"""


@click.command(help=_HELP)
@click.argument("kind")
@click.argument("summary")
@memory_options
@click.option(
    "--at", default="HEAD", metavar="REV", show_default=True, help="Attach it to this commit."
)
@click.option("--project", is_flag=True, help="Attach it to the whole project, not to a commit.")
@click.option("--force", is_flag=True, help="Capture it even if the same text is known.")
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
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Capture a memory, attached to the current commit."""
    with opened(ctx) as store:
        body = given_body(messages, body_file) or ""
        captured = store.capture_once(
            kind,
            summary,
            body,
            at=None if project else at,
            force=force,
            provenance={**said_here(ctx, store, f"{summary}\n{body}"), "via": "cli"},
            **given_fields(options),
        )
        warnings = warnings_of(store)
    memory = captured.memory
    if as_json:
        known = {"done": "known already", "merged": list(captured.merged)}
        also = {} if captured.is_new else known
        echo_json({**memory.as_json(), **also, "warnings": warnings})
        return
    click.echo(short(memory.id))
    if captured.is_new:
        click.echo(f"Remembered: {memory.summary}", err=True)
    else:
        added = ", ".join(captured.merged)
        wrote = f"Added to it: {added}." if added else "Nothing was written."
        click.echo(
            f"Known already: {memory.summary}\n{wrote} To capture it again, add --force", err=True
        )
    for hidden in captured.hidden:
        click.echo(
            f"Note: {short(hidden.id)} has the same text and is {hidden_as(hidden)}.", err=True
        )
    echo_notes(warnings)

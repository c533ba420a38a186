"""`recollect export`: write the memories to a file."""

from __future__ import annotations

import json
from pathlib import Path

import click

from recollect.cli.output import memories, opened
from recollect.cli.terminal import echo_exactly, escaped_json

_FORMATS = ("json", "markdown", "claude-memory")


@click.command()
@click.argument("path", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default=_FORMATS[0],
    help="json, markdown or claude-memory; json if left out.",
)
@click.option("--private", is_flag=True, help="Also private, secret and unconfirmed memories.")
@click.pass_context
def export_command(ctx: click.Context, path: str | None, form: str, private: bool) -> None:
    """Write the memories of this repository to a file.

    PATH is a file, or a new folder for claude-memory. Without it, the text is printed. To read an
    export back, run: recollect import recollect PATH
    """
    with opened(ctx) as store:
        target = Path(ctx.obj.directory or ".") / path if path else None
        done = store.export(target, format=form, private=private)
    if done.path is None and form == _FORMATS[0]:
        echo_exactly(escaped_json(json.loads(done.text)))
    elif done.path is None:
        click.echo(done.text, nl=False)
    else:
        click.echo(f"Exported {memories(done.memories)} to {done.path}", err=True)
    if done.left_out:
        click.echo(
            f"Left out, because private, secret or unconfirmed: {memories(done.left_out)}."
            " To include them, add --private",
            err=True,
        )

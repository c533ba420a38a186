"""`recollect edit`: change a memory."""

from __future__ import annotations

from typing import Any

import click

from recollect.capture.vouching import reworded_by_agent
from recollect.cli.fields import given_body, given_fields, memory_options
from recollect.cli.output import echo_json, id_argument, json_option, opened
from recollect.core.fields import normal_tag
from recollect.core.names import short
from recollect.errors import ValidationError


@click.command()
@id_argument
@click.option("--summary", help="The new summary.")
@memory_options
@click.option("--untag", multiple=True, help="A tag to take away; may be repeated.")
@json_option
@click.pass_context
def edit_command(
    ctx: click.Context,
    /,
    memory_id: str,
    summary: str | None,
    messages: tuple[str, ...],
    body_file: str | None,
    untag: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Change a memory; its history keeps what it was.

    Tags, files and relations are added to those it has. Without any option the body opens in your
    editor.
    """
    body = given_body(messages, body_file)
    fields = given_fields(options)
    with opened(ctx) as store:
        memory = store.get(memory_id)
        if summary is None and body is None and not fields and not untag:
            body = click.edit(memory.body, extension=".md")
            if body is None:
                raise ValidationError("Nothing was changed.", "Change the text and save it.")
        known = memory.as_json()
        for name, value in fields.items():
            if isinstance(value, list):
                fields[name] = [*known[name], *value]
        if untag:
            tags = fields.get("tags", list(memory.tags))
            gone = {normal_tag(tag) for tag in untag}
            fields["tags"] = [tag for tag in tags if normal_tag(tag) not in gone]
        if ctx.obj.agent and (summary is not None or body is not None):
            fields |= reworded_by_agent(memory, "cli")
        # Whoever changed it while the editor was open must not be overwritten.
        memory = store.update(
            memory.uid, summary=summary, body=body, if_version=memory.version, **fields
        )
    if as_json:
        echo_json(memory.as_json())
    else:
        click.echo(short(memory.id))

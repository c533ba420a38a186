"""`recollect edit`: change a memory."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from recollect.cli.fields import given_body, given_fields, memory_options, split_tags
from recollect.cli.output import (
    echo_json,
    echo_notes,
    id_argument,
    json_option,
    opened,
    warnings_of,
)
from recollect.core.fields import normal_tag
from recollect.core.names import short
from recollect.errors import ValidationError


@click.command()
@id_argument
@click.option("--summary", help="The new summary.")
@memory_options
@click.option(
    "--untag",
    multiple=True,
    callback=split_tags,
    help="Remove this tag, or several with commas; may be repeated.",
)
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
    """Change a memory; the history keeps the old text.

    Tags, files and relations are added to the existing ones. --asked-as replaces all questions,
    and --asked-as '' removes them. Without options, the body opens in your editor.
    """
    body = given_body(messages, body_file)
    fields = given_fields(options)
    with opened(ctx) as opened_store:
        store = opened_store.owner_of(memory_id)
        memory = store.get(memory_id)
        if summary is None and body is None and not fields and not untag:
            body = click.edit(memory.body, extension=".md")
            if body is None:
                raise ValidationError("Nothing was changed.", "Change the text, then save it.")
        known = memory.as_json()
        for name, value in fields.items():
            if name == "asked_as":
                fields[name] = [] if value == [""] else value
            elif isinstance(value, list):
                fields[name] = [*known[name], *value]
        if untag:
            tags = fields.get("tags", list(memory.tags))
            gone = {normal_tag(tag) for tag in untag}
            fields["tags"] = [tag for tag in tags if normal_tag(tag) not in gone]
        update = partial(store.update_for_agent, via="cli") if ctx.obj.agent else store.update
        # Somebody may have changed it while the editor was open; do not overwrite that.
        memory = update(memory.uid, summary=summary, body=body, if_version=memory.version, **fields)
        warnings = warnings_of(store)
    if as_json:
        echo_json({**memory.as_json(), "warnings": warnings})
    else:
        click.echo(short(memory.id))
        echo_notes(warnings)

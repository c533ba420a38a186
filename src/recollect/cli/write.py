"""`recollect write`: write typed memories, which are checked against a schema."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from recollect.api.recollect import Recollect
from recollect.cli.output import (
    echo_json,
    id_argument,
    json_option,
    opened,
    said_here,
    status_options,
    warn,
)
from recollect.core.names import short
from recollect.errors import ParseError, ValidationError

input_option = click.option(
    "--input",
    "source",
    required=True,
    metavar="FILE",
    help="A file with the JSON document; - reads it from stdin.",
)


@click.group("write")
def write_command() -> None:
    """Write typed memories, as an agent does."""


@write_command.command("create")
@click.option("--kind", required=True, help="A typed kind, such as decisions.")
@input_option
@click.option("--by-user", is_flag=True, help="The user asked for it: check only the schema.")
@json_option
@click.pass_context
def create_command(
    ctx: click.Context, kind: str, source: str, by_user: bool, as_json: bool
) -> None:
    """Create a memory; `recollect schema KIND` describes the document."""
    document = _read(source)
    with opened(ctx) as store:
        said = partial(said_here, ctx, store)
        _echo_answers(
            store, [store.create_document(kind, document, by_user=by_user, said=said)], as_json
        )


@write_command.command("update")
@id_argument
@input_option
@click.option(
    "--if-version", default="", metavar="VERSION", help="The version that you read; required."
)
@json_option
@click.pass_context
def update_command(
    ctx: click.Context, memory_id: str, source: str, if_version: str, as_json: bool
) -> None:
    """Update a memory: fields in the document replace the old ones, the rest stays."""
    document = _read(source)
    with opened(ctx) as store:
        owner = store.owner_of(memory_id)
        answer = owner.update_document(memory_id, document, if_version=if_version)
        _echo_answers(owner, [answer], as_json)


def _step(action: str, meaning: str) -> None:
    @write_command.command(action, help=meaning)
    @status_options
    @click.pass_context
    def command(ctx: click.Context, memory_id: str, reason: str, as_json: bool) -> None:
        with opened(ctx) as store:
            owner = store.owner_of(memory_id)
            _echo_answers(owner, [owner.change_status(memory_id, action, reason)], as_json)


_step("retire", "Delete a memory; you can restore it. A retired one stays retired.")
_step("archive", "Hide a memory from search and recall. An archived one stays archived.")
_step("unarchive", "Make an archived memory active again.")
_step("restore", "Make a retired memory active again.")


@write_command.command("drafts")
@input_option
@json_option
@click.pass_context
def drafts_command(ctx: click.Context, source: str, as_json: bool) -> None:
    """Write several drafts at once.

    Each draft has an action, a kind and a document. If one is refused, the others are still
    written, and the exit code is 70.
    """
    wanted = _read(source)
    with opened(ctx) as store:
        answers = store.write_drafts(wanted)
        _echo_answers(store, answers, as_json, several=True)
    if any(answer["status"] == "refused" for answer in answers):
        sys.exit(ValidationError.exit_code)


def _read(source: str) -> Any:
    """The JSON of a file or of stdin."""
    try:
        data = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        return json.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise ValidationError(f"{source} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ParseError(
            f"This is not JSON: {error}", "Send one JSON document. Nothing was changed."
        ) from None


def _echo_answers(
    store: Recollect, answers: list[dict[str, Any]], as_json: bool, *, several: bool = False
) -> None:
    warn(store)
    if as_json:
        echo_json(answers if several else answers[0])
        return
    for answer in answers:
        if answer["status"] == "refused":
            error = answer["error"]
            click.echo(f"refused: {error['message']} {error['hint']}")
            continue
        name = short(answer.get("id", ""))
        version = f", version {answer['version']}" if "version" in answer else ""
        click.echo(f"{answer['status']} {name}{version}".replace("_", " ").rstrip())
        for text in answer["warnings"]:
            if text not in store.warnings:
                click.echo(f"Note: {text}", err=True)

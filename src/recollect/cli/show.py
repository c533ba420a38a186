"""`recollect show`: show a memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from recollect.cli.output import (
    describe,
    echo_json,
    echo_memory,
    id_argument,
    json_option,
    opened,
    record_as_json,
)
from recollect.core.authority import plain

if TYPE_CHECKING:
    from recollect.store.history import Version


@click.command()
@id_argument
@click.option("--history", is_flag=True, help="Also show every change.")
@click.option(
    "--level",
    type=click.Choice(["summary", "full", "files"]),
    default="full",
    help="summary: no body. full: everything. files: also the files of its commit.",
)
@json_option
@click.pass_context
def show_command(
    ctx: click.Context, memory_id: str, history: bool, level: str, as_json: bool
) -> None:
    """Show a memory.

    You can shorten ID to seven characters of the commit, or to the start of a uid. If it matches
    several memories, all of them are shown.
    """
    with opened(ctx) as opened_store:
        store = opened_store.owner_of(memory_id)
        found = store.candidates(memory_id) or [store.get(memory_id)]
        store.used(found)
        if len(found) > 1:
            click.echo(f"{memory_id} matches {len(found)} memories.", err=True)
        if as_json:
            shown = []
            for memory in found:
                value = memory.as_json()
                if level == "summary":
                    del value["body"]
                if level == "files":
                    value["files"] = [
                        {"path": path, "text": text} for path, text in store.files(memory)
                    ]
                if history:
                    value["history"] = [_version_as_json(v) for v in store.versions(memory.uid)]
                shown.append(value)
            echo_json(shown if len(shown) > 1 else shown[0])
            return
        for number, memory in enumerate(found):
            if number:
                click.echo("")
            echo_memory(memory._replace(body="") if level == "summary" else memory, store)
            for path, text in store.files(memory) if level == "files" else ():
                click.secho(f"\n{path}", bold=True)
                click.echo(text)
            if history:
                _echo_versions(store.versions(memory.uid))


def _version_as_json(version: Version) -> dict[str, Any]:
    """A record, the text of the memory after it, and the fields that are only suggested."""
    was = version.memory
    shown = {**record_as_json(version.record)}
    shown["text"] = {"summary": was.summary, "body": was.text, "status": was.status}
    if version.suggested:
        shown["suggested"] = dict(version.suggested)
    return shown


def _echo_versions(versions: Sequence[Version]) -> None:
    """Print each change, and the text if it changed."""
    text: tuple[str, str] | None = None
    click.echo("")
    for version in versions:
        record, was = version.record, version.memory
        line = f"{record.timestamp or '?':<21} {record.by or '?'}  {describe(record)}"
        click.echo(plain(line))
        if version.suggested:
            names = ", ".join(sorted(version.suggested))
            click.echo(f"    suggested by {plain(record.by or '?')}, does not count: {names}")
        if text != (was.summary, was.text):
            for line in (was.summary, *was.text.splitlines()):
                click.echo(f"    {plain(line)}".rstrip())
        text = was.summary, was.text

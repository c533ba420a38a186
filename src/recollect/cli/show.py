"""`recollect show`: show a memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from recollect.api.recollect import Recollect
from recollect.cli.filters import sensitivity_option
from recollect.cli.output import (
    describe,
    echo_json,
    echo_memory,
    json_option,
    opened,
    record_as_json,
    warn,
)
from recollect.core.authority import plain
from recollect.core.memory import Memory

if TYPE_CHECKING:
    from recollect.store.history import Version


@click.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--history", is_flag=True, help="Also show every change.")
@click.option(
    "--level",
    type=click.Choice(["summary", "full", "files"]),
    default="full",
    help="summary: no body. full: everything. files: also the files of its commit.",
)
@sensitivity_option
@json_option
@click.pass_context
def show_command(
    ctx: click.Context,
    ids: tuple[str, ...],
    history: bool,
    level: str,
    sensitivity: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show a memory, or several.

    You can shorten ID to seven characters of the commit, or to the start of a uid. If it matches
    several memories, all of them are shown. Private, secret and unclassified memories are shown
    only if --sensitivity asks for them.
    """
    with opened(ctx) as store:
        found: list[tuple[Recollect, Memory]] = []
        for memory_id in dict.fromkeys(ids):
            meant = store.readable(memory_id, sensitivity or "public")
            if len(meant) > 1:
                click.echo(f"{memory_id} matches {len(meant)} memories.", err=True)
            found += [(store.owner_of(memory_id), memory) for memory in meant]
        warn(store)
        if as_json:
            shown = [_as_json(owner, memory, level, history=history) for owner, memory in found]
            echo_json(shown if len(shown) > 1 else shown[0])
        for number, (owner, memory) in enumerate(() if as_json else found):
            if number:
                click.echo("")
            _echo(owner, memory, level, history=history)
        for owner, memory in found:
            owner.used([memory])


def _as_json(store: Recollect, memory: Memory, level: str, *, history: bool) -> dict[str, Any]:
    """What the level asks for, as `--json` prints it."""
    shown = {**memory.as_json(), "access_count": store.access_counts([memory])[memory.uid]}
    if level == "summary":
        del shown["body"]
    else:
        commit = store.commit_info(memory)
        shown["commit_info"] = commit and commit._asdict()
    if level == "files":
        files = store.files(memory)
        shown["files"] = [
            {"path": path, "text": text, **({"cut_bytes": cut} if cut else {})}
            for path, text, cut in files
        ]
        shown["files_left_out"] = files.left_out
    if history:
        shown["history"] = [_version_as_json(v) for v in store.versions(memory.uid)]
    return shown


def _echo(store: Recollect, memory: Memory, level: str, *, history: bool) -> None:
    """What the level asks for, for people."""
    commit = None if level == "summary" else store.commit_info(memory)
    echo_memory(memory._replace(body="") if level == "summary" else memory, store, commit)
    files = store.files(memory) if level == "files" else None
    for path, text, cut in files or ():
        click.secho(f"\n{path}", bold=True)
        click.echo(text)
        if cut:
            click.secho(f"[cut: {cut:,} more bytes]", fg="cyan")
    if files is not None and files.left_out:
        click.secho(f"\n[files that are not shown: {files.left_out}]", fg="cyan")
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

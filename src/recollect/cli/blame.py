"""`recollect blame`: show which memories speak about which lines of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from recollect.api.blame import Blame, BlamedLines
from recollect.api.recollect import Recollect
from recollect.cli.output import echo_json, echo_memories, json_option, opened

_SHORT = 7


@click.command()
@click.argument("path")
@json_option
@click.pass_context
def blame_command(ctx: click.Context, path: str, as_json: bool) -> None:
    """Show which memories speak about which lines of PATH.

    A memory that names the file belongs to lines if it was captured at the commit that last changed
    them, or if it names one of their words as `code`. Others come last: those about the whole file,
    and those without a file from the same commits. The lines are those of the last commit.
    """
    with opened(ctx) as store:
        found = store.blame(_relative(store, ctx, path))
        if as_json:
            echo_json(_as_json(found))
            return
        for block in found.blocks:
            _echo_block(store, block)
        if found.others:
            click.secho("About the file", bold=True)
            echo_memories(found.others, store)
        if found.nearby:
            click.secho("Captured at the same commits, without a file", bold=True)
            echo_memories(found.nearby, store)
        if not found.memories and not found.nearby:
            click.echo(f"No memory speaks about {found.path}.", err=True)


def _relative(store: Recollect, ctx: click.Context, path: str) -> str:
    """Return a path as memories name it: relative to the root of the working tree."""
    root = store.work_tree
    place = Path(ctx.obj.directory or Path.cwd(), path).absolute()
    for base in (root, root.resolve()) if root is not None else ():
        for given in (place, place.resolve()):
            if given.is_relative_to(base):
                return given.relative_to(base).as_posix()
    return path


def _echo_block(store: Recollect, block: BlamedLines) -> None:
    if not block.memories and not block.named:
        return
    lines = (
        f"Line {block.first}"
        if block.first == block.last
        else (f"Lines {block.first} to {block.last}")
    )
    click.secho(f"{lines}, commit {block.commit[:_SHORT]}", bold=True)
    echo_memories(block.memories, store)
    for number, word, memory in block.named:
        if memory not in block.memories:
            click.echo(f"{store.short_name(memory)}  line {number}, {word}: {memory.summary}")


def _as_json(found: Blame) -> dict[str, Any]:
    return {
        "path": found.path,
        "lines": [
            {
                "first": block.first,
                "last": block.last,
                "commit": block.commit,
                "memories": [memory.as_reference() for memory in block.memories],
                "named": [
                    {"line": number, "word": word, **memory.as_reference()}
                    for number, word, memory in block.named
                ],
            }
            for block in found.blocks
            if block.memories or block.named
        ],
        "others": [memory.as_reference() for memory in found.others],
        "nearby": [memory.as_reference() for memory in found.nearby],
    }

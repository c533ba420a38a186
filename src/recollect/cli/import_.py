"""`recollect import`: memories that another system wrote."""

from __future__ import annotations

from pathlib import Path

import click

from recollect.cli.output import echo_json, json_option, opened, warn
from recollect.importing.claude_memory import (
    CREATED,
    DEFAULT_FOLDER,
    FOREIGN,
    INVALID,
    KNOWN,
    PURGED,
    UPDATED,
    import_folder,
)

_SAID = {
    CREATED: "imported",
    UPDATED: "brought up to date",
    KNOWN: "known already",
    PURGED: "purged here, not brought back",
    FOREIGN: "of a memory that comes with the next sync",
    INVALID: "not valid, left alone",
}


@click.group("import")
def import_command() -> None:
    """Bring in the memories of another system."""


@import_command.command("claude-memory")
@click.argument("path", required=False)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@json_option
@click.pass_context
def claude_memory_command(
    ctx: click.Context, path: str | None, dry_run: bool, as_json: bool
) -> None:
    """Import a store of the claude-memory plugin from PATH (by default .claude/memory).

    Retired and archived ones come with their dates and reasons. To import twice adds nothing.
    Ends with exit code 1 where a file was not valid.
    """
    with opened(ctx) as store:
        start = Path(ctx.obj.directory or ".")
        folder = start / path if path else (store.work_tree or start) / DEFAULT_FOLDER
        outcomes = import_folder(store, folder.expanduser().absolute(), dry_run=dry_run)
        if as_json:
            echo_json([outcome._asdict() for outcome in outcomes])
        else:
            for result, said in _SAID.items():
                files = [outcome for outcome in outcomes if outcome.result == result]
                for outcome in files if result not in (CREATED, KNOWN) else ():
                    problem = f": {outcome.problem}" if outcome.problem else ""
                    click.echo(f"{outcome.file}  {said}{problem}")
                if files:
                    click.echo(f"{len(files)} {said}", err=True)
            if not outcomes:
                click.echo(f"There are no documents in {folder}", err=True)
            if dry_run:
                click.echo("Nothing was written.", err=True)
            warn(store)
    if any(outcome.result == INVALID for outcome in outcomes):
        ctx.exit(1)

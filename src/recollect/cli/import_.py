"""`recollect import`: import memories from another system."""

from __future__ import annotations

from pathlib import Path

import click

from recollect.cli.output import echo_json, json_option, opened, warn

_CREATED, _KNOWN, _INVALID = "created", "known", "invalid"
_LABELS = {
    _CREATED: "imported",
    "updated": "updated",
    _KNOWN: "known already",
    "purged": "purged here, not imported",
    "foreign": "skipped: the memory arrives with the next sync",
    _INVALID: "skipped: not valid",
}


@click.group("import")
def import_command() -> None:
    """Import memories from another system."""


@import_command.command("claude-memory")
@click.argument("path", required=False)
@click.option("--dry-run", is_flag=True, help="Show what would be done; change nothing.")
@json_option
@click.pass_context
def claude_memory_command(
    ctx: click.Context, path: str | None, dry_run: bool, as_json: bool
) -> None:
    """Import memories of the claude-memory plugin.

    PATH is the folder with the files, .claude/memory by default. Retired and archived memories
    keep their dates and reasons. Importing twice adds nothing. If a file is not valid, the exit
    code is 1.
    """
    with opened(ctx) as store:
        folder = Path(ctx.obj.directory or ".") / path if path else None
        outcomes = store.import_claude_memory(folder, dry_run=dry_run)
        if as_json:
            echo_json([outcome._asdict() for outcome in outcomes])
        else:
            for result, label in _LABELS.items():
                files = [outcome for outcome in outcomes if outcome.result == result]
                for outcome in files if result not in (_CREATED, _KNOWN) else ():
                    problem = f": {outcome.problem}" if outcome.problem else ""
                    click.echo(f"{outcome.file}  {label}{problem}")
                if files:
                    click.echo(f"{len(files)} {label}", err=True)
            if not outcomes:
                click.echo("The folder has no documents.", err=True)
            if dry_run:
                click.echo("Nothing was written.", err=True)
            warn(store)
    if any(outcome.result == _INVALID for outcome in outcomes):
        ctx.exit(1)

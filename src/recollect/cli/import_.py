"""`recollect import`: import memories from one source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os.path import abspath, lexists
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recollect.api.recollect import Recollect
from recollect.cli.import_plans import can_ask, how_to_agree, import_progress, offer
from recollect.cli.learn import all_option, yes_option
from recollect.cli.output import echo_json, json_option, memories, opened, warn
from recollect.cli.plans import dry_run_option
from recollect.cli.undo import echo_undo
from recollect.errors import ValidationError

if TYPE_CHECKING:
    from recollect.importing.claude_memory import Outcome

_CREATED, _UPDATED, _KNOWN, _INVALID = "created", "updated", "known", "invalid"
_CHANGES = (_CREATED, _UPDATED)
_LABELS = {
    _CREATED: "imported",
    _UPDATED: "updated",
    _KNOWN: "known already",
    "purged": "purged here, not imported",
    "foreign": "skipped: the memory arrives with the next sync",
    _INVALID: "skipped: not valid",
    "settings": "not read; to use its settings",
}
_PLANNED = {_CREATED: "would be imported", _UPDATED: "would be updated"}
_CLAUDE_MEMORY = "claude-memory"
_GIT = "git"  # a path is a revision there
_EXPORT = "recollect"


@click.command("import")
@click.argument("source", required=False)
@click.argument("path", required=False)
@click.option("--list", "listing", is_flag=True, help="List the sources, and what is here.")
@click.option("--undo", "run", metavar="RUN", help="Undo an import, such as import-3.")
@yes_option
@dry_run_option
@all_option
@json_option
@click.pass_context
def import_command(
    ctx: click.Context,
    source: str | None,
    path: str | None,
    listing: bool,
    run: str | None,
    yes: bool,
    dry_run: bool,
    all_of: bool,
    as_json: bool,
) -> None:
    """Import memories from one source.

    SOURCE is one of those that --list names. PATH is what it reads instead of what it finds by
    itself. Shows what it would keep, then asks. Importing twice adds only what is new.
    """
    if sum((source is not None, listing, run is not None)) != 1:
        raise ValidationError(
            "Name one source.", "To see the sources and what is here, run: recollect import --list"
        )
    with opened(ctx) as store:
        where = _place(ctx, str(source), path) if path else None
        if listing:
            _list(store, as_json)
        elif run is not None:
            echo_undo(store, store.undo_import(run, dry_run=dry_run), as_json)
            if not as_json and not dry_run and store.index_history(dry_run=True).commits:
                hint = "To delete it, run: recollect learn --no-history"
                click.echo(f"Search still knows the history. {hint}", err=True)
        elif source == _CLAUDE_MEMORY:
            whole = partial(store.import_claude_memory, where)
            _import_whole(ctx, store, whole, agreed=yes, dry_run=dry_run, as_json=as_json)
        elif source == _EXPORT:
            if where is None:
                raise ValidationError(
                    "An export has no usual place.",
                    "Name the file: recollect import recollect PATH",
                )
            whole = partial(store.import_export, where)
            _import_whole(ctx, store, whole, agreed=yes, dry_run=dry_run, as_json=as_json)
        else:
            with import_progress() as progress:
                plan = store.plan_import([str(source)], where, progress=progress)
            offer(store, plan, agreed=yes, dry_run=dry_run, as_json=as_json, all_of=all_of)


def _place(ctx: click.Context, source: str, path: str) -> Path:
    """Return what a source shall read: a path from here on, or a name that only it understands."""
    full = Path(ctx.obj.directory or ".") / path
    if source == _GIT or not lexists(full):
        return Path(path)
    return Path(abspath(full))  # noqa: PTH100 - sources refuse links themselves


def _list(store: Recollect, as_json: bool) -> None:
    found = store.sources()
    if as_json:
        echo_json([{**one._asdict(), "places": [p._asdict() for p in one.places]} for one in found])
        return
    width = max(len(one.name) for one in found)
    for one in found:
        here = "; ".join(place.about or place.path for place in one.places)
        here = here or one.problem or "not here"
        click.echo(f"{click.style(one.name.ljust(width), fg='yellow')}  {one.about}")
        click.echo(f"{' ' * width}  {here}")


def _import_whole(
    ctx: click.Context,
    store: Recollect,
    run: Callable[..., Sequence[Outcome]],
    *,
    agreed: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import a store without loss: show what would become of it, ask, and write."""
    outcomes = run(dry_run=True)
    changes = sum(outcome.result in _CHANGES for outcome in outcomes)
    if dry_run or not agreed or not changes:
        _show_outcomes(store, outcomes, _LABELS | _PLANNED, as_json)
        asks = changes and not dry_run and not as_json and can_ask()
        agreed = bool(asks) and click.confirm(f"Import {memories(changes)}?")
        if not agreed and not as_json and outcomes:
            hint = "" if dry_run or asks or not changes else how_to_agree("import")
            click.echo(f"Nothing was written. {hint}".rstrip(), err=True)
    if agreed and changes and not dry_run:
        outcomes = run(dry_run=False)
        _show_outcomes(store, outcomes, _LABELS, as_json)
        if not as_json:
            name = store.runs()[0].name
            click.echo(f"To undo it, run: recollect import --undo {name}", err=True)
    if any(outcome.result == _INVALID for outcome in outcomes):
        ctx.exit(1)


def _show_outcomes(
    store: Recollect, outcomes: Sequence[Outcome], labels: Mapping[str, str], as_json: bool
) -> None:
    """Show the report of an import without loss: what became of each document or memory."""
    if as_json:
        echo_json([outcome._asdict() for outcome in outcomes])
        return
    for result, label in labels.items():
        files = [outcome for outcome in outcomes if outcome.result == result]
        for outcome in files if result not in (_CREATED, _KNOWN) else ():
            problem = f": {outcome.problem}" if outcome.problem else ""
            click.echo(f"{outcome.file}  {label}{problem}")
        if files:
            click.echo(f"{len(files)} {label}", err=True)
    if not outcomes:
        click.echo("There is nothing in it.", err=True)
    warn(store)

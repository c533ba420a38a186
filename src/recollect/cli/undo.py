"""`recollect undo`: undo a change, an import or a sleep."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from recollect.api.recollect import Recollect
from recollect.cli.output import echo_json, json_option, opened, warn
from recollect.cli.plans import dry_run_option
from recollect.errors import ValidationError

if TYPE_CHECKING:
    from recollect.sleep.undo import Undo

_LAST = "--last"


@click.command()
@click.argument("target", required=False, metavar="[ID|RUN]")
@click.option("--last", is_flag=True, help="Undo the last import or sleep of this clone.")
@dry_run_option
@json_option
@click.pass_context
def undo_command(
    ctx: click.Context, target: str | None, last: bool, dry_run: bool, as_json: bool
) -> None:
    """Undo a change, an import or a sleep.

    With ID, undoes the last change of that memory. RUN is an import or a sleep, such as sleep-3.
    Without arguments, lists the runs that you can undo. Undo writes new records; the history keeps
    everything. You cannot undo a purge.
    """
    if last and target:
        raise ValidationError("You gave both a name and --last. Use one of them.")
    with opened(ctx) as store:
        if not last and not target:
            _echo_runs(store, as_json)
            return
        done = store.undo(_LAST if last else str(target), dry_run=dry_run)
        echo_undo(store, done, as_json)


def echo_undo(store: Recollect, done: Undo, as_json: bool) -> None:
    """Print what an undo did."""
    if as_json:
        echo_json(done.as_json())
    else:
        _echo(store, done)
    warn(store)


def _echo(store: Recollect, done: Undo) -> None:
    did = "Would undo" if done.is_dry_run else "Undid"
    click.echo(f"{did} {done.target}: {len(done.reversals)} changed, {len(done.kept)} skipped")
    for reversal in done.reversals:
        names = ", ".join([*reversal.fields, *(["body"] if reversal.body is not None else [])])
        status = f" -> {reversal.fields['status']}" if "status" in reversal.fields else ""
        click.echo(
            f"  {store.short_name(reversal.memory)}  {reversal.memory.open_title} ({names}{status})"
        )
    for kept in done.kept:
        click.echo(f"  {store.short_name(kept.memory)}  skipped: {kept.why}", err=True)


def _echo_runs(store: Recollect, as_json: bool) -> None:
    runs = store.runs()
    if as_json:
        echo_json(
            [
                {"run": r.name, "kind": r.kind, "at": _date(r.at), "records": len(r.records)}
                for r in runs
            ]
        )
        return
    for run in runs:
        most = "it has not ended, or was stopped: at most " if run.is_open else ""
        click.echo(f"{run.name}  {_date(run.at)}  {most}{len(run.records)} records")
    if not runs:
        click.echo(
            "No import or sleep to undo. To undo a change of a memory, run: recollect undo ID",
            err=True,
        )


def _date(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

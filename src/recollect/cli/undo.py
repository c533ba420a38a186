"""`recollect undo`: take back a change, an import or a sleep."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from recollect.api.recollect import Recollect
from recollect.cli.output import echo_json, json_option, opened, warn
from recollect.cli.plans import dry_run_option
from recollect.errors import ValidationError
from recollect.sleep.undo import LAST, Undo


@click.command()
@click.argument("target", required=False, metavar="[ID|RUN]")
@click.option("--last", is_flag=True, help="Take back the last import or sleep of this clone.")
@dry_run_option
@json_option
@click.pass_context
def undo_command(
    ctx: click.Context, target: str | None, last: bool, dry_run: bool, as_json: bool
) -> None:
    """Take back the last change of the memory ID, or everything that RUN wrote.

    RUN is an import or a sleep, such as sleep-3. Without ID, RUN and --last, the runs that can be
    undone are listed. Undo writes new records; the history keeps all. A purge cannot be undone.
    """
    if last and target:
        raise ValidationError("Name a memory or a run, or say --last, not both.")
    with opened(ctx) as store:
        if not last and not target:
            _echo_runs(store, as_json)
            return
        done = store.undo(LAST if last else str(target), dry_run=dry_run)
        if as_json:
            echo_json(done.as_json())
        else:
            _echo(store, done)
        warn(store)


def _echo(store: Recollect, done: Undo) -> None:
    did = "Would undo" if done.is_dry_run else "Undid"
    click.echo(f"{did} {done.target}: {len(done.reversals)} changed, {len(done.kept)} left alone")
    for reversal in done.reversals:
        names = ", ".join([*reversal.fields, *(["body"] if reversal.body is not None else [])])
        status = f" -> {reversal.fields['status']}" if "status" in reversal.fields else ""
        click.echo(
            f"  {store.short_name(reversal.memory)}  {reversal.memory.summary} ({names}{status})"
        )
    for kept in done.kept:
        click.echo(f"  {store.short_name(kept.memory)}  left alone: {kept.why}", err=True)


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
        click.echo(f"{run.name}  {_date(run.at)}  {len(run.records)} records")
    if not runs:
        click.echo("No import and no sleep to undo. For a memory: recollect undo ID", err=True)


def _date(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

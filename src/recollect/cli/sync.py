"""`recollect sync`: share memories through a git remote."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from recollect.api.recollect import Recollect
from recollect.api.sync import Conflict, PendingPurge
from recollect.cli.output import echo_json, echo_memories, json_option, opened
from recollect.core.authority import plain


@click.command()
@click.argument("remote", required=False)
@click.option("--accept-purges", is_flag=True, help="Also erase your copies of what others purged.")
@json_option
@click.pass_context
def sync_command(
    ctx: click.Context, remote: str | None, accept_purges: bool, as_json: bool
) -> None:
    """Exchange memories with a git remote.

    REMOTE is origin by default. Private and secret memories never leave this machine. If somebody
    purges a memory that is neither theirs nor yours, your copy stays here until you accept the
    purge, unless sync.purge is apply.
    """
    with opened(ctx) as store:
        if not as_json:
            click.echo("Exchanging memories …", err=True)
        result = store.sync(remote)
        report = result.report
        pending, left = _decide(store, result.pending, accept_purges)
        for warning in [*report.warnings, *left]:
            click.echo(f"Warning: {warning}", err=True)
        if as_json:
            echo_json(
                {
                    "remote": report.remote,
                    "cases": report.cases,
                    "received": [memory.as_json() for memory in result.received],
                    "purged": result.purged,
                    "altered": sorted(report.altered),
                    "conflicts": [conflict.as_json() for conflict in result.conflicts],
                    "pending_purges": [purge.as_json() for purge in pending],
                }
            )
            return
        echo_memories(result.received, store)
        for conflict in result.conflicts:
            _echo_conflict(store, conflict)
        for name in result.purged:
            click.echo(f"{name} was purged by another clone")
        if pending:
            click.echo(
                f"Others purged {len(pending)}; your copies stay here and are not shared."
                " To erase them, run: recollect sync --accept-purges",
                err=True,
            )
        sent = [kind for kind, case in report.cases.items() if case in ("S1", "S4", "S5", "S6")]
        click.echo(
            f"Synced with {report.remote}: received or changed {len(result.received)}, "
            f"sent {', '.join(sent) or 'nothing'}",
            err=True,
        )


def _decide(
    store: Recollect, pending: Sequence[PendingPurge], accept: bool
) -> tuple[Sequence[PendingPurge], list[str]]:
    """List purges by others, and apply them if accepted; gives what still waits and warnings."""
    if not pending:
        return (), []
    for purge in pending:
        click.echo(
            plain(
                f"{store.short_name(purge.memory)} purged by {', '.join(purge.by)}, written by"
                f" {purge.memory.author or 'an unknown author'}: {purge.memory.summary}"
            ),
            err=True,
        )
    if not accept and sys.stdin.isatty() and sys.stderr.isatty():
        accept = click.confirm(f"Erase your copies of these {len(pending)} for good?", err=True)
    if not accept:
        return pending, []
    left = store.accept_purges()
    click.echo(f"Erased: {len(pending)}", err=True)
    return (), left


def _echo_conflict(store: Recollect, conflict: Conflict) -> None:
    """Print both versions of a memory that both sides changed."""
    who = plain(", ".join(conflict.by))
    if not conflict.fields:
        name = store.short_name(conflict.memory)
        click.echo(f"{name} was changed here and by {who}; both changes count")
        return
    click.echo(f"CONFLICT {store.short_name(conflict.memory)}: changed here and by {who}")
    for field in conflict.fields:
        for side, value in (("ours", field.ours), ("theirs", field.theirs)):
            mark = "counts" if field.won in (side, "both") else "lost"
            click.echo(f"  {field.field} ({side}, {mark}): {plain(str(value))}")

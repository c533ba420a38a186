"""Print a plan of sleep, before or after it runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from recollect.api.recollect import Recollect
from recollect.cli.output import echo_json, memories
from recollect.core.age import age
from recollect.core.memory import Memory
from recollect.core.status import ARCHIVED, RETIRED, VISIBLE
from recollect.errors import ValidationError

if TYPE_CHECKING:
    from recollect.sleep.plan import Merge, Plan, Step

_MOST_LINES = 20
yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Show what would be done; change nothing."
)


def confirmed_by_person(store: Recollect) -> bool:
    """Whether the clock seems wrong and a person at the terminal confirms that it is right."""
    problem = store.clock_problem() if sys.stdin.isatty() and sys.stderr.isatty() else ""
    return bool(problem) and click.confirm(f"{problem} Is the clock right?", err=True)


def confirm_erasing(what: str, *, yes: bool) -> None:
    """Ask before something is erased for good; without a terminal, `--yes` must be given."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise ValidationError("You cannot undo a purge.", "To confirm it, add --yes")
    click.confirm(f"Erase {what} for good?", abort=True, err=True)


def echo_plan(store: Recollect, plan: Plan, *, as_json: bool, dry_run: bool) -> None:
    """Print what a plan would do, or did."""
    if as_json:
        echo_json({"dry_run": dry_run, **plan.as_json()})
        return
    would = "Would " if dry_run else ""
    for merge in plan.merges:
        _echo_merge(store, merge, f"{would}merge" if dry_run else "Merged")
    for merge in plan.proposals:
        _echo_merge(store, merge, f"{would}suggest merging" if dry_run else "Suggested merging")
    for statuses, now, done in (
        (VISIBLE, "restore", "Restored"),
        ({ARCHIVED}, "archive", "Archived"),
        ({RETIRED}, "retire", "Retired"),
    ):
        _echo_steps(store, plan.steps_to(*statuses), would + now if dry_run else done)
    if plan.is_empty:
        click.echo(f"Nothing to do. Memories checked: {plan.looked_at}")
    _echo_notes(plan, dry_run)


def _echo_merge(store: Recollect, merge: Merge, did: str) -> None:
    click.echo(f"{did} {len(merge.sources)} {merge.kind} into one: {merge.open_title}")
    for line in _lines(store, [(memory, memory.open_title) for memory in merge.sources]):
        click.echo(line)


def _echo_steps(store: Recollect, steps: Sequence[Step], did: str) -> None:
    if not steps:
        return
    click.echo(f"{did} {memories(len(steps))}:")
    shown = [(step.memory, f"{step.memory.open_title} ({step.reason})") for step in steps]
    for line in _lines(store, shown):
        click.echo(line)


def _lines(store: Recollect, shown: Sequence[tuple[Memory, str]]) -> list[str]:
    now = store.now()
    rows = [(store.short_name(memory), memory, text) for memory, text in shown[:_MOST_LINES]]
    width = max((len(name) for name, _, _ in rows), default=0)
    lines = [
        f"  {click.style(name.ljust(width), fg='yellow')}  {age(memory.created, now):>4}  {text}"
        for name, memory, text in rows
    ]
    more = len(shown) - len(rows)
    return [*lines, f"  and {more} more; --json lists all"] if more > 0 else lines


def _echo_notes(plan: Plan, dry_run: bool) -> None:
    if plan.proposals:
        click.echo("Permanent kinds are merged only if you accept it: recollect review", err=True)
    if plan.purgeable:
        click.echo(
            f"{len(plan.purgeable)} can be erased: they were retired long ago. Run: recollect gc",
            err=True,
        )
    if plan.over_cap:
        click.echo(
            f"Kept {plan.over_cap} more than sleep.max_memories: they are permanent, merged or"
            " recent, or there is not enough usage data yet.",
            err=True,
        )
    if plan.merges or plan.steps:
        click.echo("Nothing is lost. To restore a memory, run: recollect restore ID", err=True)
        if not dry_run:
            click.echo("To undo the whole run: recollect undo --last", err=True)

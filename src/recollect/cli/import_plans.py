"""Print the plan of an import: by source, what was looked at, what is kept, what is left out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from recollect.api.recollect import Recollect
from recollect.cli.output import echo_json, memories, progress_to, warn
from recollect.cli.terminal import echo_exactly

if TYPE_CHECKING:
    from recollect.importing.plan import ImportPlan, SourcePlan

SAMPLES = 5
_ACTIONS = {"create": "new", "update": "changed in the source", "restore": "undone earlier"}
_MOST_REASONS = 6


@contextmanager
def import_progress() -> Iterator[Callable[[str, int, int, float | None], None]]:
    """Show how far an import is, and the time left, if stderr is a terminal."""
    shown = False

    def progress(source: str, done: int, total: int, left: float | None) -> None:
        nonlocal shown
        if not sys.stderr.isatty():
            return
        shown = True
        share = f"{100 * done // total}%" if total else ""
        rest = "" if left is None or left < 1 else f", about {_duration(left)} left"
        echo_exactly(f"\r\x1b[KReading {source}: {done:,} {share}{rest}", nl=False, err=True)

    try:
        yield progress
    finally:  # an error begins on a line of its own
        if shown:
            click.echo("", err=True)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def offer(
    store: Recollect, plan: ImportPlan, *, agreed: bool, dry_run: bool, as_json: bool, all_of: bool
) -> None:
    """Show a plan, ask, and write it; without agreement, nothing is written."""
    if as_json:
        if agreed and not dry_run:
            plan = store.run_import(plan)
            _embed(store)
        echo_json(plan.as_json())
        return
    for source in plan.sources:
        _echo_source(source, len(source.kept) if all_of else SAMPLES)
    kept = plan.kept
    if not kept:
        click.echo(_nothing(plan), err=True)
    elif dry_run:
        click.echo(f"Would keep {len(kept)}. Nothing was written.", err=True)
    elif agreed or (can_ask() and click.confirm(f"Keep {memories(len(kept))}?")):
        done = store.run_import(plan)
        click.echo(
            f"Kept {len(kept)} as {done.run}. To undo it, run: recollect import --undo {done.run}",
            err=True,
        )
        _embed(store)
    elif can_ask():
        store.dismiss_learning()
        click.echo("Nothing was written.", err=True)
    else:
        click.echo("Nothing was written. To keep them, add --yes", err=True)
    warn(store)


def _embed(store: Recollect) -> None:
    """Compute the vectors of what was imported, so that the first search finds by meaning, too."""
    with progress_to("Preparing search by meaning (you may interrupt this)") as progress:
        store.reindex(embedding=progress)


def can_ask() -> bool:
    """Whether somebody sits at the terminal who can answer."""
    return sys.stdin.isatty()


def _nothing(plan: ImportPlan) -> str:
    if any(source.known for source in plan.sources):
        return "Nothing new: everything worth keeping is remembered already."
    return "Found nothing to keep."


def _echo_source(plan: SourcePlan, most: int) -> None:
    about = "; ".join(place.about for place in plan.places if place.about)
    title = click.style(plan.source, bold=True)
    click.echo(f"{title}{f'  ({about})' if about else ''}")
    known = f", {plan.known} known already" if plan.known else ""
    click.echo(f"  looked at {plan.looked_at:,}, would keep {len(plan.kept)}{known}")
    for planned in plan.kept[:most]:
        how = "" if planned.action == "create" else f"  [{_ACTIONS[planned.action]}]"
        click.echo(f"    {planned.item.kind}: {planned.item.summary}{how}")
    if len(plan.kept) > most:
        click.echo(f"    … and {len(plan.kept) - most} more; to see all, add --all")
    reasons = sorted(plan.left_out.items(), key=lambda item: -item[1])
    for reason, count in reasons[:_MOST_REASONS]:
        click.echo(f"  left out {count:,}: {reason}")
    for memory in plan.removed:
        click.echo(f"  no longer in the source, kept here: {memory.summary}")
    for problem in plan.problems:
        click.echo(f"  could not read {problem}")

"""Print the plan of an import: by source, what was looked at, what is kept, what is left out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from recollect.api.recollect import Recollect
from recollect.cli.output import echo_json, memories, progress_to, warn
from recollect.cli.terminal import echo_exactly, is_for_agent

if TYPE_CHECKING:
    from recollect.importing.past_commits import PastCommits
    from recollect.importing.plan import ImportPlan, SourcePlan

SAMPLES = 5
_ACTIONS = {"create": "new", "update": "changed in the source", "restore": "undone earlier"}
_MOST_REASONS = 6
_MANY = 1_000  # commits or files after which the choice takes a while
_IN_BYTES = ("transcripts",)  # what counts neither commits nor files
_STOP = "To stop this, press Ctrl-C or end process"


@contextmanager
def import_progress() -> Iterator[Callable[[str, int, int, float | None], None]]:
    """Show how far an import is, and the time left; if stderr is no terminal, what is read."""
    shown = False
    announced = ""

    def progress(source: str, done: int, total: int, left: float | None) -> None:
        nonlocal shown, announced
        if not sys.stderr.isatty():
            if source != announced:  # once for each source
                announced = source
                amount = f": {_amount(source, total)}" if total else ""
                click.echo(f"Reading {source}{amount} …", err=True)
            if total and done == total and total >= _MANY and source not in _IN_BYTES:
                click.echo(f"Deciding what to keep of {source} …", err=True)
            return
        shown = True
        share = f"{100 * done // total}%" if total else ""
        rest = "" if left is None or left < 1 else f", about {_duration(left)} left"
        read = _amount(source, done)
        echo_exactly(f"\r\x1b[KReading {source}: {read} {share}{rest}", nl=False, err=True)

    try:
        yield progress
    finally:  # an error begins on a line of its own
        if shown:
            click.echo("", err=True)


def _amount(source: str, number: int) -> str:
    return f"{number / 1e6:,.1f} MB" if source in _IN_BYTES else f"{number:,}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def offer(
    store: Recollect,
    plan: ImportPlan,
    *,
    agreed: bool,
    dry_run: bool,
    as_json: bool,
    all_of: bool,
    with_history: bool = False,
) -> None:
    """Show a plan, ask, and write it; without agreement, nothing is written.

    `with_history` says that search shall know the commits, too.
    """
    writes = agreed and not dry_run
    if as_json:
        if writes:
            _announce_writing(len(plan.kept))
            plan = store.run_import(plan)
        shown = plan.as_json()
        if with_history:
            read = read_history(store, quiet=True) if writes else _ahead(store)
            shown["history"] = read._asdict()
        if writes:
            _embed(store)
        if writes and with_history:
            embed_history(store)
        echo_json(shown)
        return
    for source in plan.sources:
        _echo_source(source, len(source.kept) if all_of else SAMPLES)
    kept = plan.kept
    history = _ahead(store) if with_history else None
    if history is not None and history.added:
        would_read(history)
    if not kept:
        click.echo(_nothing(plan), err=True)
        question = f"Read {_commits(history.added)} for search?" if history else ""
        asks = history is not None and history.added and not dry_run and can_ask()
        if writes or (asks and click.confirm(question)):
            _go_on(store, plan, history)
    elif dry_run:
        click.echo(f"Would keep {len(kept)}. Nothing was written.", err=True)
    elif agreed or (can_ask() and click.confirm(f"Keep {memories(len(kept))}?")):
        _announce_writing(len(kept))
        done = store.run_import(plan)
        click.echo(
            f"Kept {len(kept)} as {done.run}. To undo it, run: recollect import --undo {done.run}",
            err=True,
        )
        if with_history:
            read_history(store)
        _embed(store)
        if with_history:
            embed_history(store)
    elif can_ask():
        store.dismiss_learning()
        click.echo("Nothing was written.", err=True)
    else:
        click.echo(f"Nothing was written. {how_to_agree('keep them')}", err=True)
    warn(store)


def _go_on(store: Recollect, plan: ImportPlan, history: PastCommits | None) -> None:
    """Do what is left where nothing is new, such as what a run that was stopped did not reach."""
    store.run_import(plan)
    if history is not None and history.added:
        read_history(store)
    if store.pending_vectors():
        _embed(store)
    if history is not None and store.pending_history():
        embed_history(store)


def _ahead(store: Recollect) -> PastCommits:
    return store.index_history(dry_run=True)


def would_read(history: PastCommits) -> None:
    """Say what `read_history` would do."""
    known = f", {history.commits:,} known already" if history.commits else ""
    click.echo(click.style("history", bold=True) + "  (commits for search, not memories)")
    click.echo(f"  would read {_commits(history.added)} into a local file{known}")


def _commits(count: int) -> str:
    return "1 commit" if count == 1 else f"{count:,} commits"


def read_history(store: Recollect, *, quiet: bool = False) -> PastCommits:
    """Read the commits that are new, so that search finds them where no memory answers."""
    label = "Reading commits for search"
    with progress_to(label, f"{label} …") as progress:
        done = store.index_history(progress=lambda number, _total: progress(number))
    if done.commits and not quiet:
        size = f"{max(1, round(done.bytes / 1_000_000))} MB"
        click.echo(
            f"Search also knows {_commits(done.commits)} of the history, in a local file of {size}."
            " To delete it, run: recollect learn --no-history",
            err=True,
        )
    return done


def _embed(store: Recollect) -> None:
    """Compute the vectors of what was imported, so that the first search finds by meaning, too."""
    pending = store.pending_vectors()
    goes_on = f"Computing vectors of {memories(pending)} …"
    if pending:
        goes_on += f" {_STOP} {os.getpid()}; recollect reindex goes on."
    label = "Preparing search by meaning (you may interrupt this)"
    with progress_to(label, goes_on if pending else "") as progress:
        store.reindex(embedding=progress)


def embed_history(store: Recollect) -> None:
    """Compute the vectors of commits, so that search finds them in other words, too."""
    pending = store.pending_history()
    goes_on = f"Computing vectors of {_commits(pending)} …"
    if pending:
        goes_on += f" {_STOP} {os.getpid()}; recollect learn --history goes on."
    label = "Preparing search in the history by meaning (you may interrupt this)"
    with progress_to(label, goes_on if pending else "") as done:
        store.embed_history(done)


def _announce_writing(count: int) -> None:
    if count and not sys.stderr.isatty():
        click.echo(f"Writing {memories(count)} …", err=True)


def can_ask() -> bool:
    """Whether somebody sits at the terminal who can answer."""
    return sys.stdin.isatty() and not is_for_agent()


def how_to_agree(what: str) -> str:
    """Say how to go on where nobody can answer; an agent must not decide it."""
    if is_for_agent():
        return f"Ask the user. Only if they agree, add --yes to {what}"
    return f"To {what}, add --yes"


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

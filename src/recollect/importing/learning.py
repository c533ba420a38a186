"""What a surface asks for: which sources are here, a plan of an import, and its undo."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from recollect.core.named_tuple import NamedTuple
from recollect.errors import NothingToUndo, RecollectError, ValidationError
from recollect.importing.claude_memory import DEFAULT_FOLDER
from recollect.importing.collect import Collected, Progress, collect, reading_of
from recollect.importing.plan import ImportPlan, make_plan
from recollect.importing.registry import all_sources, source_named
from recollect.importing.run import settle_killed_runs
from recollect.importing.source import Place, Reading, Source
from recollect.sleep.undo import LAST, Undo, undo
from recollect.state.runs import IMPORT
from recollect.store.store import Store


class SourceHere(NamedTuple):
    """A source, what comes in from it, and the places where it finds something here."""

    name: str
    about: str
    places: tuple[Place, ...]
    # Why it could not look, if it could not.
    problem: str = ""


# What comes in whole, by its own command, and is no part of `recollect learn`.
_CLAUDE_MEMORY = ("claude-memory", "the JSON files of the claude-memory plugin")
_EXPORT = ("recollect", "an export of Recollect; name the file")


def sources_here(store: Store, home: Path, environ: Mapping[str, str]) -> list[SourceHere]:
    """Return every source with the places where it finds something."""
    reading = reading_of(store, home, environ)
    found = [
        SourceHere(source.name, source.about, *_places(source, reading)) for source in all_sources()
    ]
    folder = reading.repository / DEFAULT_FOLDER
    here = (Place(str(folder), DEFAULT_FOLDER),) if folder.is_dir() else ()
    return [*found, SourceHere(*_CLAUDE_MEMORY, here), SourceHere(*_EXPORT, ())]


def _places(source: Source, reading: Reading) -> tuple[tuple[Place, ...], str]:
    """Return what a source finds; one that cannot look must not stop the others."""
    try:
        return tuple(source.find(reading)), ""
    except RecollectError as error:
        return (), error.message
    except OSError as error:
        return (), f"{error.strerror or error}."


def plan_import(
    store: Store,
    home: Path,
    environ: Mapping[str, str],
    names: Sequence[str] | None,
    path: str | os.PathLike[str] | None,
    progress: Progress | None,
) -> ImportPlan:
    """Read the sources that are here, or those with a name, and plan what to keep."""
    if path is not None and (names is None or len(names) != 1):
        raise ValidationError("A path belongs to one source.", "Name the source of the path.")
    sources = all_sources() if names is None else [source_named(name) for name in names]
    reading = reading_of(store, home, environ)
    found: list[Collected] = []
    for source in sources:
        if path is not None:
            places: tuple[Place, ...] = (Place(os.fspath(path), ""),)
            problem = ""
        else:
            places, problem = _places(source, reading)
        if not places and not problem and names is None:
            continue
        collected = collect(store, source, reading, places, progress, is_named=path is not None)
        if problem:
            collected = collected._replace(problems=(problem, *collected.problems))
        found.append(collected)
    plan = make_plan(store, found, whole=path is None)
    # One line for each type of secret, however many texts had one.
    store.ledger.warnings[:] = dict.fromkeys(store.ledger.warnings)
    return plan


def undo_import(store: Store, run: str, *, dry_run: bool) -> Undo:
    """Undo an import by its name; anything else is refused."""
    settle_killed_runs(store)
    runs = [one for one in store.local.runs.all() if one.kind == IMPORT and not one.is_undone]
    if run != LAST and run.strip().lower() not in {one.name for one in runs}:
        names = ", ".join(one.name for one in runs[:5]) or "none"
        raise NothingToUndo(
            f"There is no import {run!r} to undo.", f"Imports that you can undo: {names}"
        )
    if not runs:
        raise NothingToUndo("There is no import to undo.", "List all runs with: recollect undo")
    return undo(store, runs[0].name if run == LAST else run, dry_run=dry_run)

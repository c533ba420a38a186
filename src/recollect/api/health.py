"""Whether the index says what the ledger says, over everything that the refs hold."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from recollect.config.config import data_dir
from recollect.core.note import purged_uids, read_stored
from recollect.core.places import Place
from recollect.core.record import CREATE, PURGE, UPDATE
from recollect.errors import RecollectError
from recollect.hosts.environment import PROJECT_VARIABLE
from recollect.index.protocol import Filters
from recollect.ledger.health import OK, PROBLEM, WARNING, Finding
from recollect.ledger.ledger import Ledger
from recollect.state.engine_socket import addresses, is_private, ping
from recollect.state.failures import FAILURES_FILE, recent_failures
from recollect.store.indexing import Indexing
from recollect.store.spool_flush import aside_of, spool_of
from recollect.store.store import Store

_REPAIR = "Run `recollect repair`."
_WEEK = 7 * 86_400.0


def check_all(store: Store) -> list[Finding]:
    """Look at everything that can be wrong."""
    from recollect.ledger.health import check_surroundings

    found = list(check_surroundings(store.ledger))
    found += check_records(store.ledger, store.indexing)
    for check in (check_hooks, check_engine, check_mirror, check_sleep):
        found += check(store)
    return [*found, *(Finding(WARNING, "notice", text) for text in store.warnings)]


def check_records(ledger: Ledger, indexing: Indexing) -> Iterator[Finding]:
    """Read every record, kinds that this version does not know included, and compare."""
    index = indexing.fresh()
    indexed = {(place, uid): text for place, uid, text in index.texts()}
    known: set[tuple[Place, str]] = set()
    lost, missing, mismatched = 0, 0, 0
    purged: set[str] = set()
    owners: set[str] = set()
    for place, note in ledger.changes({}).notes:
        lost += not note
        purged |= purged_uids(note or {})
        for uid, text in (note or {}).items():
            known.add((place, uid))
            found = indexed.get((place, uid))
            missing += found is None
            mismatched += found is not None and found != text
            record = read_stored(text)
            if record.op != PURGE:
                owners.add(record.memory_uid)
            if record.op not in (CREATE, UPDATE, PURGE) or (record.op != CREATE and not record.of):
                yield Finding(
                    WARNING,
                    "records",
                    f"A record cannot be read: {uid} in {place.kind} on {place.anchor[:7]}",
                    "It is kept as it is; a newer version may have written it.",
                )
    orphaned = len(indexed.keys() - known)
    if lost:
        yield Finding(
            PROBLEM,
            "records",
            f"{lost} notes have no contents in this clone.",
            "In a partial clone, run `recollect sync` to bring them.",
        )
    for count, what in (
        (missing, "records are not in the index."),
        (orphaned, "records of the index are not in the ledger."),
        (mismatched, "records differ between index and ledger."),
    ):
        if count:
            yield Finding(PROBLEM, "index", f"{count} {what}", _REPAIR)
    for uid in sorted(purged & owners):
        yield Finding(
            PROBLEM, "purge", f"The purged memory {uid} is still here.", "Run `recollect sync`."
        )
    for record in index.waiting():
        yield Finding(
            WARNING,
            "records",
            f"A change waits for a memory that is not here: {record.of}",
            "Run `recollect sync` to bring it.",
        )
    for name in index.shared_names():
        yield Finding(
            WARNING,
            "names",
            f"{name} names more than one memory, because two clones gave it while apart.",
            "Both are kept; add ~ and the last four characters of the uid to choose.",
        )
    memories = index.count(Filters(statuses=frozenset({"all"})))
    yield Finding(OK, "records", f"{len(known)} records, {memories} memories.")


def check_engine(store: Store) -> Iterator[Finding]:
    """Whether a warm engine does the work of hooks here; without one they do it themselves."""
    place = {**os.environ, PROJECT_VARIABLE: str(store.ledger.repository.git.directory)}
    found = ping(place)
    if found is not None:
        process, served = found
        yield Finding(OK, "engine", f"Process {process} serves hooks; {served} events so far.")
    for path in addresses(place):
        folder = Path(path).parent
        if folder.exists() and not is_private(str(folder)):
            yield Finding(
                WARNING,
                "engine",
                f"{folder} is not only yours, so no engine listens there.",
                f"Remove it, or run: chmod 700 {folder}",
            )


def check_hooks(store: Store) -> Iterator[Finding]:
    """What went wrong in hooks, where nobody was told, and what still waits for the ledger."""
    waiting = len(spool_of(store).waiting().keys() | aside_of(store).waiting().keys())
    if waiting:
        yield Finding(
            WARNING,
            "spool",
            f"{waiting} memories wait for the ledger.",
            "The next session brings them; or run `recollect repair`.",
        )
    folder = data_dir(os.environ)
    failures = recent_failures(folder, time.time() - _WEEK)
    late = sum(failure.get("error") == "Deadline" for failure in failures)
    if late:
        yield Finding(
            WARNING,
            "hooks",
            f"{late} hooks of the last week ran out of time and gave what they had.",
            "If it goes on, run `recollect reindex`, or raise `hook.deadline`.",
        )
    others = [failure for failure in failures if failure.get("error") != "Deadline"]
    if others:
        last = others[-1]
        said = last.get("message") or last.get("error")
        yield Finding(
            WARNING,
            "hooks",
            f"{len(others)} hooks of the last week failed; last {last.get('event')}: {said}",
            f"The details are in {folder / FAILURES_FILE}",
        )


def check_mirror(store: Store) -> Iterator[Finding]:
    """Whether the files of the mirror say what the ledger says."""
    if not store.config.flag("mirror.enabled") or store.work_tree is None:
        return
    from recollect.mirror.compare import FOREIGN
    from recollect.mirror.mirror import Mirror

    try:
        differ = [found for found in Mirror(store).differences() if found.state != FOREIGN]
    except RecollectError as error:
        yield Finding(WARNING, "mirror", f"{error.message} {error.hint}")
        return
    if differ:
        yield Finding(
            WARNING,
            "mirror",
            f"{len(differ)} files of the mirror are not what the ledger says, for example"
            f" {differ[0].file}. Put it right with: recollect mirror verify --repair",
        )


def check_sleep(store: Store) -> Iterator[Finding]:
    """Whether the memories are looked after: a hook does it for few of them only."""
    now = store.ledger.clock().timestamp()
    last = store.local.rest.last_sleep()
    waiting = last is not None and now - last >= _WEEK and store.local.rest.ended_since(last)
    if store.config.flag("sleep.enabled") and waiting:
        yield Finding(
            WARNING,
            "sleep",
            "Nobody has looked after the memories for a week.",
            "Do it with: recollect sleep",
        )

"""The checks of `doctor`: git, hooks, the mirror, sleep, and what waits; the rest is beside it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from recollect.capture.spool_flush import spool_of, stash_of
from recollect.config.config import data_dir
from recollect.core.authority import plain
from recollect.errors import RecollectError
from recollect.hook_client import addresses, is_private, ping
from recollect.hosts.environment import PROJECT_VARIABLES
from recollect.ledger.health import OK, WARNING, Finding
from recollect.sleep.clock import clock_problem
from recollect.state.failures import FAILURES_FILE, recent_failures
from recollect.store.store import Store

_REPAIR = "Run `recollect repair`."
_MOST_SHOWN = 80
_LEAST_FREE = 1 << 20
_MOST_TOLD = 5
_WEEK = 7 * 86_400.0


def check_all(store: Store) -> list[Finding]:
    """Run every check."""
    from recollect.api.setup_checks import SETUP
    from recollect.api.verification import check_records
    from recollect.ledger.health import check_surroundings

    found = list(check_surroundings(store.ledger))
    found += check_records(store.ledger, store.indexing)
    for check in (
        check_place,
        check_hooks,
        check_engine,
        check_programs,
        check_mirror,
        check_sleep,
        check_review,
        check_others,
        *SETUP,
    ):
        found += check(store)
    return [*found, *(Finding(WARNING, "notice", text) for text in store.warnings)]


def check_engine(store: Store) -> Iterator[Finding]:
    """Check whether a warm engine serves hooks here; without one, hooks do the work themselves."""
    place = {**os.environ, PROJECT_VARIABLES[0]: str(store.ledger.repository.git.directory)}
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
                f"Other users can access {folder}, so no engine listens there.",
                f"Remove it, or run: chmod 700 {folder}",
            )


def check_place(store: Store) -> Iterator[Finding]:
    """Check that the directory can be written: the disk may be full or read-only."""
    folder = store.ledger.repository.state_dir
    above = folder if folder.is_dir() else folder.parent
    if not os.access(above, os.W_OK):
        yield Finding(
            WARNING,
            "place",
            f"{above} cannot be written: memories can be read, but not captured.",
            "Check its permissions, and whether its file system is mounted read-only.",
        )
    try:
        free = shutil.disk_usage(above).free
    except OSError:
        return
    if free < _LEAST_FREE:
        yield Finding(
            WARNING,
            "place",
            f"The disk of {above} has {free // 1024} KB left: soon nothing can be captured.",
            "Free some space.",
        )
    from recollect.capture.suggestions import waiting_suggestions

    broken = [
        path
        for spool in (spool_of(store), stash_of(store), waiting_suggestions(store))
        for path in spool.unreadable()
    ]
    if broken:
        yield Finding(
            WARNING,
            "spool",
            f"{len(broken)} spooled files cannot be read, for example {broken[0]}",
            "They are kept as they are. Read them, then remove them.",
        )


def check_hooks(store: Store) -> Iterator[Finding]:
    """Report failures of hooks, which are silent, and memories that are still spooled."""
    waiting = len(spool_of(store).waiting().keys() | stash_of(store).waiting().keys())
    if waiting:
        yield Finding(
            WARNING,
            "spool",
            f"{waiting} spooled memories are not in the ledger yet.",
            "The next session writes them; or run `recollect repair`.",
        )
    folder = data_dir(os.environ)
    failures = recent_failures(folder, time.time() - _WEEK)
    late = sum(failure.get("error") == "Deadline" for failure in failures)
    if late:
        yield Finding(
            WARNING,
            "hooks",
            f"In the last week, {late} hooks ran out of time and returned what they had.",
            "If this continues, run `recollect reindex`, or raise `hook.deadline`.",
        )
    others = [failure for failure in failures if failure.get("error") != "Deadline"]
    if others:
        last = others[-1]
        said = last.get("message") or last.get("error")
        yield Finding(
            WARNING,
            "hooks",
            f"In the last week, {len(others)} hooks failed; last {last.get('event')}: {said}",
            f"The details are in {folder / FAILURES_FILE}",
        )


def untrusted_programs(store: Store) -> list[str]:
    """Programs in the repository's git configuration that are ignored, in a sentence."""
    git = store.ledger.repository.git
    if store.ledger.repository.is_user_ledger or git.is_trusted:
        return []
    names = ", ".join(dict.fromkeys(setting.name for setting in git.local_programs()))
    return [
        f"The repository's own git configuration names programs ({names[:200]}). They are ignored"
        " until you trust it: recollect config trust"
    ]


def check_programs(store: Store) -> Iterator[Finding]:
    """Report programs in the repository's git configuration that are ignored."""
    for text in untrusted_programs(store):
        yield Finding(WARNING, "configuration", text)


def check_mirror(store: Store) -> Iterator[Finding]:
    """Check that the files of the mirror match the ledger."""
    if not store.config.flag("mirror.enabled") or store.work_tree is None:
        return
    from recollect.mirror.compare import WAITING
    from recollect.mirror.mirror import UNKNOWN, Mirror

    harmless = (*WAITING, UNKNOWN)
    try:
        differ = [found for found in Mirror(store).differences() if found.state not in harmless]
    except RecollectError as error:
        yield Finding(WARNING, "mirror", f"{error.message} {error.hint}")
        return
    if differ:
        yield Finding(
            WARNING,
            "mirror",
            f"{len(differ)} files of the mirror differ from the ledger, for example"
            f" {differ[0].file}. To repair them, run: recollect mirror verify --repair",
        )


def check_sleep(store: Store) -> Iterator[Finding]:
    """Check that sleep runs: with many memories, a hook does not have time for it."""
    problem = clock_problem(store)
    if problem:
        yield Finding(
            WARNING,
            "clock",
            f"Sleep does not run. {problem}",
            "Correct the clock; if it is right, run: recollect sleep --force",
        )
    now = store.now()
    last = store.local.maintenance.last_sleep()
    waiting = last is not None and now - last >= _WEEK and store.local.maintenance.ended_since(last)
    if store.config.flag("sleep.enabled") and waiting:
        yield Finding(
            WARNING,
            "sleep",
            "Sleep has not run for a week.",
            "Run: recollect sleep",
        )


def check_review(store: Store) -> Iterator[Finding]:
    """Say what was noticed and waits for the user; that is no problem."""
    from recollect.api.waiting import waiting_for_review

    waiting = waiting_for_review(store)._replace(changes=0).in_words()  # `check_others` has those
    if waiting:
        yield Finding(OK, "review", f"{waiting} wait for you. To see them, run: recollect review")


def check_others(store: Store) -> Iterator[Finding]:
    """Report purges and changes by others that wait for your decision."""
    from recollect.api.sync import pending_purges
    from recollect.store.history import waiting_changes

    purges, changes = pending_purges(store), waiting_changes(store)
    for pending in purges[:_MOST_TOLD]:
        yield Finding(
            WARNING,
            "purge",
            f"{pending.memory.id} was purged by {plain(', '.join(pending.by))}; your copy is held.",
            "To erase it, run `recollect sync --accept-purges`; or keep it.",
        )
    for change in changes[:_MOST_TOLD]:
        fields = ", ".join(f"{k} = {v!r}" for k, v in sorted(change.fields.items()))
        yield Finding(
            WARNING,
            "suggestion",
            f"{plain(change.by or 'somebody')} suggests a change: {fields}",
            "To accept or reject it, run `recollect review`.",
        )
    more = len(purges[_MOST_TOLD:]) + len(changes[_MOST_TOLD:])
    if more:
        yield Finding(
            WARNING,
            "suggestion",
            f"{more} more purges and changes by others wait for you.",
            "See `recollect sync` and `recollect review`.",
        )

"""What a sync would send and bring: fetched and joined as a sync does it, but never published.

The remote's notes land in refs of our own, as at every sync. No notes ref moves, here or there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from recollect.core.disposition import dispose
from recollect.core.record import Record
from recollect.errors import StorageError
from recollect.ledger.conflicts import Difference, read_notes
from recollect.ledger.erase import erase
from recollect.ledger.git import Git
from recollect.ledger.holding import judge_for
from recollect.ledger.ledger import Ledger
from recollect.ledger.lock import SYNC_LOCK, exclusive
from recollect.ledger.merge import diff_trees
from recollect.ledger.refs import Key, Tip
from recollect.ledger.remote import find_remote
from recollect.ledger.sync import Step, SyncReport, join_kind, look
from recollect.ledger.transaction import Transaction


@dataclass(slots=True)
class Preview:
    """The records that a sync would send and bring, each with its kind, and what it would erase."""

    remote: str
    sent: list[tuple[str, Record]] = field(default_factory=list)
    brought: list[tuple[str, Record]] = field(default_factory=list)
    # Memories that the other side purged and that are still here: erased, or held for an answer.
    erased: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    differences: dict[str, Difference] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def preview(ledger: Ledger, remote: str | None, *, timeout: float = 120.0) -> Preview:
    """Return what a sync with a remote would do now."""
    repository = ledger.repository
    target = find_remote(repository.git, remote)
    report = SyncReport(target.address)
    found = Preview(target.address, warnings=report.warnings)
    with exclusive(repository.state_dir / SYNC_LOCK, timeout):
        keys, _, theirs = look(ledger, target, report, timeout)
        found.differences = report.differences
        steps: dict[Key, Step] = {}
        with repository.git.objects() as reader:
            judge = judge_for(ledger.purge_policy, lambda: ledger.author)
            transaction = Transaction(repository, reader, judge)
            try:
                for key in keys:
                    try:
                        steps[key] = _compare(transaction, key, theirs.get(key.kind), found)
                    except StorageError as error:
                        report.warn(f"Cannot compare the notes of {key.kind}: {error.message}")
            finally:
                transaction.objects.release()
        # What is purged here came back with the fetch: it must not stay.
        for key, step in steps.items():
            back = step.purged_here - step.purged_there
            if back and key.kind in theirs:
                report.warnings += erase(repository, [key], back, [theirs[key.kind].commit])
    return found


def _compare(transaction: Transaction, key: Key, theirs: Tip | None, found: Preview) -> Step:
    """Join one kind, without publishing it, and note how both sides would change."""
    namespace = transaction[key]
    ours = namespace.write()
    step = join_kind(transaction, key, theirs)
    joined = namespace.taken.tree if namespace.taken is not None else namespace.write()
    transaction.objects.store()
    git, empty = transaction.repository.git, transaction.repository.project_anchor
    there = theirs.tree if theirs is not None else empty
    found.sent += ((key.kind, record) for record in _added(git, there, joined or empty))
    found.brought += ((key.kind, record) for record in _added(git, ours or empty, joined or empty))
    found.held |= step.held
    found.erased |= step.purged_there - step.purged_here - step.held
    return step


def _added(git: Git, old: str, new: str) -> list[Record]:
    """Return the records that only the second of two trees has."""
    if old == new:
        return []
    (changes,) = diff_trees(git, [(old, new)])
    before = read_notes(git, [change.old for change in changes if change.old])
    after = read_notes(git, [change.new for change in changes if change.new])
    found = (dispose(after[uid]) for uid in sorted(after.keys() - before.keys()))
    return [record for record, problem in found if not problem]

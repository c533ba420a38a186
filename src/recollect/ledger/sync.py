"""Sync: two clones end with equal trees, whatever the order.

What the remote has is fetched into our own refs, joined with what we have, and pushed back with a
lease, so that a push that lost a race starts again instead of overwriting. The user's refspecs,
hooks and configuration are not used.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from recollect.core.named_tuple import NamedTuple
from recollect.core.places import SHARED
from recollect.errors import (
    NotWritable,
    ObjectMissing,
    PushRejected,
    StorageError,
)
from recollect.ledger.border import RemoteNotes, reveals_nothing_private, without_private_records
from recollect.ledger.conflicts import Difference, changed_on_both_sides
from recollect.ledger.erase import erase
from recollect.ledger.holding import hold_back
from recollect.ledger.ledger import Ledger
from recollect.ledger.lock import SYNC_LOCK, exclusive
from recollect.ledger.merge import diff_trees, read_note
from recollect.ledger.refs import (
    PREFIXES,
    REMOTES,
    SEEN_PREFIXES,
    Key,
    Tip,
    list_refs,
    without_bad_names,
)
from recollect.ledger.remote import RefLocked, Remote, fetch, find_remote, push
from recollect.ledger.transaction import Namespace, Transaction
from recollect.ledger.tree import anchor_of

_ROUNDS = 12
# After this many rounds, a missing object is damage, not a race.
_PATIENCE = 2
_KILLED_SECONDS = 2.0
# What a remote says if trying again changes nothing.
FINAL = ("denied", "declined", "protected", "prohibited", "not allowed", "permission")


@dataclass(slots=True)
class SyncReport:
    """What a sync did: the case of each kind, what was purged, and warnings for the user."""

    remote: str
    cases: dict[str, str] = field(default_factory=dict)
    purged: set[str] = field(default_factory=set)
    # The records for which the remote had an altered copy; the original was kept and sent.
    altered: set[str] = field(default_factory=set)
    # Purged by someone else; our copies are held until the owner of this clone agrees.
    held: set[str] = field(default_factory=set)
    # The memories that both sides changed since the last sync.
    differences: dict[str, Difference] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    rounds: int = 0

    def warn(self, sentence: str) -> None:
        """Add a warning once, however many rounds the sync takes."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)


@dataclass(frozen=True, slots=True)
class Step:
    """What one namespace needs: the case, the commit to push if any, and purges new to us."""

    case: str
    push: bool
    purged_here: frozenset[str]
    purged_there: frozenset[str]
    kept_back: int = 0
    held: frozenset[str] = frozenset()


def sync(
    ledger: Ledger, remote: str | None, *, timeout: float = 120.0, pushes: bool = True
) -> SyncReport:
    """Exchange all shared namespaces with a remote; without `pushes`, only take what it has.

    For each namespace, with L and R the tips here and there, P_L and P_R the memories each side
    says are purged, and T the join of both trees without those:

    - S0: L and R are the same commit: nothing to do.
    - S1: there is no R: push L.
    - S2: there is no L: take R.
    - S3: T is the tree of R: take R.
    - S4: P_L is within P_R: commit T on R, push; a fast-forward.
    - S5: P_R is within P_L: the remote's history still holds purged bytes; commit T on L, and push
      over R with a lease.
    - S6: neither holds the other: commit T without a parent, and push over R with a lease.

    A rejected push starts again with a fetch. History is linear and disposable; the truth is the
    tree.
    """
    target = find_remote(ledger.repository.git, remote)
    report = SyncReport(target.address)
    rejected = ""
    # One sync or purge at a time per clone: each drops what the other may be about to read.
    with exclusive(ledger.repository.state_dir / SYNC_LOCK, timeout):
        ledger.drop_stale_locks()
        for attempt in range(_ROUNDS):
            report.rounds = attempt + 1
            # Only a sync writes there, and this is the only one: any lock is from a killed process.
            ledger.drop_stale_locks([REMOTES], _KILLED_SECONDS)
            try:
                rejected = _round(
                    ledger, target, report, timeout, apart=attempt >= _PATIENCE, pushes=pushes
                )
            except (ObjectMissing, RefLocked) as error:
                rejected = error.message  # erased or locked in the meantime: look again
            if not rejected:
                _report_altered(ledger, report)
                return report
            if any(word in rejected.lower() for word in FINAL):
                raise PushRejected(
                    f"The remote refused the memories: {rejected}",
                    "Ask the remote's administrator to allow pushes to refs/notes/mem/*",
                )
            time.sleep(random.uniform(0, min(0.05 * 2**attempt, 1)))  # noqa: S311
    raise PushRejected(
        f"The remote rejected the push {_ROUNDS} times: {rejected}",
        "Run `recollect sync` again. If it persists, the remote may forbid the forced update of"
        " refs/notes/mem/* that a purge needs.",
    )


def _report_altered(ledger: Ledger, report: SyncReport) -> None:
    """Report the altered copies that this sync, or an earlier foreign command, brought in."""
    report.altered = set(ledger.refused)
    ledger.refused.clear()
    report.warnings += [
        f"Received an altered copy of record {uid}. Kept the original and sent it back."
        for uid in sorted(report.altered)
    ]


class Looked(NamedTuple):
    """What both sides have: the kinds, our refs, and the remote's notes by kind."""

    keys: list[Key]
    ours: Mapping[str, Tip]
    theirs: Mapping[str, Tip]


def look(ledger: Ledger, target: Remote, report: SyncReport, timeout: float) -> Looked:
    """Fetch what the remote has; report what cannot be read, and what both sides changed."""
    ledger.tips()  # absorb first, so that what foreign commands left is sent too
    theirs, skipped = fetch(ledger, target, report.warn, timeout)
    # No absorbing from here to the join: it could erase what was just fetched.
    refs = without_bad_names(
        list_refs(ledger.repository.git, PREFIXES[SHARED], SEEN_PREFIXES[SHARED])
    )
    ours = refs.tips
    for ref, problem in refs.bad.items():
        report.warn(f"{ref} {problem}. It is skipped; `recollect doctor` says what to do.")
    kinds = set(theirs)
    for ref in ours:
        for prefix in (PREFIXES[SHARED], SEEN_PREFIXES[SHARED]):
            kinds |= {ref.removeprefix(prefix)} if ref.startswith(prefix) else set()
    keys = [Key(SHARED, kind) for kind in sorted(kinds - skipped)]
    pairs = [
        (mine.tree, theirs[key.kind].tree)
        for key in keys
        if (mine := ours.get(key.seen_ref) or ours.get(key.notes_ref)) and key.kind in theirs
    ]
    report.differences |= changed_on_both_sides(ledger.repository.git, pairs)
    return Looked(keys, ours, theirs)


def _round(
    ledger: Ledger,
    target: Remote,
    report: SyncReport,
    timeout: float,
    *,
    apart: bool,
    pushes: bool,
) -> str:
    """Fetch, join and push once; return why another round is needed, or empty if done."""
    before = len(ledger.warnings)
    keys, ours, theirs = look(ledger, target, report, timeout)
    old_tips = {
        key: [
            tip.commit
            for tip in (ours.get(key.notes_ref), ours.get(key.seen_ref), theirs.get(key.kind))
            if tip
        ]
        for key in keys
    }
    steps = _join_all(ledger, keys, theirs, report, apart=apart)
    for key, step in steps.items():
        if step.case != "S0" or key.kind not in report.cases:
            report.cases[key.kind] = step.case
        if step.kept_back:
            report.warnings.append(
                f"{step.kept_back} records of {key.notes_ref} belong to private memories or refer"
                " to them. They were not sent, and were taken out of that ref; the private"
                " memories are unchanged. To share one, capture it again and purge the first."
            )
    wanted = [key for key, step in steps.items() if step.push and pushes]
    rejected = push(ledger, target, wanted, theirs, timeout)
    _erase_purged(ledger, steps, old_tips, report)
    for sentence in ledger.warnings[before:]:
        report.warn(sentence)
    return rejected


def _join_all(
    ledger: Ledger,
    keys: list[Key],
    theirs: Mapping[str, Tip],
    report: SyncReport,
    *,
    apart: bool,
) -> dict[Key, Step]:
    """Join all namespaces at once; report and skip any that cannot be joined."""

    def edit(transaction: Transaction, wanted: list[Key]) -> dict[Key, Step]:
        return {key: join_kind(transaction, key, theirs.get(key.kind)) for key in wanted}

    try:
        return ledger.transact(lambda transaction: edit(transaction, keys), "sync")
    except NotWritable:
        raise
    except StorageError as error:
        if isinstance(error, ObjectMissing) and not apart:
            raise
        if len(keys) == 1:
            report.warn(f"Skipped the notes of {keys[0].kind}: {error.message} {error.hint}")
            return {}
    steps: dict[Key, Step] = {}
    for key in keys:
        steps |= _join_all(ledger, [key], theirs, report, apart=True)
    return steps


def join_kind(transaction: Transaction, key: Key, theirs: Tip | None) -> Step:
    """Join one namespace with the remote's; see `sync` for the cases."""
    namespace = transaction[key]  # absorbed: what we hold is its tree, wherever the notes ref is
    tip, seen = namespace.tip, namespace.seen
    nothing: frozenset[str] = frozenset()
    if theirs is None:  # S1
        kept_back = _withhold_private(transaction, namespace, None)
        is_empty = namespace.write() in (None, transaction.repository.project_anchor)
        return Step("S1", not is_empty, nothing, nothing, kept_back)
    if tip is None and seen is None and not transaction.trees.has_large_notes(theirs.tree):  # S2
        namespace.taken = theirs
        return Step("S2", False, nothing, nothing)
    if tip == seen == theirs:  # S0
        return Step("S0", False, nothing, nothing)
    our_tree = namespace.write()
    transaction.objects.store()
    namespace.tree, there, here = transaction.trees.join(theirs.tree, our_tree, key.kind)
    namespace.held |= hold_back(transaction, key, our_tree, namespace.tree, there - here)
    held = namespace.held
    kept_back = _withhold_private(transaction, namespace, theirs)
    if namespace.write() == theirs.tree:  # S3
        namespace.taken = theirs
        return Step("S3", False, here, there, kept_back, held)
    if here <= there:  # S4
        namespace.parents = (theirs.commit,)
        return Step("S4", True, here, there, kept_back, held)
    if there < here:  # S5
        if namespace.parents is None:  # unless absorbing chose the clean history
            own = seen or tip
            namespace.parents = (own.commit,) if own else ()
        return Step("S5", True, here, there, kept_back, held)
    namespace.parents = ()  # S6
    return Step("S6", True, here, there, kept_back, held)


def _withhold_private(transaction: Transaction, namespace: Namespace, theirs: Tip | None) -> int:
    """Remove private data from what would be pushed; return how many records that affected.

    Plain git may have copied it there, or an older version may have referred to it.
    """
    private, git = transaction.private(), transaction.repository.git
    if not private.uids:
        return 0
    known = [theirs.commit] if theirs else []
    remote = RemoteNotes(git, known)
    empty = transaction.repository.project_anchor
    tree = namespace.write() or empty
    transaction.objects.store()
    (changes,) = diff_trees(git, [(theirs.tree if theirs else empty, tree)])
    count = 0
    for anchor in {anchor_of(change.path, len(empty)) for change in changes} - {None}:
        assert anchor is not None
        note = read_note(transaction.objects, namespace.tree, anchor)
        kept = without_private_records(note, remote, private)
        if kept != note:
            namespace.replace(anchor, kept)
            count += sum(kept.get(uid) != text for uid, text in note.items())
    own = [tip.commit for tip in (namespace.seen, namespace.tip) if tip]
    if namespace.parents is not None:
        own = list(namespace.parents)
    if not reveals_nothing_private(git, own, known, private):
        namespace.parents = ()  # the history contains it too
    return count


def _erase_purged(
    ledger: Ledger,
    steps: Mapping[Key, Step],
    old_tips: Mapping[Key, list[str]],
    report: SyncReport,
) -> None:
    """Erase what either side purged and the other still had."""
    for key, step in steps.items():
        report.held |= step.held
        uids = (step.purged_here ^ step.purged_there) - step.held
        if uids:
            report.purged |= step.purged_there - step.purged_here - step.held
            report.warnings += erase(ledger.repository, [key], uids, old_tips[key])

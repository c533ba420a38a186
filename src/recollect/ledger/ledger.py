"""The ledger: write records that cannot be lost, and read what changed.

A write takes a lock (only for speed), absorbs what others did to the refs since we last saw them,
builds new trees along the changed paths, and swaps the refs against their old values. If one of
them moved, it starts again. It never calls `git notes`, which silently loses parallel writes.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property

from recollect.core.limits import NOTE_BYTES, NOTE_RECORDS
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import Note, parse_note
from recollect.core.places import Place
from recollect.core.record import Record
from recollect.errors import CaptureError, Contended, GitFailed, NotWritable, StorageError
from recollect.ledger.git import beside
from recollect.ledger.git_objects import OVERSIZE
from recollect.ledger.refs import (
    PREFIXES,
    SEEN_PREFIXES,
    Key,
    Refs,
    Tip,
    list_refs,
    refs_state,
    swap_refs,
    without_bad_names,
)
from recollect.ledger.repository import Repository

# Imported where used: a hook that only reads needs none of these.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from recollect.ledger.merge import PathChange
    from recollect.ledger.transaction import Transaction
    from recollect.ledger.writes import Stamp, Write

    T = TypeVar("T")

_ATTEMPTS = 60
_STALE_LOCK_SECONDS = 60.0
_OUR_REFS = (
    "refs/mem",
    "refs/notes/mem",
    "refs/notes/mem-local",
    "logs/refs/mem",
    "logs/refs/notes/mem",
    "logs/refs/notes/mem-local",
)

Cursor = Mapping[str, str]  # notes ref → the last tree that was read


class Changes(NamedTuple):
    """What is new since a cursor. In the `whole` namespaces, notes that are not listed are gone."""

    notes: Iterable[tuple[Place, Note | None]]
    cursor: Cursor
    whole: frozenset[Key] = frozenset()
    size: int = 0


def unchanged(value: Any) -> Any:
    """Return the value unchanged: a gate that passes everything."""
    return value


class Ledger:
    """The memories of one repository."""

    def __init__(
        self,
        repository: Repository,
        clock: Callable[[], datetime],
        lock_timeout: float = 5.0,
        configured_author: str = "",
        purge_policy: str = "ask",
    ) -> None:
        self.repository = repository
        self.clock = clock
        self.lock_timeout = lock_timeout
        self.configured_author = configured_author
        self.purge_policy = purge_policy
        self.warnings: list[str] = []
        # The namespaces that were unreadable, or partly so, at the last `changes`.
        self.unread: set[Key] = set()
        # The records for which an altered copy arrived; the original was kept.
        self.refused: set[str] = set()
        # Redacts fields and bodies; set by the code that opens the ledger.
        self.gate: Callable[[Any], Any] = unchanged
        # The refs when git was last asked, and their state then: while it stays, git is not asked.
        self._known: tuple[object, Refs] | None = None
        # Refs with nothing to absorb, and those of them that are notes.
        self._settled: tuple[Refs | None, dict[str, Tip]] = (None, {})
        self._asked_author: Callable[[], str] | None = None
        self.writes = 0  # after each, the refs may have moved
        # Whether what git said in an earlier process counts, too; see `on_disk.py`.
        self.asks_git_rarely = False

    @cached_property
    def author(self) -> str:
        """Return the author, `Name <email>`: the configured one, else git's identity."""
        return (self._asked_author or self._find_author)()

    def _find_author(self) -> str:
        from recollect.ledger.identity import find_author  # few hooks need to know

        return find_author(self.repository.git, self.configured_author)

    def ask_author(self) -> None:
        """Begin to ask git who the author is; `author` waits for the answer."""
        if "author" not in self.__dict__ and not self.configured_author:
            self._asked_author = beside(self._find_author, "author")

    def forget_author(self) -> None:
        """Find out at the next use who the author is: that may change."""
        self._asked_author = None
        self.__dict__.pop("author", None)

    def stamp(self) -> Stamp:
        """Return a stamp with the author and the current time."""
        from recollect.ledger.writes import Stamp

        moment = self.clock()
        return Stamp(self.author, moment.strftime("%Y-%m-%dT%H:%M:%SZ"), self.gate)

    def write(self, writes: Sequence[Write], reason: str) -> list[Record]:
        """Write all records, in one commit per namespace, or none."""
        from recollect.ledger.writes import read_ahead

        stamp = self.stamp()

        def apply(transaction: Transaction) -> list[Record]:
            read_ahead(writes, transaction)
            return [write.apply(transaction, stamp) for write in writes]

        return self.transact(apply, reason)

    def transact(self, edit: Callable[[Transaction], T], reason: str) -> T:
        """Run an edit against the current ledger until its result is swapped in."""
        from recollect.ledger.holding import judge_for
        from recollect.ledger.lock import exclusive
        from recollect.ledger.packs import release_stale
        from recollect.ledger.transaction import Transaction

        judge = judge_for(self.purge_policy, lambda: self.author)
        who = f"{self.author} {int(self.clock().timestamp())} +0000"
        git = self.repository.git
        lock = self.repository.state_dir / "ledger.lock"
        for attempt in range(_ATTEMPTS):
            with exclusive(lock, self.lock_timeout):
                if attempt == 0:
                    release_stale(self.repository)
                with git.objects() as reader:
                    transaction = Transaction(self.repository, reader, judge)
                    try:
                        result = edit(transaction)
                        swaps = transaction.finish(who, reason)
                        if swaps:
                            transaction.objects.store()
                        done = not swaps or swap_refs(git, swaps, reason)
                    finally:
                        transaction.objects.release()
                        self.writes += 1
                if done:
                    self.warnings += transaction.warnings
                    self.refused |= transaction.trees.refused
                    self._erase_newly_purged(transaction)
                    return result
                self.drop_stale_locks()
            time.sleep(min(0.002 * 1.3**attempt, 0.1) * os.urandom(1)[0] / 255)
        raise Contended("Other programs moved the notes refs during each attempt to write.")

    def _erase_newly_purged(self, transaction: Transaction) -> None:
        """Erase the memories whose purge records another git command brought in."""
        for key, namespace in transaction.with_new_purges().items():
            from recollect.ledger.erase import erase

            tips = [tip.commit for tip in (namespace.tip, namespace.seen) if tip]
            self.warnings += erase(self.repository, [key], namespace.new_purges, tips)

    def drop_stale_locks(
        self, folders: Sequence[str] = _OUR_REFS, older_than: float = _STALE_LOCK_SECONDS
    ) -> None:
        """Remove locks of our refs and reflogs that a crash left behind.

        Git holds such a lock for milliseconds and never removes one that it did not create.
        """
        for folder in folders:
            for path in (self.repository.common_dir / folder).rglob("*.lock"):
                try:
                    if time.time() - path.stat().st_mtime > older_than:
                        path.unlink()
                        self.warnings.append(f"Removed a lock that a crash left behind: {path}")
                except OSError:
                    continue  # another process removed it first

    def absorb(self, keys: Iterable[Key]) -> None:
        """Join what foreign commands did to some namespaces with what we last saw."""
        wanted = list(keys)

        def open_all(transaction: Transaction) -> None:
            for key in wanted:
                transaction[key]

        self.transact(open_all, "absorb")

    def changes(self, cursor: Cursor) -> Changes:
        """Return what the notes hold that a cursor has not seen: a tree diff, then one batch read.

        An unreadable namespace stays at its cursor, with a warning.
        """
        tips = self.tips()
        self.unread = set()
        seen = {ref: tip.tree for ref, tip in tips.items()}
        for ref in self._known[1].bad if self._known else ():
            if ref.startswith(tuple(PREFIXES.values())) and ref not in seen:
                self.unread.add(key_of(ref))
                seen |= {ref: cursor[ref]} if ref in cursor else {}
        empty = self.repository.project_anchor
        moved = [r for r in {**cursor, **seen} if cursor.get(r, empty) != seen.get(r, empty)]
        if not moved:
            return Changes((), seen)
        from recollect.ledger.merge import diff_trees
        from recollect.ledger.tree import anchor_of

        pairs = [(cursor.get(ref, empty), seen.get(ref, empty)) for ref in moved]
        whole: frozenset[Key] = frozenset()
        try:
            diffs = dict(zip(moved, diff_trees(self.repository.git, pairs), strict=True))
        except GitFailed:
            diffs, whole = self._diffs_apart(cursor, seen, moved)
        length = len(empty)
        blobs: dict[Place, list[str]] = {}
        refs: dict[Place, str] = {}
        for ref, diff in diffs.items():
            key = key_of(ref)
            for change in diff:
                anchor = anchor_of(change.path, length)
                if anchor is not None:
                    place = Place(key.space, key.kind, anchor)
                    refs[place] = ref
                    found = blobs.setdefault(place, [])
                    if change.new is not None:
                        found.append(change.new)
        reached = dict(seen)

        def missing(place: Place) -> None:
            """Leave the cursor in place, so that the note is read once its contents arrive."""
            reached[refs[place]] = cursor.get(refs[place], empty)
            self.unread.add(Key(place.space, place.kind))
            self.warnings.append(
                f"A note of {place.kind} on {place.anchor[:7]} has no contents in this clone."
            )

        return Changes(self._read(blobs, missing), reached, whole, size=len(blobs))

    def _diffs_apart(
        self, cursor: Cursor, seen: dict[str, str], moved: Sequence[str]
    ) -> tuple[dict[str, list[PathChange]], frozenset[Key]]:
        """Diff each namespace separately, if git cannot read the tree of one of them.

        If the cursor's tree is gone, everything is read again; if the current tree is damaged, the
        cursor stays.
        """
        from recollect.ledger.merge import diff_trees

        git, empty = self.repository.git, self.repository.project_anchor
        diffs: dict[str, list[PathChange]] = {}
        whole = set()
        for ref in moved:
            new = seen.get(ref, empty)
            for old in dict.fromkeys((cursor.get(ref, empty), empty)):
                try:
                    (diffs[ref],) = diff_trees(git, [(old, new)])
                except GitFailed as error:
                    problem = error.message
                    continue
                if old == empty:
                    whole.add(key_of(ref))
                break
            else:
                self.warnings.append(
                    f"The notes of {key_of(ref).kind} cannot be read ({problem})."
                    " Run `recollect repair`."
                )
                seen[ref] = cursor.get(ref, empty)
                self.unread.add(key_of(ref))
        return diffs, frozenset(whole)

    def _read(
        self, blobs: Mapping[Place, list[str]], missing: Callable[[Place], None]
    ) -> Iterator[tuple[Place, Note | None]]:
        contents = self.repository.git.read_all(
            (oid for oids in blobs.values() for oid in oids), most=NOTE_BYTES
        )
        for place, oids in blobs.items():
            texts = [next(contents) for _ in oids]
            if None in texts:
                missing(place)
                continue
            if not texts:
                yield place, None
                continue
            note = None
            if not any(text is OVERSIZE for text in texts):
                text = b"\n\n".join(text for text in texts if text is not None)
                note = parse_note(text.decode("utf-8", "surrogateescape"))
            if note is None or len(note) > NOTE_RECORDS:
                self.warnings.append(
                    f"A note of {place.kind} on {place.anchor[:7]} is refused: it is larger than"
                    f" the limit of {NOTE_BYTES} bytes and {NOTE_RECORDS} records."
                )
                note = None
            yield place, note

    def tips(self) -> dict[str, Tip]:
        """Return the ledger's notes refs, after absorbing foreign moves."""
        refs = self._all_refs()
        if refs is self._settled[0]:  # an event looks a dozen times
            return dict(self._settled[1])
        tips = refs.tips
        behind = [
            key for key in _absorbable(tips) if tips.get(key.notes_ref) != tips.get(key.seen_ref)
        ]
        if behind and self._absorb_each(behind):
            tips = self._all_refs().tips
        found = {r: tip for r, tip in tips.items() if r.startswith(tuple(PREFIXES.values()))}
        if not behind:
            self._settled = refs, found
        return dict(found)

    def _absorb_each(self, keys: Sequence[Key]) -> bool:
        """Absorb namespaces; if one fails, the others still proceed."""
        try:
            self.absorb(keys)
        except (NotWritable, CaptureError) as error:
            # A repository without write access is still worth reading.
            self.warnings.append(
                f"Could not merge what other programs changed in the notes: {error.message}"
            )
            return False
        except StorageError as error:
            if len(keys) > 1:
                absorbed = [key for key in keys if self._absorb_each([key])]
                return bool(absorbed)
            self.warnings.append(
                f"Could not merge what other programs changed in the notes of {keys[0].kind}:"
                f" {error.message}"
            )
            return False
        return True

    def _all_refs(self) -> Refs:
        state = refs_state(self.repository.common_dir)
        if state is not None and self._known is not None and self._known[0] == state:
            return self._known[1]
        refs = None if state is None or not self.asks_git_rarely else self._noted(state)
        if refs is None:
            refs = without_bad_names(
                list_refs(self.repository.git, *PREFIXES.values(), *SEEN_PREFIXES.values())
            )
            if state is not None and self.asks_git_rarely:
                from recollect.ledger.on_disk import note_refs

                note_refs(self.repository.state_dir, state, refs)
        self._known = (state, refs)
        return refs

    def _noted(self, state: object) -> Refs | None:
        from recollect.ledger.on_disk import known_refs

        return known_refs(self.repository.state_dir, state)


def _absorbable(tips: Iterable[str]) -> set[Key]:
    """Return the namespaces in a list of refs, without the read-only ones."""
    keys = set()
    for space, seen_prefix in SEEN_PREFIXES.items():
        for prefix in (PREFIXES[space], seen_prefix):
            keys |= {Key(space, ref.removeprefix(prefix)) for ref in tips if ref.startswith(prefix)}
    return keys


def key_of(ref: str) -> Key:
    """Return the namespace of a notes ref."""
    for space, prefix in PREFIXES.items():
        if ref.startswith(prefix):
            return Key(space, ref.removeprefix(prefix))
    raise ValueError(ref)

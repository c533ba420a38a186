"""Conflicts: what each side of a sync changed that the other has not seen.

This needs no common ancestor: a change that the other side lacks was made since the last sync.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recollect.core.named_tuple import NamedTuple
from recollect.core.note import Note, join, parse_note, read_stored
from recollect.core.record import UPDATE
from recollect.ledger.git import Git
from recollect.ledger.merge import diff_trees
from recollect.ledger.tree import anchor_of


class Difference(NamedTuple):
    """The updates of one memory that only one side has, by uid."""

    ours: frozenset[str]
    theirs: frozenset[str]


def changed_on_both_sides(git: Git, pairs: Iterable[tuple[str, str]]) -> dict[str, Difference]:
    """Return the memories that both sides changed, given pairs of trees: ours, then theirs."""
    ours: dict[str, set[str]] = {}
    theirs: dict[str, set[str]] = {}
    for changes in diff_trees(git, [pair for pair in pairs if pair[0] != pair[1]]):
        blobs: dict[str, tuple[list[str], list[str]]] = {}
        for change in changes:
            anchor = anchor_of(change.path, len(change.old or change.new or ""))
            if anchor is not None:
                found = blobs.setdefault(anchor, ([], []))
                for side, oid in zip(found, (change.old, change.new), strict=True):
                    side += [oid] if oid else []
        for old, new in blobs.values():
            if old and new:  # a memory that only one side has cannot have changed on both
                one, other = (_updates(git, side) for side in (old, new))
                _add(ours, one, other)
                _add(theirs, other, one)
    return {
        uid: Difference(frozenset(ours[uid]), frozenset(theirs[uid]))
        for uid in ours.keys() & theirs.keys()
    }


def _add(found: dict[str, set[str]], here: Mapping[str, str], there: Mapping[str, str]) -> None:
    for uid, memory in here.items():
        if uid not in there:
            found.setdefault(memory, set()).add(uid)


def _updates(git: Git, blobs: list[str]) -> dict[str, str]:
    """Return the updates in some notes, each with the memory that it changes."""
    note = read_notes(git, blobs)
    records = (read_stored(text) for text in note.values() if f"\nop: {UPDATE}\n" in text)
    return {record.uid: record.of for record in records if record.of}


def read_notes(git: Git, blobs: list[str]) -> Note:
    """Return the records of several notes."""
    texts = [(data or b"").decode("utf-8", "surrogateescape") for data in git.read_all(blobs)]
    return join(*map(parse_note, texts))

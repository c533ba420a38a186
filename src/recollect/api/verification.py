"""What `verify` checks: every record in the refs, and every row that the index answers from."""

from __future__ import annotations

from collections.abc import Iterator

from recollect.core.disposition import dispose
from recollect.core.note import purged_uids
from recollect.core.places import LOCAL, Place
from recollect.core.proof import proves
from recollect.core.record import CREATE, PURGE, Record
from recollect.core.spaces import marked
from recollect.core.uid import claims_proof
from recollect.index.protocol import Filters
from recollect.ledger.health import OK, PROBLEM, WARNING, Finding
from recollect.ledger.ledger import Ledger
from recollect.store.indexing import Indexing

_REPAIR = "Run `recollect repair`."
_MOST_SHOWN = 80
# What the tables of the index are about, in the words of a user.
_TABLES = {
    "memory": "fields",
    "words": "words",
    "tag": "tags",
    "file": "files",
    "named": "files that the text names",
    "concept": "concepts",
    "relation": "relations",
    "slug": "slugs",
    "name": "ids",
    "contested": "suggested changes",
    "record": "owners of records",
}


def check_records(ledger: Ledger, indexing: Indexing) -> Iterator[Finding]:
    """Read every record, also of kinds that this version does not know, and compare the index."""
    index = indexing.fresh()
    indexed = {(place, uid): text for place, uid, text in index.texts()}
    known: set[tuple[Place, str]] = set()
    lost = 0
    missing: list[str] = []
    mismatched: list[str] = []
    purged: set[tuple[str, str, str]] = set()
    owners: set[tuple[str, str, str]] = set()
    for place, note in ledger.changes({}).notes:
        lost += not note
        purged |= {(place.space, place.kind, uid) for uid in purged_uids(note or {})}
        for uid, text in (note or {}).items():
            known.add((place, uid))
            found = indexed.get((place, uid))
            if found != text:
                (missing if found is None else mismatched).append(uid)
            record, reason = dispose(text)
            if not reason and claims_proof(uid) and not proves(uid, text):
                yield _altered(uid, record)
            if reason:
                yield Finding(
                    WARNING,
                    "quarantine",
                    f"The record {uid} of {place.kind} on {place.anchor[:7]} is quarantined:"
                    f" {reason}.",
                    "It is kept as it is, but it does not become a memory."
                    f" To remove it, run: recollect purge {uid}",
                )
            elif record.op != PURGE:
                owners.add((place.space, place.kind, record.memory_uid))
    orphaned = sorted(uid for _, uid in indexed.keys() - known)
    if lost:
        yield Finding(
            PROBLEM,
            "records",
            f"{lost} notes have no contents in this clone.",
            "In a partial clone, run `recollect sync` to fetch them.",
        )
    for uids, what in (
        (missing, "records are not in the index."),
        (orphaned, "records in the index are not in the ledger."),
        (mismatched, "records differ between index and ledger."),
    ):
        if uids:
            yield Finding(PROBLEM, "index", f"{len(uids)} {what}", _REPAIR, tuple(uids))
    if not (missing or orphaned or mismatched):  # else it is clear that rows differ, too
        yield from _check_rows(indexing)
    yield from _check_spaces({(space == LOCAL, uid) for space, _, uid in purged | owners})
    for _, _, uid in sorted(purged & owners):
        yield Finding(
            PROBLEM, "purge", f"The purged memory {uid} is still here.", "Run `recollect sync`."
        )
    for record in index.waiting():
        yield Finding(
            WARNING,
            "records",
            f"A change waits for a memory that this clone does not have: {record.of}",
            "To fetch it, run `recollect sync`.",
        )
    for name in index.shared_names():
        yield Finding(
            WARNING,
            "names",
            f"{name} is the id of several memories, because two clones assigned it before a sync.",
            "All are kept. To choose one, add ~ and the last four characters of its uid.",
        )
    memories = index.count(Filters(statuses=frozenset({"all"})))
    yield Finding(OK, "records", f"Records: {len(known)}, memories: {memories}")


def _check_rows(indexing: Indexing) -> Iterator[Finding]:
    """Compare the rows that answers come from with what the notes give."""
    for table, uids in indexing.differences().items():
        what = _TABLES.get(table, table)
        yield Finding(
            PROBLEM,
            "index",
            f"The {what} of {_memories(len(uids))} differ between index and ledger.",
            _REPAIR,
            tuple(filter(None, uids)),
        )
    damaged = indexing.fresh().damaged_vectors()
    if damaged:
        yield Finding(
            PROBLEM,
            "index",
            f"The vectors of {_memories(len(damaged))} are missing or changed.",
            _REPAIR,
            tuple(filter(None, damaged)),
        )


def _memories(count: int) -> str:
    return "1 memory" if count == 1 else f"{count} memories"


def _altered(uid: str, record: Record) -> Finding:
    """Report a record whose text does not match its uid, and what to do about it."""
    name = record.id or record.memory_uid
    level = record.fields.get("sensitivity", "public")
    what = str(record.fields.get("summary") or "")[:_MOST_SHOWN] if level == "public" else level
    effect = {
        CREATE: "Agents do not get it.",
        PURGE: "Its memory stays purged.",
    }.get(record.op, "The change does not count.")
    return Finding(
        WARNING,
        "altered",
        f"Record {uid} of {name} is not what its author wrote ({record.op} by"
        f" {record.by or 'nobody'}, {record.timestamp or 'undated'}: {what!r}). {effect}",
        "To get the original back, run `recollect sync` in the author's clone, then here."
        f" If nobody has it, erase it: recollect purge {record.memory_uid}",
    )


def _check_spaces(spoken_of: set[tuple[bool, str]]) -> Iterator[Finding]:
    """Report shared records with the uid of a private memory; they do not change it."""
    for uid in sorted(uid for is_local, uid in spoken_of if is_local and (False, uid) in spoken_of):
        yield Finding(
            WARNING,
            "spaces",
            f"Shared notes contain records with the uid of a private memory: {uid}. They count as"
            " another memory, and the private one is unchanged.",
            "Ask who wrote them. To erase them, purge the memory that `recollect show"
            f" {marked(uid)}` shows.",
        )

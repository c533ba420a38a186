"""What can be written: the creation of a memory, and a change to one.

A creation gets its id here, inside the transaction, because its note must be known: the id contains
the number of memories at its anchor, and never a number that was assigned there before. A record
also gets its uid here, computed from the rest of its content: the same nonce and content always
give the same uid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from recollect.core.disposition import why_quarantined
from recollect.core.fields import LOCAL_SENSITIVITIES
from recollect.core.limits import MAX_ID_NUMBER, MAX_INTEGER, OPEN_NOTE_BYTES, OPEN_NOTE_RECORDS
from recollect.core.memory import version_of
from recollect.core.named_tuple import NamedTuple
from recollect.core.names import Name
from recollect.core.note import Note, join, purged_uids, read_stored, read_with_digest, shorten_line
from recollect.core.patterns import pattern
from recollect.core.places import FOREIGN, LOCAL, SHARED, Place
from recollect.core.proof import seal
from recollect.core.record import (
    BODY,
    CREATE,
    PURGE,
    PURGED_NONCE,
    UPDATE,
    Record,
    is_legacy,
    render_record,
)
from recollect.core.spaces import is_marked
from recollect.core.status import UNCONFIRMED
from recollect.errors import NotFound, UnsafeName, ValidationError, VersionConflict
from recollect.ledger.border import check_shared, refusal
from recollect.ledger.refs import Key
from recollect.ledger.transaction import Namespace, Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# When the project's note is this full, the next memory opens another shard.
SHARD_RECORDS = 64
SHARD_BYTES = 64 * 1024
_SHARDS = "anchors"
_SEVERAL = 3  # creations, from which on they are prepared together
# As the author of a record: nobody, so that clones of several people write the same.
NOBODY = ""
# Lookup keys, so they must not be redacted here; they are checked where they are created.
_LOOKED_UP = frozenset({"project"})
KEPT_AS_IT_IS = "secret"  # the sensitivity that is not redacted
_NUMBERED = pattern(r"^id: ([^:\n]+):([0-9a-f]+):([0-9]{1,9})$", re.MULTILINE)


class Creation(NamedTuple):
    """A memory to create, anchored on a revision, or on the project if that is None."""

    nonce: str
    kind: str
    fields: Mapping[str, Any]
    body: str = ""
    revision: str | None = "HEAD"
    # When it happened, if not now; set by importers.
    created: str | None = None
    # The author of the text, if not the writer.
    by: str | None = None

    def record(self, stamp: Stamp) -> Record:
        """Return the record, with its uid but without a name yet."""
        as_is = self.fields.get("sensitivity") == KEPT_AS_IT_IS
        fields, body = stamp.cleaned(self.fields, self.body, as_is=as_is)
        return _sealed(
            Record(
                uid="",
                op=CREATE,
                timestamp=self.created or stamp.time,
                by=_author(self.by, stamp),
                nonce=self.nonce,
                fields={**fields, "type": self.kind},
                body=body or None,
            )
        )

    @property
    def is_local(self) -> bool:
        """Whether it belongs to the local space, which is never pushed."""
        return (
            self.fields.get("sensitivity") in LOCAL_SENSITIVITIES
            or self.fields.get("status") == UNCONFIRMED
        )

    def keys(self) -> list[Key]:
        """Return the namespaces to open: both spaces, so that no name is assigned twice."""
        return [Key(SHARED, self.kind), Key(LOCAL, self.kind)]

    def apply(self, transaction: Transaction, stamp: Stamp) -> Record:
        """Add the record to the note of its anchor."""
        space = LOCAL if self.is_local else SHARED
        namespace = transaction[Key(space, self.kind)]
        unnamed = self.record(stamp)
        self._refuse_purged(namespace, transaction.repository.project_anchor, unnamed.uid)
        anchor = self._anchor(transaction, namespace)
        number = transaction.numbers.get((self.kind, anchor))
        if number is None:
            number = max(_next_number(transaction, key, anchor) for key in self.keys())
        transaction.numbers[self.kind, anchor] = number + 1
        record = unnamed._replace(id=str(Name(self.kind, anchor, number)))
        if space == SHARED:
            check_shared(record, transaction.private)
        namespace.add(anchor, record.uid, _checked(record))
        transaction.created[record.uid] = Place(space, self.kind, anchor)
        return record

    def _refuse_purged(self, namespace: Namespace, project_anchor: str, own: str) -> None:
        """Reject a uid that was purged; a process that hung in the meantime may try to write it.

        A purge in the other space does not matter.
        """
        project = namespace.note(project_anchor)
        marks = (f"\nof: {own}\n", f"\n{PURGED_NONCE}: {self.nonce}\n")
        named = {u: text for u, text in project.items() if any(m in text for m in marks)}
        purges = [read_stored(text) for text in named.values()]
        if own in purged_uids(named) or any(
            record.op == PURGE and record.fields.get(PURGED_NONCE) == self.nonce
            for record in purges
        ):
            raise NotFound("The memory was purged before it could be written.")

    def _anchor(self, transaction: Transaction, namespace: Namespace) -> str:
        if self.revision is not None:
            commit = transaction.commit_id(self.revision)
            if commit is not None:
                full = _is_full(namespace.note(commit))
                return commit if not full else _project_anchor(transaction, namespace)
            if self.revision != "HEAD":
                raise UnsafeName(
                    f"There is no commit {self.revision!r}.", "Name a commit of this repository."
                )
        return _project_anchor(transaction, namespace)


def read_ahead(writes: Sequence[Write], transaction: Transaction) -> None:
    """Read what many creations need, their commits and the notes there, together."""
    made = [one for one in writes if isinstance(one, Creation) and one.revision is not None]
    if len(made) < _SEVERAL:
        return
    transaction.fetch_commits([str(one.revision) for one in made])
    anchors: dict[Key, list[str]] = {}
    for one in made:
        commit = transaction.commit_id(str(one.revision))
        for key in one.keys() if commit is not None else ():
            anchors.setdefault(key, []).append(str(commit))
    for key, commits in anchors.items():
        transaction[key].fetch(dict.fromkeys(commits))


class Change(NamedTuple):
    """An update of a memory: fields (None removes one), and the body unless it is None."""

    nonce: str
    of: str
    # Where the memory is; empty if the same transaction creates it.
    places: tuple[Place, ...]
    # The creation in our format: an edit converts a legacy memory.
    creation: str
    fields: Mapping[str, Any]
    body: str | None = None
    known_rev: int = 0
    # The version that it changes; if the memory has moved on, the change is rejected.
    expected: str = ""
    # When it happened, if not now; set by importers.
    time: str | None = None
    # The author of the change, if not the writer.
    by: str | None = None
    # Whether it changes a memory of sensitivity `secret`, which is stored unredacted.
    as_is: bool = False

    def apply(self, transaction: Transaction, stamp: Stamp) -> Record:
        """Add the record to every note that holds the creation."""
        if is_marked(self.of):
            raise refusal(
                "The memory has the uid of a private one, so that a change of it would carry that"
                " uid to others. Purge it, or capture its text again."
            )
        if not self.places and self.of in transaction.created:
            here = self._replace(places=(transaction.created[self.of],))
            return here.apply(transaction, stamp)
        before = self._records(transaction)
        notes = self._notes(transaction)
        if self.expected:
            found = self._version(before)
            if self.expected != found:
                raise VersionConflict(
                    f"The memory is at version {found} by now, not at {self.expected}.",
                    f"Nothing was stored. Read it again, put your change into what it says now,"
                    f" and send version {found}.",
                )
        known = [record.rev for record in self._updates(before)]
        fields, body = stamp.cleaned(self.fields, self.body, as_is=self.as_is)
        if self.body == "":
            fields[BODY] = None
        record = _sealed(
            Record(
                uid="",
                op=UPDATE,
                of=self.of,
                rev=min(max(self.known_rev, *known, 0) + 1, MAX_INTEGER),
                timestamp=self.time or stamp.time,
                by=_author(self.by, stamp),
                nonce=self.nonce,
                fields=fields,
                body=body or None,
            )
        )
        if any(namespace.key.space == SHARED for namespace, _ in notes):
            check_shared(record, transaction.private)
        text = _checked(record)
        for namespace, anchor in notes:
            namespace.add(anchor, record.uid, text)
        return record

    def _records(self, transaction: Transaction) -> Note:
        """Return the texts of the memory's records before this change."""
        found: list[Note] = []
        for place in self.places:
            note = transaction[_home(place)].note(place.anchor)
            mark = f"\nof: {self.of}\n"
            found.append(
                {
                    uid: text
                    for uid, text in note.items()
                    if uid == self.of or (mark in text and not why_quarantined(text))
                }
            )
        return join(*found)

    def _version(self, before: Note) -> str:
        creation = read_with_digest(self.of, before.get(self.of, self.creation))
        return version_of(creation, self._updates(before))

    def _updates(self, before: Note) -> list[Record]:
        records = [read_with_digest(uid, text) for uid, text in before.items() if uid != self.of]
        return [record for record in records if record.of == self.of]

    def _notes(self, transaction: Transaction) -> list[tuple[Namespace, str]]:
        found = []
        for place in self.places:
            namespace = transaction[_home(place)]
            text = namespace.note(place.anchor).get(self.of)
            if text is None and place.space != FOREIGN:
                continue
            if text is None or is_legacy(text):
                namespace.add(place.anchor, self.of, self.creation)
            found.append((namespace, place.anchor))
        if not found:
            raise NotFound("The memory was purged while it was being changed.")
        return found


class Stamp(NamedTuple):
    """Who writes, when, and the gate that redacts what is written."""

    author: str
    time: str
    gate: Callable[[Any], Any]

    def cleaned(
        self, fields: Mapping[str, Any], body: str | None, *, as_is: bool
    ) -> tuple[dict[str, Any], str | None]:
        """Return fields and body as they may be written."""
        if as_is:
            return dict(fields), body
        paths = {name: value for name, value in fields.items() if name in _LOOKED_UP}
        clean = {**self.gate({k: v for k, v in fields.items() if k not in paths}), **paths}
        summary = clean.get("summary")
        if isinstance(summary, str) and summary != fields.get("summary"):
            clean["summary"] = shorten_line(
                summary
            )  # a redaction mark may be longer than the secret
        return clean, self.gate(body) if body else body


Write = Creation | Change


def _sealed(record: Record) -> Record:
    """Return the record under the uid that proves it; reject one that cannot be written as text."""
    try:
        return seal(record)
    except (TypeError, ValueError, RecursionError) as error:
        raise _not_storable(f"a value cannot be written as text ({error})") from None


def _not_storable(reason: str) -> ValidationError:
    return ValidationError(
        f"The memory cannot be stored: {reason}.", "Nothing was stored. Correct it and try again."
    )


def _checked(record: Record) -> str:
    """Return the text of a record that every reader accepts; reject one beyond the limits."""
    text = render_record(record)
    reason = why_quarantined(text)
    if reason:
        raise _not_storable(reason)
    return text


def _is_full(note: Note) -> bool:
    """Whether a note takes no more memories."""
    return len(note) >= OPEN_NOTE_RECORDS or sum(map(len, note.values())) >= OPEN_NOTE_BYTES


def _author(by: str | None, stamp: Stamp) -> str | None:
    return stamp.author if by is None else by or None


def _home(place: Place) -> Key:
    """Return the namespace that takes changes to what is at a place."""
    return Key(SHARED if place.space == FOREIGN else place.space, place.kind)


def _next_number(transaction: Transaction, key: Key, anchor: str) -> int:
    """Return the number for the next memory at an anchor: above every number assigned before."""
    namespace = transaction[key]
    note = namespace.note(anchor)
    number = sum(1 for text in note.values() if is_legacy(text) or f"\nop: {CREATE}\n" in text)
    # Purge records, kept in the project's note, remember the names of what they erased.
    project = namespace.note(transaction.repository.project_anchor)
    for text in (*note.values(), *project.values()):
        match = _NUMBERED.search(text, 0, max(text.find("\n---\n", 3), 0))
        if match and match.group(1) == key.kind and match.group(2) == anchor:
            given = int(match.group(3))
            number = max(number, given + 1) if given <= MAX_ID_NUMBER else number
    return number


def _project_anchor(transaction: Transaction, namespace: Namespace) -> str:
    """Return the empty tree, or the newest shard of the project's note if that is full."""
    shards = [int(name) for name in namespace.tree.names(_SHARDS) if name.isdigit()]
    newest = max(shards, default=0)
    anchor = _shard(transaction, namespace, newest)
    note = namespace.note(anchor)
    if len(note) < SHARD_RECORDS and sum(map(len, note.values())) < SHARD_BYTES:
        return anchor
    return _shard(transaction, namespace, newest + 1)


def _shard(transaction: Transaction, namespace: Namespace, number: int) -> str:
    """Return the anchor of a shard: a small blob, kept in the tree so that no prune drops it."""
    if number == 0:
        return transaction.repository.project_anchor
    data = f"mem project {number}\n".encode()
    anchor = transaction.objects.add_blob(data)
    namespace.tree.put_file(f"{_SHARDS}/{number}", anchor)
    return anchor

"""What can be written: the creation of a memory, and a change to one.

A creation gets its name here, inside the session, where the note it joins is known: the count of
memories at its anchor, and never a number that was given out there before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from recollect.core.fields import LOCAL_SENSITIVITIES
from recollect.core.legacy import is_legacy
from recollect.core.memory import version_of
from recollect.core.names import Name
from recollect.core.note import Note, purged_uids, read_stored
from recollect.core.patterns import pattern
from recollect.core.places import FOREIGN, LOCAL, SHARED, Place
from recollect.core.record import BODY, CREATE, UPDATE, Record, render_record
from recollect.errors import NotFound, UnsafeName, VersionConflict
from recollect.ledger.refs import Key
from recollect.ledger.session import Namespace, Session

# When the project's note is this full, the next memory opens another shard.
SHARD_RECORDS = 64
SHARD_BYTES = 64 * 1024
_SHARDS = "anchors"
_NUMBERED = pattern(r"^id: ([^:\n]+):([0-9a-f]+):([0-9]{1,9})$", re.MULTILINE)


class Creation(NamedTuple):
    """A memory to be born. Anchored on a revision, or on the project where that is None."""

    uid: str
    kind: str
    fields: Mapping[str, Any]
    body: str = ""
    revision: str | None = "HEAD"
    # When it happened, where that is not now: importers know.
    created: str | None = None

    def keys(self) -> list[Key]:
        """The namespaces to open: the other space too, so that no name is given twice."""
        return [Key(SHARED, self.kind), Key(LOCAL, self.kind)]

    def apply(self, session: Session, stamp: Stamp) -> Record:
        """Add the record to the note of its anchor."""
        space = LOCAL if self.fields.get("sensitivity") in LOCAL_SENSITIVITIES else SHARED
        namespace = session[Key(space, self.kind)]
        self._refuse_purged(session)
        anchor = self._anchor(session, namespace)
        number = session.numbers.get((self.kind, anchor))
        if number is None:
            number = max(_next_number(session, key, anchor) for key in self.keys())
        session.numbers[self.kind, anchor] = number + 1
        record = Record(
            uid=self.uid,
            op=CREATE,
            id=str(Name(self.kind, anchor, number)),
            timestamp=self.created or stamp.time,
            by=stamp.author,
            fields={**self.fields, "type": self.kind},
            body=self.body or None,
        )
        namespace.add(anchor, record.uid, render_record(record))
        return record

    def _refuse_purged(self, session: Session) -> None:
        """No uid lives twice: it may be written by a process that hung while it was purged."""
        for key in self.keys():
            project = session[key].note(session.repository.project_anchor)
            named = {uid: text for uid, text in project.items() if f"\nof: {self.uid}\n" in text}
            if self.uid in purged_uids(named):
                raise NotFound("The memory was purged before it could be written.")

    def _anchor(self, session: Session, namespace: Namespace) -> str:
        if self.revision is not None:
            commit = session.commit_id(self.revision)
            if commit is not None:
                return commit
            if self.revision != "HEAD":
                raise UnsafeName(
                    f"There is no commit {self.revision!r}.", "Name a commit of this repository."
                )
        return _project_anchor(session, namespace)


class Change(NamedTuple):
    """An update of a memory: fields (None takes one back), and the body unless it is None."""

    uid: str
    of: str
    places: tuple[Place, ...]
    # The creation as we would write it: an edit brings a legacy memory into our own form.
    creation: str
    fields: Mapping[str, Any]
    body: str | None = None
    known_rev: int = 0
    # The version that it is a change of; another one by now refuses it.
    expected: str = ""
    # When it happened, where that is not now: importers know.
    time: str | None = None

    def keys(self) -> list[Key]:
        """The namespaces that hold the memory."""
        return sorted({_home(place) for place in self.places})

    def apply(self, session: Session, stamp: Stamp) -> Record:
        """Add the record to every note that holds the creation."""
        notes = self._notes(session)
        known: dict[str, int] = {}
        for namespace, anchor in notes:
            known |= _updates(namespace.note(anchor), self.of)
        if self.expected and self.expected != (found := version_of(self.of, known)):
            raise VersionConflict(
                f"The memory is at version {found} by now, not at {self.expected}.",
                f"Nothing was stored. Read it again, put your change into what it says now, and"
                f" send version {found}.",
            )
        fields = dict(self.fields)
        if self.body == "":
            fields[BODY] = None
        record = Record(
            uid=self.uid,
            op=UPDATE,
            of=self.of,
            rev=max(self.known_rev, *known.values(), 0) + 1,
            timestamp=self.time or stamp.time,
            by=stamp.author,
            fields=fields,
            body=self.body or None,
        )
        for namespace, anchor in notes:
            namespace.add(anchor, record.uid, render_record(record))
        return record

    def _notes(self, session: Session) -> list[tuple[Namespace, str]]:
        found = []
        for place in self.places:
            namespace = session[_home(place)]
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
    """Who writes, and when."""

    author: str
    time: str


Write = Creation | Change


def _home(place: Place) -> Key:
    """The namespace that takes changes to what is at a place."""
    return Key(SHARED if place.space == FOREIGN else place.space, place.kind)


def _next_number(session: Session, key: Key, anchor: str) -> int:
    """The number of the next memory at an anchor: the count, above every number given before."""
    namespace = session[key]
    note = namespace.note(anchor)
    number = sum(1 for text in note.values() if is_legacy(text) or f"\nop: {CREATE}\n" in text)
    # Purge records, kept in the project's note, remember the names of what they erased.
    project = namespace.note(session.repository.project_anchor)
    for text in (*note.values(), *project.values()):
        match = _NUMBERED.search(text, 0, max(text.find("\n---\n", 3), 0))
        if match and match.group(1) == key.kind and match.group(2) == anchor:
            number = max(number, int(match.group(3)) + 1)
    return number


def _updates(note: Note, of: str) -> dict[str, int]:
    """The updates of a memory that a note holds, and the revision of each."""
    records = (read_stored(text) for text in note.values() if f"\nof: {of}\n" in text)
    return {record.uid: record.rev for record in records if record.of == of}


def _project_anchor(session: Session, namespace: Namespace) -> str:
    """The empty tree, or the newest shard of the project's note when that is full."""
    shards = [int(name) for name in namespace.tree.names(_SHARDS) if name.isdigit()]
    newest = max(shards, default=0)
    anchor = _shard(session, namespace, newest)
    note = namespace.note(anchor)
    if len(note) < SHARD_RECORDS and sum(map(len, note.values())) < SHARD_BYTES:
        return anchor
    return _shard(session, namespace, newest + 1)


def _shard(session: Session, namespace: Namespace, number: int) -> str:
    """The anchor of a shard: a small blob, kept in the tree itself so that no prune drops it."""
    if number == 0:
        return session.repository.project_anchor
    data = f"mem project {number}\n".encode()
    anchor = session.objects.add_blob(data)
    namespace.tree.put_file(f"{_SHARDS}/{number}", anchor)
    return anchor

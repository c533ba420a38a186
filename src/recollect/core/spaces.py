"""Spaces: identity and sensitivity across the boundary of the private space.

A memory belongs to one space: the local one, or the shared one together with what other tools
wrote (an edit moves that into the shared space). Only what is retired before it was sent changes
over, and back when it is restored. Its identity is its space and its uid. A
private memory is identified by its uid alone. If a memory outside has the same uid, which takes an
accident or an attack, a marker is appended to its uid so that nothing confuses the two.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.names import Name, parse_name
from recollect.core.patterns import pattern
from recollect.core.record import CREATE, Record
from recollect.core.status import ACTIVE, HIDDEN, UNCONFIRMED, WITHDRAWN
from recollect.core.uid import LENGTH, PATTERN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Appended to the uid of a non-private memory if a private memory has the same uid.
MARK = "S"
_CAREFUL = ("private", "secret")  # ordered, the stricter one last
_UID_IN_TEXT = pattern(rf"(?<![0-9A-Za-z])({PATTERN})(?![0-9A-Za-z])", re.ASCII)
# Free text: whom these mention is up to their author, as in a body.
_PROSE = frozenset({"summary", "status_reason"})


def marked(uid: str) -> str:
    """Return the identity of a non-private memory that has the uid of a private one."""
    return uid + MARK


def is_marked(identity: str) -> bool:
    """Whether an identity is that of a non-private memory with a private memory's uid."""
    return len(identity) > LENGTH


def uid_of(identity: str) -> str:
    """Return the uid in the records of a memory."""
    return identity[:LENGTH]


def owner_of(record: Record) -> str:
    """Return the memory that a record belongs to, in its own space; marked `?` if it is no uid."""
    uid = record.memory_uid
    return uid if len(uid) == LENGTH else f"?{uid}"


def in_its_space(
    memory: Memory, identity: str, records: Iterable[Record], *, is_local: bool
) -> Memory:
    """Return a folded memory with its identity, and the sensitivity and status of its space.

    In the local space, a memory that was retired before it was sent keeps its sensitivity. So does
    one that was born unconfirmed, and no change makes it active: confirming it creates another
    memory. Anywhere else, nothing is unconfirmed: somebody who shares a memory stands by it,
    whatever its records claim.
    """
    records = list(records)
    sensitivity, status = memory.sensitivity, memory.status
    noticed = is_local and any(
        record.op == CREATE and record.fields.get("status") == UNCONFIRMED for record in records
    )
    if noticed and status not in HIDDEN:
        status = UNCONFIRMED
    elif not noticed and status == UNCONFIRMED:
        status = ACTIVE
    is_withdrawn = status in HIDDEN and memory.extra.get(WITHDRAWN) is True
    if is_local and not noticed and not is_withdrawn and sensitivity not in _CAREFUL:
        sensitivity = "private" if sensitivity == "public" else "secret"
    if not is_local:
        claimed = [record.fields.get("sensitivity") for record in records]
        for careful in _CAREFUL:
            if careful in claimed:
                sensitivity = careful
    found = identity, sensitivity, status, noticed
    if found == (memory.uid, memory.sensitivity, memory.status, memory.was_unconfirmed):
        return memory  # most of them: a copy takes as long as everything above
    return memory._replace(
        uid=identity, sensitivity=sensitivity, status=status, was_unconfirmed=noticed
    )


def seems_private(memory: Memory) -> bool:
    """Whether a non-private memory claims to be private, or has a private memory's uid."""
    return memory.sensitivity in _CAREFUL or is_marked(memory.uid)


def without_references(memory: Memory, private: Collection[str]) -> Memory:
    """Return a shared memory without its references to private ones, which resolve to nothing."""
    if not any(uid in private for uid in (*memory.relates_to, *memory.sources)):
        return memory
    provenance = dict(memory.provenance)
    sources = provenance.get("sources")
    if isinstance(sources, list):
        provenance["sources"] = [uid for uid in sources if uid not in private]
    related = tuple(uid for uid in memory.relates_to if uid not in private)
    return memory._replace(relates_to=related, provenance=provenance)


class Private(NamedTuple):
    """What is private: the uids and names of the memories in the local space."""

    uids: frozenset[str] = frozenset()
    names: frozenset[Name] = frozenset()

    def holds(self, reference: str) -> bool:
        """Whether a uid or an id, possibly abbreviated, belongs to a private memory."""
        if uid_of(reference) in self.uids:
            return True
        name = parse_name(reference)
        return name is not None and any(
            (own.kind, own.number) == (name.kind, name.number)
            and own.anchor.startswith(name.anchor)
            for own in self.names
        )

    def named_in(self, text: str) -> bool:
        """Whether a record value refers to a private memory."""
        return any(self.holds(found) for found in _references_in(text))


def references(record: Record) -> set[str]:
    """Return the uids and ids in a record's fields, except in free text."""
    values = [value for name, value in record.fields.items() if name not in _PROSE]
    return {found for text in _texts_in(values) for found in _references_in(text)}


def without_private(record: Record, private: Private) -> Record:
    """Return a record without its references to private memories."""
    fields = {
        name: value if name in _PROSE else _pruned(value, private)
        for name, value in record.fields.items()
    }
    return record._replace(fields={k: v for k, v in fields.items() if v is not _GONE})


_GONE = object()


def _pruned(value: Any, private: Private) -> Any:
    if isinstance(value, str):
        return _GONE if private.named_in(value) else value
    if isinstance(value, list):
        return [kept for kept in (_pruned(v, private) for v in value) if kept is not _GONE]
    if isinstance(value, dict):
        pairs = ((k, _pruned(v, private)) for k, v in value.items() if not private.named_in(k))
        return {k: v for k, v in pairs if v is not _GONE}
    return value


def _references_in(text: str) -> list[str]:
    found: list[str] = _UID_IN_TEXT.findall(text)
    return [*found, text] if parse_name(text) is not None else found


def _texts_in(value: Any) -> Iterator[str]:
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, list):
            left += part
        elif isinstance(part, dict):
            left += (*part, *part.values())

"""Identity and sensitivity across the border between the private space and the others.

A memory belongs to one space for ever: the local one, or the shared one with what other tools wrote
(an edit brings that into the shared space). Its identity is its space and its uid. A private memory
is known by its uid alone. A memory outside that has the same uid, which only an accident or an
attack can bring about, is known by a uid with a mark behind it, so that nothing takes one for the
other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from recollect.core.memory import Memory
from recollect.core.names import Name, parse_name
from recollect.core.patterns import pattern
from recollect.core.record import Record
from recollect.core.uid import LENGTH, PATTERN

# Behind the uid of a memory outside of the private space that a private memory has, too.
MARK = "S"
_CAREFUL = ("private", "secret")  # the more careful one last
_UID_IN_TEXT = pattern(rf"(?<![0-9A-Za-z])({PATTERN})(?![0-9A-Za-z])", re.ASCII)
# Whom these mention is up to their author, as in a body.
_PROSE = frozenset({"summary", "status_reason"})


def marked(uid: str) -> str:
    """The identity of a memory outside of the private space that has the uid of a private one."""
    return uid + MARK


def is_marked(identity: str) -> bool:
    """Whether an identity belongs to a memory whose uid is that of a private one."""
    return len(identity) > LENGTH


def uid_of(identity: str) -> str:
    """The uid that the records of a memory carry."""
    return identity[:LENGTH]


def owner_of(record: Record) -> str:
    """The memory that a record belongs to, in its own space; no identity where it names none."""
    uid = record.memory_uid
    return uid if len(uid) == LENGTH else f"?{uid}"


def settled(memory: Memory, identity: str, records: Iterable[Record], *, is_local: bool) -> Memory:
    """A folded memory with its identity, and with the sensitivity that its space asks for."""
    sensitivity = memory.sensitivity
    if is_local and sensitivity not in _CAREFUL:
        sensitivity = "private" if sensitivity == "public" else "secret"
    if not is_local:
        claimed = [record.fields.get("sensitivity") for record in records]
        sensitivity = next((s for s in reversed(_CAREFUL) if s in claimed), sensitivity)
    return memory._replace(uid=identity, sensitivity=sensitivity)


def seems_private(memory: Memory) -> bool:
    """Whether a memory outside of the private space claims to be in it, or has a uid of there."""
    return memory.sensitivity in _CAREFUL or is_marked(memory.uid)


def without_references(memory: Memory, private: Collection[str]) -> Memory:
    """A memory of the shared space without its references to private ones: they lead nowhere."""
    if not any(uid in private for uid in (*memory.relates_to, *memory.sources)):
        return memory
    provenance = dict(memory.provenance)
    sources = provenance.get("sources")
    if isinstance(sources, list):
        provenance["sources"] = [uid for uid in sources if uid not in private]
    related = tuple(uid for uid in memory.relates_to if uid not in private)
    return memory._replace(relates_to=related, provenance=provenance)


class Private(NamedTuple):
    """What is known as private: the uids of the memories of the local space, and their names."""

    uids: frozenset[str] = frozenset()
    names: frozenset[Name] = frozenset()

    def holds(self, reference: str) -> bool:
        """Whether a uid or an id, which may be short, is that of a private memory."""
        if uid_of(reference) in self.uids:
            return True
        name = parse_name(reference)
        return name is not None and any(
            (own.kind, own.number) == (name.kind, name.number)
            and own.anchor.startswith(name.anchor)
            for own in self.names
        )

    def named_in(self, text: str) -> bool:
        """Whether a value of a record refers to a private memory."""
        return any(self.holds(found) for found in _references_in(text))


def references(record: Record) -> set[str]:
    """The uids and ids in the fields of a record, other than those that are prose."""
    values = [value for name, value in record.fields.items() if name not in _PROSE]
    return {found for text in _texts_in(values) for found in _references_in(text)}


def without_private(record: Record, private: Private) -> Record:
    """A record without its references to private memories."""
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

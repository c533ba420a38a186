"""Whose change counts: the fields that only the author of a memory or the owner of a clone may set.

A team may edit each other's words, and the history keeps every version. What decides how long a
memory lives, how far it is trusted and who may see it is different: a change of these fields by
anybody else is a suggestion. It stays in the ledger, and the owner of a clone can accept it by
writing the same change.

`by` is a claim: nothing is signed. These rules stop accidents and people who act under their own
name; they do not stop somebody who can push and forges a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from recollect.core.record import Record

PROTECTED: Final = frozenset(
    {
        "confidence",
        "created",
        "importance",
        "provenance",
        "said_by",
        "sensitivity",
        "trust",
        "ttl",
    }
)
_LONGEST_SHOWN = 2000
_WORDS = frozenset({"summary", "body", "content"})
# The author of a purge record that machinery writes; it is nobody's e-mail address.
MACHINE: Final = "recollect"
# In a purge record: the purged memories because of which a merged one goes too.
BECAUSE: Final = "because"


class SuggestedChange(NamedTuple):
    """A change of protected fields that does not count, because somebody else made it."""

    memory: str
    record: str
    by: str | None
    timestamp: str | None
    fields: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """The change as `--json` prints it."""
        return {**self._asdict(), "fields": dict(self.fields)}


def plain(text: str) -> str:
    """A text of somebody else for a terminal: on one line, without characters that act or hide."""
    return "".join(c if c.isprintable() else " " for c in text)[:_LONGEST_SHOWN].strip()


def person_of(by: str | None) -> str:
    """What identifies a person: the e-mail address, else the whole name; empty for nobody."""
    text = (by or "").strip()
    _, opened, rest = text.rpartition("<")
    email = rest.partition(">")[0].strip()
    return (email if opened and email else text).casefold()


def is_same_person(one: str | None, other: str | None) -> bool:
    """Whether two claims name the same person."""
    first = person_of(one)
    return bool(first) and first == person_of(other)


def may_decide(by: str | None, author: str | None, owner: str | None) -> bool:
    """Whether somebody may set the protected fields of a memory, as this clone sees it."""
    return is_same_person(by, author) or is_same_person(by, owner)


def depends_on_owner(create: Record, updates: Iterable[Record]) -> bool:
    """Whether a memory has changes that count only if this clone's owner made them."""
    return any(
        not PROTECTED.isdisjoint(update.fields) and not is_same_person(update.by, create.by)
        for update in updates
    )


def counting_fields(update: Record, create: Record, owner: str | None) -> Mapping[str, Any]:
    """The fields of an update that count."""
    if PROTECTED.isdisjoint(update.fields) or may_decide(update.by, create.by, owner):
        return update.fields
    return {name: value for name, value in update.fields.items() if name not in PROTECTED}


def suggested_changes(
    create: Record, updates: Iterable[Record], owner: str | None
) -> list[SuggestedChange]:
    """The changes that wait for an answer, given the updates in the order in which they count.

    A later change of the same field by the author or the owner is an answer, whatever it says.
    """
    waiting: dict[str, SuggestedChange] = {}
    for update in updates:
        protected = {k: v for k, v in update.fields.items() if k in PROTECTED}
        if not protected:
            continue
        if may_decide(update.by, create.by, owner):
            for record, change in list(waiting.items()):
                left = {k: v for k, v in change.fields.items() if k not in protected}
                waiting[record] = change._replace(fields=left)
        else:
            waiting[update.uid] = SuggestedChange(
                create.uid, update.uid, update.by, update.timestamp, protected
            )
    return [change for change in waiting.values() if change.fields]


def may_purge(
    purge: Record,
    create: Record,
    updates: Iterable[Record],
    owner: str | None,
    purged: Iterable[str] = (),
) -> bool:
    """Whether a purge that came from elsewhere is applied without asking.

    It is by the author or by the owner; or the memory was merged, from its birth, from one that is
    purged, and so holds the words of that one, and the owner has not reworded it.
    """
    if may_decide(purge.by, create.by, owner):
        return True
    if is_reworded_by(updates, owner):
        return False
    because = purge.fields.get(BECAUSE)
    if not isinstance(because, list):
        return False
    believed = {str(uid) for uid in because} & set(purged)
    return not believed.isdisjoint(sources_at_birth(create))


def is_reworded_by(updates: Iterable[Record], owner: str | None) -> bool:
    """Whether the owner of this clone has put a memory into their own words since it was made."""
    return any(
        is_same_person(update.by, owner)
        and (update.body is not None or not _WORDS.isdisjoint(update.fields))
        for update in updates
    )


def sources_at_birth(create: Record) -> tuple[str, ...]:
    """What a memory was merged from, as its creation says; an update cannot make up sources."""
    provenance = create.fields.get("provenance")
    if not isinstance(provenance, dict) or provenance.get("via") != "sleep":
        return ()
    # The first versions that merged did not say: there it is what they related it to.
    named = provenance.get("sources", create.fields.get("relates_to"))
    return tuple(map(str, named)) if isinstance(named, list) else ()

"""Authority: the fields that only a memory's author or the clone's owner may set.

Team members may edit each other's text, and the history keeps every version. The fields that decide
how long a memory lives, how far it is trusted and who may see it are protected: a change to them by
anyone else is only a suggestion. It stays in the ledger, and the owner of a clone accepts it by
writing the same change.

`by` is a claim: nothing is signed. These rules stop accidents and people who act under their own
name. They do not stop someone who can push and forges a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from recollect.core.named_tuple import NamedTuple
from recollect.core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

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
# The fields with the text of a memory.
WORDS: Final = frozenset({"summary", "body", "content"})
# The author of a purge record that Recollect writes by itself; not an e-mail address.
MACHINE: Final = "recollect"
# In a purge record: the purged memories that a merged memory is purged with.
BECAUSE: Final = "because"


class SuggestedChange(NamedTuple):
    """A change to protected fields that has no effect, because someone else made it."""

    memory: str
    record: str
    by: str | None
    timestamp: str | None
    fields: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the change as `--json` prints it."""
        return {**self._asdict(), "fields": dict(self.fields)}


def plain(text: str) -> str:
    """Make someone else's text safe for a terminal: one line, no control or hidden characters."""
    return "".join(c if c.isprintable() else " " for c in text)[:_LONGEST_SHOWN].strip()


def person_of(by: str | None) -> str:
    """Return what identifies a person: the e-mail address, else the whole name, else empty."""
    text = (by or "").strip()
    _, opened, rest = text.rpartition("<")
    email = rest.partition(">")[0].strip()
    return (email if opened and email else text).casefold()


def is_same_person(one: str | None, other: str | None) -> bool:
    """Whether two claims name the same person."""
    if one == other:  # hardly any memory is changed by somebody else
        return bool(one and one.strip())
    first = person_of(one)
    return bool(first) and first == person_of(other)


def may_decide(by: str | None, author: str | None, owner: str | None) -> bool:
    """Whether a person may set the protected fields of a memory, as seen from this clone."""
    return is_same_person(by, author) or is_same_person(by, owner)


def depends_on_owner(create: Record, updates: Iterable[Record]) -> bool:
    """Whether a memory has changes that take effect only if this clone's owner made them."""
    return any(
        not PROTECTED.isdisjoint(update.fields) and not is_same_person(update.by, create.by)
        for update in updates
    )


def counting_fields(update: Record, create: Record, owner: str | None) -> Mapping[str, Any]:
    """Return the fields of an update that take effect."""
    if PROTECTED.isdisjoint(update.fields) or may_decide(update.by, create.by, owner):
        return update.fields
    return {name: value for name, value in update.fields.items() if name not in PROTECTED}


def suggested_changes(
    create: Record, updates: Iterable[Record], owner: str | None
) -> list[SuggestedChange]:
    """Return the changes that are still pending, given the updates in fold order.

    A later change to the same field by the author or the owner answers it, whatever it says.
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
    """Whether to apply someone else's purge without asking.

    Yes if the author or the owner wrote it. Also if the memory was created by merging one that is
    purged, and so contains its text, and the owner has not reworded it since.
    """
    if may_decide(purge.by, create.by, owner):
        return True
    if is_reworded_by(updates, owner):
        return False
    because = purge.fields.get(BECAUSE)
    if not isinstance(because, list):
        return False
    believed = {str(uid) for uid in because} & set(purged)
    return not believed.isdisjoint(sources_at_creation(create))


def is_reworded_by(updates: Iterable[Record], owner: str | None) -> bool:
    """Whether the owner of this clone has reworded a memory since it was created."""
    return any(
        is_same_person(update.by, owner)
        and (update.body is not None or not WORDS.isdisjoint(update.fields))
        for update in updates
    )


def sources_at_creation(create: Record) -> tuple[str, ...]:
    """Return what a memory was merged from, by its creation; updates cannot add sources."""
    provenance = create.fields.get("provenance")
    if not isinstance(provenance, dict) or provenance.get("via") != "sleep":
        return ()
    # The first versions did not record sources; there, use the relations.
    named = provenance.get("sources", create.fields.get("relates_to"))
    return tuple(map(str, named)) if isinstance(named, list) else ()

"""A memory: the state that its records add up to.

State is a fold: the creation, then the updates in `(rev, uid)` order; for each field the last one
wins. It depends only on the set of records, never on the order in which they arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from recollect.core.age import seconds_of
from recollect.core.authority import (
    WORDS,
    counting_fields,
    is_same_person,
    sources_at_creation,
)
from recollect.core.named_tuple import NamedTuple
from recollect.core.proof import content_digest, is_altered
from recollect.core.record import BODY, Record
from recollect.core.status import ACTIVE, HIDDEN, UNCONFIRMED, VISIBLE, find_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEFAULT_IMPORTANCE = 0.5
DEFAULT_CONFIDENCE = 1.0
_VERSION_LENGTH = 12
MOST_CHANGES = 50  # shown in a view; the ledger keeps all
NO_FIELDS: Mapping[str, Any] = {}
# The provenance of a memory that was merged from others.
VIA_SLEEP = "sleep"
# In the provenance of an imported rule: the files that state it, which an agent may read anyway.
READ_IN = "read_in"
# The tag of a document without one: documents need a tag.
UNTAGGED = "untagged"


class Memory(NamedTuple):
    """One memory in its current state."""

    uid: str
    id: str
    kind: str
    summary: str
    body: str = ""
    content: Mapping[str, Any] | None = None
    tags: tuple[str, ...] = ()
    spec: str | None = None
    phase: str | None = None
    concepts: tuple[str, ...] = ()
    # Questions that it answers, in other words than its own; only search reads them.
    asked_as: tuple[str, ...] = ()
    observation_type: str | None = None
    files_read: tuple[str, ...] = ()
    files_modified: tuple[str, ...] = ()
    relates_to: tuple[str, ...] = ()
    importance: float = DEFAULT_IMPORTANCE
    confidence: float = DEFAULT_CONFIDENCE
    sensitivity: str = "public"
    ttl: int | None = None
    session: str | None = None
    branch: str | None = None
    project: str | None = None
    provenance: Mapping[str, Any] = NO_FIELDS
    author: str | None = None
    # Who changed its text last, if that was somebody else.
    edited_by: str | None = None
    created: str | None = None
    updated: str | None = None
    status: str = ACTIVE
    status_changed: str | None = None
    status_reason: str | None = None
    # What changed the status if no person did: age, merge, use, gc, fact, undo.
    status_by: str | None = None
    version: str = ""
    # Other names for it besides its id, newest first; old ones still resolve.
    slugs: tuple[str, ...] = ()
    # Its changes: date, summary and, if a field changed, the field with its old and new value.
    changes: tuple[Mapping[str, Any], ...] = ()
    times_updated: int = 0
    extra: Mapping[str, Any] = NO_FIELDS
    # The nonce of its creation, which identifies a draft that is stored twice.
    nonce: str = ""
    # Its creation was altered, and no clone has sent the original.
    altered: bool = False
    # It was born unconfirmed, so it is in the local space, whatever its status is by now.
    was_unconfirmed: bool = False

    @property
    def text(self) -> str:
        """Return everything except the summary: the typed content as text, then the body."""
        if self.content is None:
            return self.body
        from recollect.core.content import content_text

        return "\n\n".join(filter(None, (content_text(self.kind, self.content), self.body)))

    @property
    def sources(self) -> tuple[str, ...]:
        """Return the uids that it was merged from; empty if it was not merged.

        Not its relations, which people may change: whose text it contains stays the same.
        """
        if self.provenance.get("via") != VIA_SLEEP:
            return ()
        return _texts(self.provenance.get("sources"))

    @property
    def open_title(self) -> str:
        """Return the summary; for a memory that is not public, only its sensitivity.

        For output about something else, where nobody asked for memories of that sensitivity.
        """
        return self.summary if self.sensitivity == "public" else f"({self.sensitivity})"

    def as_reference(self) -> dict[str, Any]:
        """Return what names the memory in the `--json` output about something else."""
        return {"id": self.id, "uid": self.uid, "kind": self.kind, "summary": self.open_title}

    def as_json(self) -> dict[str, Any]:
        """Return the memory as `--json` prints it; fields of a newer version are in `extra`."""
        shown = self._asdict()
        del shown["nonce"], shown["was_unconfirmed"]  # the status says what matters
        for name in ("extra", "altered"):
            if not shown[name]:
                del shown[name]
        return {k: list(v) if isinstance(v, tuple) else v for k, v in shown.items()}


_DAY = 86_400.0


def expires(memory: Memory) -> float | None:
    """Return when a memory's time to live ends, if it has one."""
    if memory.ttl is None:
        return None
    born = seconds_of(memory.created)
    return None if born is None else born + memory.ttl * _DAY


def is_expired(memory: Memory, now: float) -> bool:
    """Return whether a memory's time to live has ended."""
    ends = expires(memory)
    return ends is not None and ends <= now


# In an update: the updates that it undoes.
UNDOES = "undoes"
_KNOWN = frozenset(set(Memory._fields) | {"type", "legacy", BODY, UNDOES})
_OF_STATUS = frozenset({"status", "status_reason", "status_by", UNDOES})


def order_updates(updates: Iterable[Record]) -> list[Record]:
    """Sort updates in fold order."""
    return sorted(updates, key=lambda update: (update.rev, update.uid))


def fold(
    create: Record, updates: Iterable[Record], *, kind: str, name: str, owner: str | None = None
) -> Memory:
    """Fold a creation and its updates into the memory, as the owner of a clone sees it.

    Changes to protected fields count only if the author or the owner made them. An update whose uid
    claims proof but does not prove its text has no effect.
    """
    updates = list(updates)
    ordered = updates and order_updates(update for update in updates if not is_altered(update))
    state = dict(create.fields)
    body = create.body or ""
    status_changed, updated = create.timestamp, create.timestamp
    log = _entries(state.get("changes"), create.timestamp)
    edits, editor = 0, create.by
    for update in ordered:
        changes = counting_fields(update, create, owner)
        time = _not_before(create.timestamp, update.timestamp)
        if "status" in changes:
            status_changed = time
            state.pop("status_reason", None)
            state.pop("status_by", None)
            log.append(_status_entry(state.get("status") or ACTIVE, changes, time))
        log += _entries(changes.get("changes"), time)
        if isinstance(changes.get("content"), dict) and isinstance(state.get("content"), dict):
            # If two clones change different fields of the content, both changes must survive.
            changes = {**changes, "content": _patched(state["content"], changes["content"])}
        # An automatic status change may also change relations; that is not an edit.
        edits += "status_by" not in changes and (
            not changes.keys() <= _OF_STATUS or update.body is not None
        )
        if update.body is not None or changes.keys() & WORDS:
            editor = update.by
        state.update(changes)
        if update.body is not None:
            body = update.body
        elif BODY in changes:
            body = ""
        updated = time or updated
    read: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for field, value in state.items():  # most memories have few
        if field in _READ:
            read[field] = _READ[field](value)
        elif field not in _KNOWN:
            extra[field] = value
    if "provenance" in state:
        read["provenance"] = _provenance(create, state["provenance"])
    return Memory(
        create.uid,
        name,
        kind,
        _one_line(state.get("summary")) or "(no summary)",
        body,
        author=create.by,
        edited_by=None if is_same_person(editor, create.by) else editor,
        created=create.timestamp,
        updated=updated,
        status=find_status(_text(state["status"]) or ACTIVE) if "status" in state else ACTIVE,
        status_changed=status_changed,
        version=version_of(create, updates),
        changes=tuple(log[-MOST_CHANGES:]),
        times_updated=edits + _count(state.get("times_updated")),
        extra=extra or NO_FIELDS,
        nonce=create.nonce or "",
        altered=is_altered(create),
        **read,
    )


def _not_before(created: str | None, time: str | None) -> str | None:
    """Return the time of an update, but never before the creation, whatever it claims."""
    if not created or not time or time == created:
        return time
    if time.endswith("Z") and created.endswith("Z"):  # in our format
        return max(created, time)
    born, moment = seconds_of(created), seconds_of(time)
    return created if moment is None or (born is not None and moment < born) else time


def _provenance(create: Record, given: Any) -> Mapping[str, Any]:
    """Return the provenance; only the creation can say that a memory was merged, and from what."""
    said = given if isinstance(given, dict) else NO_FIELDS
    born = create.fields.get("provenance")
    merged = isinstance(born, dict) and born.get("via") == VIA_SLEEP
    if not merged and said.get("via") != VIA_SLEEP:
        return said
    kept = {name: value for name, value in said.items() if name not in ("via", "sources")}
    if not merged:
        return kept
    return {**kept, "via": VIA_SLEEP, "sources": list(sources_at_creation(create))}


def status_before_hiding(memory: Memory) -> str:
    """Return the status that a memory had before it was archived or retired."""
    for change in reversed(memory.changes):
        if change.get("field") == "status" and change.get("new_value") in HIDDEN:
            before = find_status(str(change.get("old_value")))
            if before not in HIDDEN:
                return before if before in (*VISIBLE, UNCONFIRMED) else ACTIVE
    return ACTIVE


def version_of(create: Record, updates: Iterable[Record]) -> str:
    """Return a short name for one exact state.

    It derives from the uids of the records or, where a uid does not prove its text, from digests.
    Two clones can make the same automatic change (sleep, facts) separately: it counts once, whoever
    wrote it and when.
    """
    ordered = list(updates)
    if not ordered:
        return (create.digest or create.uid[-_VERSION_LENGTH:].lower())[:_VERSION_LENGTH]
    import hashlib  # loads OpenSSL, which few hooks need

    marks = sorted(set(map(_mark, (create, *ordered))))
    return hashlib.sha256("\n".join(marks).encode()).hexdigest()[:_VERSION_LENGTH]


def _mark(record: Record) -> str:
    """What stands for a record in a version."""
    if record.nonce and not record.digest and "status_by" in record.fields:
        return f"{record.nonce} {content_digest(record._replace(by=None, timestamp=None))}"
    return f"{record.uid} {record.digest}".rstrip()


def _entries(given: Any, date: str | None) -> list[Mapping[str, Any]]:
    """Return the changes that a record describes, each with its date."""
    if not isinstance(given, list):
        return []
    return [{"date": date, **entry} for entry in given if isinstance(entry, dict)]


def content_patch(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the update that turns the old content into the new; None removes a field."""
    gone = {name: None for name in old if name not in new}
    return gone | {k: v for k, v in new.items() if k not in old or old[k] != v}


def _patched(old: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in old.items() if name not in patch}
    return kept | {name: value for name, value in patch.items() if value is not None}


def _status_entry(before: Any, changes: Mapping[str, Any], date: str | None) -> Mapping[str, Any]:
    status, reason = changes["status"], changes.get("status_reason")
    return {
        "date": date,
        "summary": f"{status}: {reason}" if reason else str(status),
        "field": "status",
        "old_value": before,
        "new_value": status,
    }


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else value if type(value) is str else str(value)


def _one_line(value: Any) -> str:
    return "" if value is None else " ".join(str(value).split())


def _texts(value: Any) -> tuple[str, ...]:
    if not value:
        return ()
    if isinstance(value, list | tuple):
        return tuple(map(str, value))
    return (str(value),)


def _number(value: Any, default: float) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return min(1.0, max(0.0, float(value)))
    return default


# How the fields are read that nothing else decides; a field that is not given has its default.
_READ: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("spec", "phase", "observation_type", "session", "branch", "project"), _text),
    **dict.fromkeys(("status_reason", "status_by"), _text),
    **dict.fromkeys(("tags", "concepts", "asked_as", "relates_to", "slugs"), _texts),
    **dict.fromkeys(("files_read", "files_modified"), _texts),
    "importance": lambda value: _number(value, DEFAULT_IMPORTANCE),
    "confidence": lambda value: _number(value, DEFAULT_CONFIDENCE),
    "sensitivity": lambda value: _text(value) or "public",
    "ttl": lambda value: value if isinstance(value, int) else None,
    "content": lambda value: value if isinstance(value, dict) else None,
}

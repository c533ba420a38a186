"""A memory: what the records about it add up to.

State is a fold: the creation, then the updates in the order `(rev, uid)`, field by field, the last
one wins. It depends on the set of records alone, never on the order in which they arrived.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from recollect.core.record import BODY, Record
from recollect.core.status import ACTIVE, find_status

DEFAULT_IMPORTANCE = 0.5
DEFAULT_CONFIDENCE = 1.0
NO_FIELDS: Mapping[str, Any] = {}


class Memory(NamedTuple):
    """One memory as it stands now."""

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
    created: str | None = None
    updated: str | None = None
    status: str = ACTIVE
    status_changed: str | None = None
    status_reason: str | None = None
    version: str = ""
    extra: Mapping[str, Any] = NO_FIELDS

    def as_json(self) -> dict[str, Any]:
        """The memory as `--json` prints it; fields of a newer version are under `extra`."""
        shown = self._asdict()
        if not self.extra:
            del shown["extra"]
        return {k: list(v) if isinstance(v, tuple) else v for k, v in shown.items()}


_KNOWN = frozenset(set(Memory._fields) | {"type", "legacy", BODY})


def order_updates(updates: Iterable[Record]) -> list[Record]:
    """Updates in the order in which they count."""
    return sorted(updates, key=lambda update: (update.rev, update.uid))


def fold(create: Record, updates: Iterable[Record], *, kind: str, name: str) -> Memory:
    """The memory that a creation and its updates add up to."""
    ordered = order_updates(updates)
    state = dict(create.fields)
    body = create.body or ""
    status_changed, updated = create.timestamp, create.timestamp
    for update in ordered:
        changes = update.fields
        if "status" in changes:
            status_changed = update.timestamp
            state.pop("status_reason", None)
        state.update(changes)
        if update.body is not None:
            body = update.body
        elif BODY in changes:
            body = ""
        updated = update.timestamp or updated
    get = state.get
    provenance, content, ttl = get("provenance"), get("content"), get("ttl")
    return Memory(
        uid=create.uid,
        id=name,
        kind=kind,
        summary=_one_line(get("summary")) or "(no summary)",
        body=body,
        content=content if isinstance(content, dict) else None,
        tags=_texts(get("tags")),
        spec=_text(get("spec")),
        phase=_text(get("phase")),
        concepts=_texts(get("concepts")),
        observation_type=_text(get("observation_type")),
        files_read=_texts(get("files_read")),
        files_modified=_texts(get("files_modified")),
        relates_to=_texts(get("relates_to")),
        importance=_number(get("importance"), DEFAULT_IMPORTANCE),
        confidence=_number(get("confidence"), DEFAULT_CONFIDENCE),
        sensitivity=_text(get("sensitivity")) or "public",
        ttl=ttl if isinstance(ttl, int) else None,
        session=_text(get("session")),
        branch=_text(get("branch")),
        project=_text(get("project")),
        provenance=provenance if isinstance(provenance, dict) else NO_FIELDS,
        author=create.by,
        created=create.timestamp,
        updated=updated,
        status=find_status(_text(get("status")) or ACTIVE),
        status_changed=status_changed,
        status_reason=_text(get("status_reason")),
        version=_version(create, ordered),
        extra={k: v for k, v in state.items() if k not in _KNOWN} or NO_FIELDS,
    )


def _version(create: Record, updates: list[Record]) -> str:
    """A short name for this exact state: records never change, so their uids determine it."""
    if not updates:
        return create.uid[-12:].lower()
    import hashlib  # it loads OpenSSL, and few hooks need it

    text = "\n".join(sorted([create.uid, *(update.uid for update in updates)]))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else value if type(value) is str else str(value)


def _one_line(value: Any) -> str:
    return "" if value is None else " ".join(str(value).split())


def _texts(value: Any) -> tuple[str, ...]:
    if not value:
        return ()
    if isinstance(value, list):
        return tuple(map(str, value))
    return (str(value),)


def _number(value: Any, default: float) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return min(1.0, max(0.0, float(value)))
    return default

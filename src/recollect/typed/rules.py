"""Checks what agents write against the rules of its kind, and limits how much they can add."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from recollect.core.age import seconds_of as seconds
from recollect.core.claude_memory import VERSION
from recollect.core.document import (
    Document,
    check_depth,
    check_document,
    check_plain_document,
    slugify,
)
from recollect.core.fields import MAX_TAGS
from recollect.core.kinds import SESSIONS, find_kind
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.core.note import shorten_line
from recollect.core.status import ACTIVE, RESOLVED, RETIRED
from recollect.errors import (
    KindDisabled,
    MergeRefused,
    RecentlyRetired,
    TooMany,
    ValidationError,
)
from recollect.index.protocol import ALL, Filters
from recollect.store.store import Store
from recollect.typed.session_rollover import REASON as ROLLED_OUT

_RECENTLY = 24 * 3600.0


def check_enabled(store: Store, kind: str) -> None:
    """Refuse a kind that the configuration turns off."""
    if not store.config.flag(f"kinds.{kind}.enabled"):
        raise KindDisabled(f"{kind} is turned off by kinds.{kind}.enabled.")


def checked_document(store: Store, kind: str, document: Any, *, creating: bool) -> Document:
    """Return a document without secrets and in stored form, safe to derive names from.

    Redaction runs twice: validation removes what may hide a secret from the first run, such as a
    zero-width character.
    """
    check_depth(document)
    given = check_document(kind, store.redact(document), creating=creating)
    return given._replace(
        summary=shorten_line(store.redact(given.summary)),
        body=store.redact(given.body),
        tags=tuple(store.redact(list(given.tags))),
        content=store.redact(given.content),
        changes=tuple(store.redact(list(given.changes))),
        asked_as=tuple(store.redact(list(given.asked_as))),
    )


def checked_plain(store: Store, document: Any) -> Document:
    """Return a document of a kind without a schema, without secrets and in stored form."""
    check_depth(document)
    clean = store.redact(document)
    body = clean.get("body") if isinstance(clean, Mapping) else None
    if body is not None and not isinstance(body, str):
        raise ValidationError("body must be a text.", "Send the details as one text.")
    rest = {k: v for k, v in clean.items() if k != "body"} if isinstance(clean, Mapping) else clean
    given = check_plain_document(rest)
    text = "\n\n".join(filter(None, (given.body, (body or "").strip())))
    return given._replace(
        summary=shorten_line(store.redact(given.summary)),
        body=store.redact(text),
        tags=tuple(store.redact(list(given.tags))),
        asked_as=tuple(store.redact(list(given.asked_as))),
    )


def same_memories(
    store: Store, kind: str, given: Document, known: Sequence[Memory]
) -> list[Memory]:
    """Return the memories with the same words, or with the title of one that was just retired."""
    mine, title = _folded(text_of_draft(kind, given)), _folded(given.summary)
    return [
        memory
        for memory in known
        if _folded(f"{memory.summary}\n{memory.text}") == mine
        or (_retired_lately(store, memory) and _folded(memory.summary) == title)
    ]


def text_of_draft(kind: str, given: Document) -> str:
    """Return the whole text of a draft, as texts are compared."""
    draft = Memory(
        uid="", id="", kind=kind, summary=given.summary, body=given.body, content=given.content
    )
    return f"{draft.summary}\n{draft.text}"


def _folded(text: str) -> str:
    """Normalise case and white space only: "before" and "after" must stay different."""
    return " ".join(text.casefold().split())


def _retired_lately(store: Store, memory: Memory) -> bool:
    """Return whether a person retired it within a day; the window of sessions does not count."""
    since = seconds(memory.status_changed)
    now = store.now()
    is_recent = since is not None and now - since < _RECENTLY
    return memory.status == RETIRED and is_recent and memory.status_reason != ROLLED_OUT


def warn_of_hidden(store: Store, same: Sequence[Memory], *, by_user: bool) -> list[str]:
    """Warn about hidden memories with the same words; refuse one that was just retired."""
    said = []
    for memory in same:
        if _retired_lately(store, memory) and not by_user:
            raise RecentlyRetired(
                f"{short(memory.id)} has the same content and was retired less than a day ago"
                + (f" ({memory.status_reason})." if memory.status_reason else "."),
                "Skip it, or restore and update that one, or, if the user asks for it now, add"
                " --by-user.",
            )
        said.append(
            f"{short(memory.id)} has the same content and is {memory.status}; linked the two."
        )
    return said


def warn_of_cut_tags(store: Store, given: Document) -> list[str]:
    """Warn about tags that a memory has no room for."""
    if not given.cut_tags:
        return []
    cut = ", ".join(store.redact(list(given.cut_tags)))
    return [f"A memory can have at most {MAX_TAGS} tags; left out: {cut}."]


def check_room(store: Store, kind: str, known: Sequence[Memory], *, by_user: bool) -> None:
    """Refuse another memory if there are as many as the configuration allows."""
    if kind == SESSIONS:
        return  # sessions have a window, which makes room by itself
    most = int(store.config.number(f"kinds.{kind}.max_memories"))
    active = [memory for memory in known if memory.status == ACTIVE]
    if most and not by_user and len(active) >= most:
        oldest = ", ".join(short(m.id) for m in sorted(active, key=_last_changed)[:3])
        raise TooMany(
            f"There are {len(active)} active {kind}; kinds.{kind}.max_memories allows {most}.",
            f"Update one of them, or archive one that is not needed. Oldest first: {oldest}.",
        )


def _last_changed(memory: Memory) -> str:
    return memory.updated or memory.created or ""


def taken_slugs(store: Store, kind: str, but: str = "") -> set[str]:
    """Return the slugs of a kind that are in use, in any directory."""
    memories = store.indexing.fresh().select(Filters(kind=kind, statuses=ALL))
    return {slug for memory in memories if memory.uid != but for slug in memory.slugs}


def free_slug(slug: str, taken: Collection[str]) -> str:
    """Return a slug that is not in use: this one, or this one with a number."""
    number, free = 1, slug
    while free in taken:
        number += 1
        tail = f"-{number}"
        free = slug[: 80 - len(tail)].rstrip("-") + tail
    return free


def without_known_changes(memory: Memory, document: Any) -> Any:
    """Remove changes that the memory already has: an agent may send the whole document back."""
    changes = document.get("changes") if isinstance(document, Mapping) else None
    if not isinstance(changes, list):
        return document
    known = [(entry.get("date"), entry.get("summary")) for entry in memory.changes]
    new = [
        entry
        for entry in changes
        if not isinstance(entry, Mapping) or (entry.get("date"), entry.get("summary")) not in known
    ]
    return {**document, "changes": new}


def check_unchangeable(memory: Memory, document: Any) -> None:
    """Refuse a document that changes what no update may change."""
    if not isinstance(document, Mapping):
        return
    names = (memory.id, short(memory.id), memory.uid, *memory.slugs, slugify(memory.summary))
    now = {
        "id": next((name for name in names if name == document.get("id")), short(memory.id)),
        "schema_version": VERSION,
        "category": memory.kind,
        "created_at": memory.created,
        "record_status": ACTIVE if memory.status == RESOLVED else memory.status,
    }
    for field, value in now.items():
        said = document.get(field)
        if field == "category" and isinstance(said, str):
            kind = find_kind(said)
            said = kind.name if kind else said
        if said is not None and said != value:
            raise MergeRefused(
                f"An update cannot change {field} from {value} to {said}.",
                f"Omit {field}; `recollect write retire` and `archive` change the status.",
            )

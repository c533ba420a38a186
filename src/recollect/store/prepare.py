"""Validate what people and agents write, and convert it to what the ledger accepts.

Anything rejected here has changed nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.core.disposition import is_nested_too_deep
from recollect.core.fields import (
    LOCAL_SENSITIVITIES,
    check_body,
    check_border,
    check_fields,
    check_reason,
    check_revision,
    check_summary,
    check_timestamp,
)
from recollect.core.kinds import FACTS, kind_named
from recollect.core.limits import JSON_DEPTH
from recollect.core.memory import Memory, content_patch, status_before_hiding
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.places import LOCAL
from recollect.core.record import LEGACY_MARK, render_record
from recollect.core.spaces import is_marked
from recollect.core.status import ACTIVE, RESTORED, UNCONFIRMED, check_transition, status_named
from recollect.errors import IllegalTransition, ValidationError
from recollect.index.protocol import Index, made_with
from recollect.ledger.border import refusal
from recollect.ledger.writes import KEPT_AS_IT_IS, Change, Creation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.store.reader import Reader


# Fields with our own names and numbers, which need no redaction.
_NO_TEXT = frozenset({"kind", "at", "created", "sensitivity", "importance", "confidence", "ttl"})


def prepare(store: Reader, record: Mapping[str, Any], nonce: str | None) -> Creation:
    """Return a creation that can be written, with a new nonce or the given one."""
    draft = dict(record)
    _refuse_nested(draft)
    project = draft.pop("project", None) or store.project  # a path, which is a lookup key
    if draft.get("sensitivity") != KEPT_AS_IT_IS:
        draft = _redacted(store, draft)
    kind = kind_named(str(draft.pop("kind", "")))
    summary = check_summary(draft.pop("summary", ""))
    body = check_body(draft.pop("body", "") or "")
    at = draft.pop("at", "HEAD")
    created = draft.pop("created", None)
    content = draft.pop("content", None)
    status = draft.pop("status", None)
    fields = check_fields({name: value for name, value in draft.items() if value is not None})
    fields = {name: value for name, value in fields.items() if value not in ([], {})}
    if content is not None:
        from recollect.core.content import check_content

        fields["content"] = check_content(kind.name, content)
    if status is not None:
        fields["status"] = _born_with(status)
    _link(
        store,
        fields,
        is_local="status" in fields or fields.get("sensitivity") in LOCAL_SENSITIVITIES,
    )
    if store.ledger.repository.branch:
        from recollect.redact.gate import marked

        fields.setdefault("branch", marked(store.config, store.ledger.repository.branch))
    if project:
        fields.setdefault("project", str(project))
    return Creation(
        nonce=nonce or store.new_nonce(),
        kind=kind.name,
        fields={**fields, "summary": summary},
        body=body,
        revision=None if at is None else check_revision(at),
        created=None if created is None else check_timestamp(created),
    )


def _born_with(status: Any) -> str:
    """Return the status of a new memory; without one it is active."""
    if status != UNCONFIRMED:
        raise ValidationError(
            f"A new memory cannot be {status}.", "Leave the status out, or use: unconfirmed"
        )
    return UNCONFIRMED


def _refuse_nested(given: Mapping[str, Any]) -> None:
    """Reject values that are nested too deeply to walk."""
    if is_nested_too_deep(given):
        raise ValidationError(
            f"A field has more than {JSON_DEPTH} levels.", "Nothing was stored. Use fewer levels."
        )


def _redacted(store: Reader, draft: dict[str, Any]) -> dict[str, Any]:
    """Return a draft without secrets; a redaction mark may be longer than the secret."""
    clean = {k: v if k in _NO_TEXT else store.redact(v) for k, v in draft.items()}
    said, summary = draft.get("summary"), clean.get("summary")
    if isinstance(summary, str) and summary != said and len(summary) > SUMMARY_LENGTH:
        clean["summary"] = shorten_line(summary)
    return clean


def _link(store: Reader, fields: dict[str, Any], *, is_local: bool) -> None:
    """Replace the names that a memory relates to with uids.

    A shared memory cannot relate to a private one.
    """
    if fields.get("relates_to"):
        found = [store.get(name) for name in fields["relates_to"]]
        for memory in () if is_local else found:
            if is_private(store, memory) or is_marked(memory.uid):
                raise refusal(
                    f"{store.short_name(memory)} is private or has the uid of a private memory;"
                    " a shared memory cannot refer to it, because others would learn that uid."
                )
        fields["relates_to"] = [memory.uid for memory in found]


def is_private(store: Reader, memory: Memory) -> bool:
    """Whether a memory is in the private space."""
    places = store.indexing.using(lambda index: index.places(memory.uid))
    return any(place.space == LOCAL for place in places)


def prepare_update(
    store: Reader,
    memory: Memory,
    summary: str | None,
    body: str | None,
    fields: Mapping[str, Any],
) -> Change | None:
    """Return a change that can be written; None if nothing would change."""
    _refuse_nested(fields)
    if fields.get("sensitivity", memory.sensitivity) != KEPT_AS_IT_IS:
        summary = _redacted(store, {"summary": summary})["summary"]
        body, fields = store.redact(body), store.redact(fields)
    changes = check_fields(fields)
    if changes.get("relates_to"):
        _link(store, changes, is_local=is_private(store, memory))
    if summary is not None:
        changes["summary"] = check_summary(summary)
    if body is not None and check_body(body) == memory.body:
        body = None
    known = memory.as_json()
    changes = {name: value for name, value in changes.items() if known[name] != value}
    if not memory.was_unconfirmed:  # that one is in the local space with any sensitivity
        check_border(memory.sensitivity, changes.get("sensitivity", memory.sensitivity))
    if memory.kind == FACTS and ("summary" in changes or body is not None):
        _refuse_to_reword(memory)
    return change_of(store, memory, changes, body) if changes or body is not None else None


def _refuse_to_reword(memory: Memory) -> None:
    """Reject a new wording for a fact: its text must match its parts."""
    from recollect.core.facts import fact_of

    if fact_of(memory) is not None:
        raise ValidationError(
            "The words of a fact follow from its subject, predicate and object.",
            "Store the right fact with the tool store_fact. If this one was never true, retire it.",
        )


def prepare_status(store: Reader, memory: Memory, status: str, reason: str) -> Change:
    """Return a status change that can be written; an illegal one is rejected.

    If no person archived the memory, `restored` returns it to its previous status.
    """
    target = status_named(status)
    check_transition(memory.status, target)
    if memory.was_unconfirmed and target == ACTIVE:
        _refuse_confirmed(store, memory)
        target = UNCONFIRMED
    elif status == RESTORED and memory.status_by is not None:
        target = status_before_hiding(memory)
    changes: dict[str, Any] = {"status": target}
    if reason:
        changes["status_reason"] = check_reason(store.redact(reason))
    return change_of(store, memory, changes, None)


def _refuse_confirmed(store: Reader, memory: Memory) -> None:
    """Refuse to restore what was confirmed: it would be there twice."""
    from recollect.core.unconfirmed import confirmed_nonce

    found = store.indexing.using(lambda index: made_with(index, confirmed_nonce(memory)))
    if found is not None:
        name = store.short_name(found)
        raise IllegalTransition(
            f"The memory was confirmed as {name}, which is {found.status}.",
            f"Change that one. To see it, run: recollect show {name}",
        )


def change_of(
    store: Reader,
    memory: Memory,
    fields: Mapping[str, Any],
    body: str | None,
    expected: str = "",
) -> Change:
    """Return a change that can be written; with a version, only while the memory is at it."""
    return change_in(store.indexing.fresh(), memory, store.new_nonce(), fields, body, expected)


def change_in(
    index: Index,
    memory: Memory,
    nonce: str,
    fields: Mapping[str, Any],
    body: str | None = None,
    expected: str = "",
) -> Change:
    """Return a change to a memory as an index knows it, with a given nonce."""
    if memory.content is not None and isinstance(fields.get("content"), Mapping):
        fields = {**fields, "content": content_patch(memory.content, fields["content"])}
    records = index.history(memory.uid)
    creation = records[0]
    if creation.id is None:  # it came without a name: from now on it has one
        creation = creation._replace(
            id=memory.id.partition("~")[0],
            fields={**creation.fields, LEGACY_MARK: True},
        )
    return Change(
        nonce=nonce,
        of=memory.uid,
        places=index.places(memory.uid),
        creation=render_record(creation),
        fields=fields,
        body=body,
        known_rev=records[-1].rev,
        expected=expected,
        as_is=fields.get("sensitivity", memory.sensitivity) == KEPT_AS_IT_IS,
    )

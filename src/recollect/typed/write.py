"""Creates and updates typed memories, and keeps agents from adding duplicates.

The agent drafts a document, and code decides. A document is checked against the schema of its kind,
compared with known memories, and merged by rules that the agent cannot override. What a person asks
for (`by_user`) only has to match the schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from recollect.capture.absorbing import restated_by
from recollect.core.content import SCHEMAS
from recollect.core.document import Document, slugify
from recollect.core.kinds import FACTS, SESSIONS, kind_named
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.names import short
from recollect.core.status import ACTIVE, ARCHIVED, RESOLVED, RESTORED, RETIRED, UNCONFIRMED
from recollect.errors import (
    IllegalTransition,
    UnknownKind,
    ValidationError,
    VersionConflict,
)
from recollect.index.protocol import Filters
from recollect.ledger.lock import exclusive
from recollect.ledger.writes import Change, Creation
from recollect.store.prepare import change_of, prepare_status
from recollect.store.store import Store
from recollect.typed.candidates import Choice, choose
from recollect.typed.merge_rules import merge
from recollect.typed.rules import (
    check_enabled,
    check_room,
    check_unchangeable,
    checked_document,
    checked_plain,
    free_slug,
    same_memories,
    taken_slugs,
    text_of_draft,
    warn_of_cut_tags,
    warn_of_hidden,
    without_known_changes,
)

_ALIKE = 5
_LOCK = "noticing.lock"  # held from comparing with known memories until the new one is written
# Action → target status, allowed source statuses, and the name of the result.
_STEPS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "retire": (RETIRED, (ACTIVE, RESOLVED, UNCONFIRMED), "retired"),
    "archive": (ARCHIVED, (ACTIVE, RESOLVED, UNCONFIRMED), "archived"),
    "unarchive": (ACTIVE, (ARCHIVED,), "unarchived"),
    "restore": (ACTIVE, (RETIRED,), "restored"),
}
_WAYS_BACK = {ARCHIVED: "unarchive", RETIRED: "restore"}


class Prepared(NamedTuple):
    """A write that is ready, and the result to report after it."""

    write: Creation | Change | None
    done: dict[str, Any]


def typed_kind(name: str) -> str:
    """Return the kind with this name; refuse kinds that are not written as documents."""
    kind = kind_named(name).name
    if kind == FACTS:
        raise UnknownKind(
            "A fact is not a document.",
            "Store it with the store_fact tool: subject, predicate, object.",
        )
    if kind not in SCHEMAS:
        typed = ", ".join(known for known in SCHEMAS if known != FACTS)
        raise UnknownKind(
            f"{kind} has no typed content.",
            f"Use one of: {typed}; or use `recollect capture {kind} '…'`.",
        )
    return kind


# Candidates


def find_candidate(
    store: Store, kind: str, new_info: str, lifecycle_event: str | None = None
) -> dict[str, Any]:
    """Return the memory that new information is about, and what may be done with it, as JSON."""
    return choose_candidate(store, kind, new_info, lifecycle_event).as_json()


def choose_candidate(
    store: Store,
    kind: str,
    new_info: str,
    lifecycle_event: str | None = None,
    *,
    title: str = "",
    by_meaning: bool = True,
) -> Choice:
    """Return the active memory of a kind that new information is about, if there is one."""
    name = typed_kind(kind)
    check_enabled(store, name)
    memories = store.memories(kind=name, status=ACTIVE, sensitivity=("public",))
    return choose(
        name,
        new_info,
        memories,
        title=title,
        lifecycle_event=lifecycle_event,
        similar=_similar(store, name, new_info) if memories and by_meaning else (),
    )


def _similar(store: Store, kind: str, text: str) -> Sequence[tuple[str, float]]:
    """Return memories of a kind with nearly the same meaning, if a model is available."""
    if not text.strip() or store.config.text("recall.match_strategy") == "title_tags":
        return ()
    index = store.indexing.fresh()
    store.indexing.embed_pending(index)
    embed = store.indexing.embed_query(index)
    if embed is None:
        return ()
    wanted = Filters(kind=kind, sensitivities=frozenset({"public"}))
    return [(m.uid, m.score) for m in index.nearest(embed(text), wanted, _ALIKE)]


# Writing


def create(
    store: Store,
    kind: str,
    document: Any,
    *,
    by_user: bool = False,
    said: Callable[[str], Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Create a typed memory, unless it exists already.

    `said` returns who said its text. Without it, that is the user with `by_user`, otherwise the
    agent.
    """
    with typed_lock(store):
        prepared = prepare_create(store, kind, document, by_user=by_user, said=said)
        return finish(store, [prepared])[0]


def prepare_create(
    store: Store,
    kind: str,
    document: Any,
    *,
    by_user: bool = False,
    said: Callable[[str], Mapping[str, Any]] | None = None,
) -> Prepared:
    """Prepare a new memory; refuse it if a rule forbids it."""
    name = typed_kind(kind)
    if not by_user:
        check_enabled(store, name)
    given = checked_document(store, name, document, creating=True)
    prepared = _prepare_new(store, name, given, by_user=by_user, said=said)
    if not isinstance(prepared.write, Creation):
        return prepared
    wanted = slugify(str(prepared.write.fields["summary"]))
    slug = free_slug(wanted, taken_slugs(store, name))
    creation = prepared.write._replace(fields={**prepared.write.fields, "slugs": [slug]})
    warnings = [*prepared.done["warnings"], *_same_title(store, name, wanted)]
    return Prepared(creation, {**prepared.done, "slug": slug, "warnings": warnings})


def _same_title(store: Store, kind: str, slug: str) -> Iterator[str]:
    """Yield a warning about an active memory with the same title: it may be the one to change."""
    for memory in store.memories(kind=kind, status=ACTIVE, sensitivity=("public",)):
        if slug == slugify(memory.summary) and not memory.was_unconfirmed:
            name = short(memory.id)
            yield (
                f"{name} has the same title. If it is about the same, retire one of the two, and"
                f" next time: recollect write update {name}"
            )
            return


def prepare_plain(store: Store, kind: str, document: Mapping[str, Any]) -> Prepared:
    """Prepare a draft of a kind without a schema: a title and a text."""
    check_enabled(store, kind)
    return _prepare_new(store, kind, checked_plain(store, document), by_user=False, said=None)


def _prepare_new(
    store: Store,
    kind: str,
    given: Document,
    *,
    by_user: bool,
    said: Callable[[str], Mapping[str, Any]] | None,
) -> Prepared:
    """Prepare a new memory, unless an active one has the same words."""
    # What is only noticed must not stop what somebody writes: the two are joined afterwards.
    known = [
        memory
        for memory in store.memories(kind=kind, status="all", sensitivity=("public",))
        if not memory.was_unconfirmed
    ]
    same = same_memories(store, kind, given, known)
    active = [m for m in same if m.status in (ACTIVE, RESOLVED)]
    if not by_user and not active and kind != SESSIONS:
        active = restated_by(store, text_of_draft(kind, given))
    if active:
        store.local.usage.record([active[0].uid], "said", store.ledger.clock().timestamp())
        return Prepared(None, {"status": "exists", **_named(active[0]), "warnings": []})
    warnings = [*warn_of_hidden(store, same, by_user=by_user), *warn_of_cut_tags(store, given)]
    check_room(store, kind, known, by_user=by_user)
    draft = {
        "kind": kind,
        "summary": given.summary,
        "body": given.body,
        "tags": list(given.tags),
        "content": given.content,
        "files_modified": list(given.files),
        "confidence": given.confidence,
        "asked_as": list(given.asked_as),
        "relates_to": [memory.uid for memory in same] or None,
        "provenance": {
            **_speaker(given, by_user, said),
            "via": "write",
            **({"host": store.host} if store.host else {}),
        },
    }
    return Prepared(store.prepare(draft), {"status": "created", "warnings": warnings})


def _speaker(
    given: Document, by_user: bool, said: Callable[[str], Mapping[str, Any]] | None
) -> Mapping[str, Any]:
    if not by_user or said is None:
        return {"said_by": "user" if by_user else "agent"}
    return said(f"{given.summary}\n{given.body}")


def update(store: Store, memory_id: str, document: Any, *, if_version: str) -> dict[str, Any]:
    """Update a typed memory by the merge rules, if it still has the version that was read."""
    with typed_lock(store):
        return finish(store, [prepare_update(store, memory_id, document, if_version=if_version)])[0]


def prepare_update(
    store: Store, memory_id: str, document: Any, *, if_version: str, by_person: bool = False
) -> Prepared:
    """Prepare an update."""
    memory = store.get(memory_id)
    name = typed_kind(memory.kind)
    if memory.status == RETIRED:
        raise IllegalTransition(
            f"{short(memory.id)} is retired.", f"Restore it first: recollect restore {memory_id}"
        )
    check_enabled(store, name)
    if_version = if_version.strip().lower()
    if not if_version:
        raise ValidationError(
            "An update needs the version that you read.",
            f"Read it with `recollect show {short(memory.id)} --json` and pass its version as"
            " --if-version.",
        )
    if if_version != memory.version:
        raise VersionConflict(
            f"{short(memory.id)} is at version {memory.version}, not at {if_version}.",
            f"Nothing was stored. Read it again (`recollect show {short(memory.id)} --json`), add"
            f" your change to what it says now, and pass --if-version {memory.version}.",
        )
    check_unchangeable(memory, document)
    given = checked_document(store, name, without_known_changes(memory, document), creating=False)
    taken = taken_slugs(store, name, but=memory.uid)
    merged = merge(
        memory, given, exists=_in_tree(store), taken=taken.__contains__, by_person=by_person
    )
    fields = dict(merged.fields)
    body = fields.pop("body", None)
    change = change_of(store, memory, fields, body, expected=if_version)
    warnings = [*merged.warnings, *warn_of_cut_tags(store, given)]
    done: dict[str, Any] = {"status": "updated", "warnings": warnings}
    if merged.renamed_from:
        done["renamed_from"] = merged.renamed_from
    return Prepared(change, done)


def _in_tree(store: Store) -> Callable[[str], bool]:
    """Return a check whether a file exists; without a working tree, every file does."""
    root = store.work_tree
    return lambda path: root is None or (root / path).exists()


def change_status(store: Store, memory_id: str, action: str, reason: str = "") -> dict[str, Any]:
    """Retire, archive, unarchive or restore a memory; do nothing if it already has that status."""
    prepared = prepare_step(store, memory_id, action, reason)
    return finish(store, [prepared])[0]


def prepare_step(store: Store, memory_id: str, action: str, reason: str = "") -> Prepared:
    """Prepare a change of status."""
    if action not in _STEPS:
        raise ValidationError(f"Unknown action {action!r}.", "Use one of: " + ", ".join(_STEPS))
    memory = store.get(memory_id)
    target, sources, done = _STEPS[action]
    if memory.status == target and target != ACTIVE:
        return Prepared(None, {"status": f"already_{target}", **_named(memory), "warnings": []})
    if memory.status not in sources:
        way = _WAYS_BACK.get(memory.status)
        raise IllegalTransition(
            f"{short(memory.id)} is {memory.status}, so it cannot be {done}.",
            f"First run: recollect write {way} {short(memory.id)}"
            if way
            else f"Only {' or '.join(sources)} memories can be {done}.",
        )
    change = prepare_status(store, memory, RESTORED if target == ACTIVE else target, reason)
    return Prepared(change._replace(expected=memory.version), {"status": done, "warnings": []})


def finish(store: Store, prepared: Sequence[Prepared]) -> list[dict[str, Any]]:
    """Write what was prepared, in one commit for each kind; return what was done."""
    before = len(store.ledger.warnings)
    writes = [p.write for p in prepared if p.write is not None]
    written = iter(store.write(writes, "write") if writes else ())
    answers = []
    for one in prepared:
        done = dict(one.done)
        if one.write is not None:
            done |= _named(store.get(next(written).memory_uid))
        answers.append(done)
    if answers:
        answers[-1]["warnings"] = [*answers[-1]["warnings"], *store.ledger.warnings[before:]]
    return answers


def _named(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "uid": memory.uid,
        "kind": memory.kind,
        "slug": memory.slugs[0] if memory.slugs else None,
        "title": memory.summary,
        "version": memory.version,
        "status_reason": memory.status_reason,
        "times_updated": memory.times_updated,
    }


@contextmanager
def typed_lock(store: Store) -> Iterator[None]:
    """Hold the lock that keeps others from comparing with known memories and adding to them."""
    lock = store.ledger.repository.state_dir / _LOCK
    lock.parent.mkdir(parents=True, exist_ok=True)
    with exclusive(lock, store.config.number("lock.timeout")):
        yield

"""Writes several drafts of an agent at once, in few commits.

Each draft proposes an action (create, update, retire or noop). Code finds the memory that it is
about, and a table decides what happens. A refused draft reports the reason and does not stop the
others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.capture.absorbing import replace_drafted
from recollect.core.content_schemas import SCHEMAS
from recollect.core.document import check_depth
from recollect.core.kinds import find_kind, kind_named
from recollect.errors import MergeRefused, RecollectError, ValidationError, VersionConflict
from recollect.store.store import Store
from recollect.typed.action_table import CREATE, DELETE, NOOP, UPDATE, resolve
from recollect.typed.candidates import Choice, choice_of
from recollect.typed.write import (
    Prepared,
    choose_candidate,
    finish,
    prepare_create,
    prepare_plain,
    prepare_step,
    prepare_update,
    typed_kind,
    typed_lock,
)

_ACTION_NAMES = {
    "create": CREATE,
    "update": UPDATE,
    "retire": DELETE,
    "delete": DELETE,
    "noop": NOOP,
    "none": NOOP,
}
_DRAFT_FIELDS = (
    "action",
    "kind",
    "category",
    "id",
    "if_version",
    "lifecycle_event",
    "reason",
    "replaces",
)
_MOST = 20
_EXAMPLE = '[{"action": "create", "kind": "decisions", "title": "…", "content": {…}}]'


def write_drafts(store: Store, drafts: Any) -> list[dict[str, Any]]:
    """Write an agent's drafts; return the result of each, in order."""
    wanted = [drafts] if isinstance(drafts, Mapping) else drafts
    if not isinstance(wanted, list) or not all(isinstance(one, Mapping) for one in wanted):
        raise ValidationError("Drafts must be a list of objects.", f"For example: {_EXAMPLE}")
    if len(wanted) > _MOST:
        raise ValidationError(f"Too many drafts: {len(wanted)}.", f"Send at most {_MOST}.")
    answers: list[dict[str, Any]] = [{} for _ in wanted]
    ready: dict[int, Prepared] = {}
    kinds: set[str] = set()
    with typed_lock(store):
        for number, draft in enumerate(wanted):
            try:
                check_depth(draft)
                draft = store.redact(draft)  # also for the report if it is refused
                kind = _kind(store, draft)
                if kind in kinds:  # the second draft of a kind must see the result of the first
                    _finish(store, ready, answers)
                    kinds.clear()
                action, prepared = _prepare(store, kind, draft)
            except RecollectError as error:
                answers[number] = _refused(error)
                continue
            answers[number] = {"action": action.lower()}
            ready[number] = prepared
            kinds.add(kind)
        _finish(store, ready, answers)
        for draft, answer in zip(wanted, answers, strict=True):
            _replace(store, draft, answer)
    return answers


def _replace(store: Store, draft: Mapping[str, Any], answer: dict[str, Any]) -> None:
    """Retire the unconfirmed memories that a draft replaces, now that it is written."""
    if "uid" not in answer or answer["status"] not in ("created", "updated", "exists"):
        return
    given = draft.get("replaces") or []
    names = [str(name) for name in given] if isinstance(given, list) else [str(given)]
    found = replace_drafted(store, names[:_MOST], store.get(answer["uid"]))
    if found:
        answer["replaced"] = [memory.id for memory in found]


def _finish(store: Store, ready: dict[int, Prepared], answers: list[dict[str, Any]]) -> None:
    for number, done in _write(store, ready).items():
        answers[number] |= done
    ready.clear()


def _kind(store: Store, draft: Mapping[str, Any]) -> str:
    """Return the kind of a draft; a noop needs none."""
    named = str(draft.get("id") or "")
    action = _action(draft)
    if action == NOOP:
        return ""
    if named and action != CREATE:
        return typed_kind(store.get(named).kind)
    kind = kind_named(str(draft.get("kind") or draft.get("category") or "")).name
    return kind if _is_plain(kind) else typed_kind(kind)


def _is_plain(kind: str) -> bool:
    """Whether agents draft a kind as a title and a text, because it has no schema."""
    found = find_kind(kind)
    return found is not None and found.drafting is not None and kind not in SCHEMAS


def _action(draft: Mapping[str, Any]) -> str:
    word = str(draft.get("action") or "create").strip().lower()
    if word not in _ACTION_NAMES:
        raise ValidationError(
            f"{word!r} is not an action.", "Use create, update, retire or noop as the action."
        )
    return _ACTION_NAMES[word]


def _prepare(store: Store, kind: str, draft: Mapping[str, Any]) -> tuple[str, Prepared]:
    """Return what to do with a draft, ready to be written."""
    wish = _action(draft)
    if wish == NOOP:
        return NOOP, _skipped([])
    document = {name: value for name, value in draft.items() if name not in _DRAFT_FIELDS}
    if _is_plain(kind):
        if wish != CREATE:
            raise ValidationError(
                f"A draft can only create {kind}.", "Change it with: recollect edit, or retire."
            )
        return CREATE, prepare_plain(store, kind, document)
    event = draft.get("lifecycle_event") or None
    named = str(draft.get("id") or "")
    if named and wish != CREATE:
        # The agent read the memory and names it, so no search for a candidate is needed.
        choice = choice_of(kind, store.get(named), event)
    else:
        title = str(document.get("title") or "")
        choice = choose_candidate(store, kind, _about(document), event, title=title)
    action = resolve(choice.structural_cud, wish, choice.vetoes)
    if action == NOOP:
        return action, _skipped(choice.hints)
    if action == CREATE or choice.candidate is None:
        return CREATE, prepare_create(store, kind, document)
    target = choice.candidate.uid
    if action == DELETE:
        return action, prepare_step(store, target, "retire", str(draft.get("reason") or ""))
    version = str(draft.get("if_version") or "")
    if wish == DELETE:
        document, version = _instead_of_deleting(draft, document, choice, version)
    return action, prepare_update(store, target, document, if_version=version)


def _instead_of_deleting(
    draft: Mapping[str, Any], document: Mapping[str, Any], choice: Choice, version: str
) -> tuple[dict[str, Any], str]:
    """Return the update that takes the place of a deletion, and the version that it expects.

    The memory then says what happened to its subject. If the draft gives no reason, there is
    nothing to say.
    """
    assert choice.candidate is not None
    event = choice.lifecycle_event
    reason = str(draft.get("reason") or (f"It is {event}." if event else "")).strip()
    if not reason and not document:
        raise MergeRefused(
            " ".join(choice.vetoes.values()), "Send an update that says what is true now."
        )
    if not document:  # it adds a reason and overwrites nothing, so any version will do
        return {"changes": [reason]}, version or choice.candidate.version
    return {"changes": [reason] if reason else [], **document}, version


def _skipped(hints: Sequence[str]) -> Prepared:
    return Prepared(None, {"status": "skipped", "hints": list(hints), "warnings": []})


def _about(document: Mapping[str, Any]) -> str:
    """Return the words of a draft that find its candidate."""
    tags = document.get("tags")
    words = tags if isinstance(tags, list) else [tags or ""]
    return " ".join(map(str, (document.get("title") or "", *words)))


def _write(store: Store, ready: Mapping[int, Prepared]) -> dict[int, dict[str, Any]]:
    """Write all drafts at once; if another writer changed one of them, write one by one."""
    try:
        return dict(zip(ready, finish(store, list(ready.values())), strict=True))
    except VersionConflict:
        answers: dict[int, dict[str, Any]] = {}
        for number, prepared in ready.items():
            try:
                (answers[number],) = finish(store, [prepared])
            except RecollectError as error:
                answers[number] = _refused(error)
        return answers


def _refused(error: RecollectError) -> dict[str, Any]:
    from recollect.redact.gate import redact_message

    return {"status": "refused", "error": redact_message(error.as_json())}

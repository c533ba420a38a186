"""Several drafts of an agent at once: one document in, one commit for each kind out.

Each draft says what the agent wants (create, update, retire or noop). Code finds the memory it is
about, and a table decides what happens. One that is refused is told why and keeps no other one
from being written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.app.recollect import Recollect
from recollect.app.typed import (
    Prepared,
    alone,
    choose_candidate,
    finish,
    prepare_create,
    prepare_step,
    prepare_update,
    typed_kind,
)
from recollect.capture.candidates import choice_of
from recollect.capture.resolution import CREATE, DELETE, NOOP, UPDATE, resolve
from recollect.errors import MergeRefused, RecollectError, ValidationError, VersionConflict

_WORDS = {
    "create": CREATE,
    "update": UPDATE,
    "retire": DELETE,
    "delete": DELETE,
    "noop": NOOP,
    "none": NOOP,
}
_OF_A_DRAFT = ("action", "kind", "category", "id", "if_version", "lifecycle_event", "reason")
_MOST = 20
_EXAMPLE = '[{"action": "create", "kind": "decisions", "title": "…", "content": {…}}]'


def write_drafts(store: Recollect, drafts: Any) -> list[dict[str, Any]]:
    """Write an agent's drafts; what became of each, in their order."""
    wanted = [drafts] if isinstance(drafts, Mapping) else drafts
    if not isinstance(wanted, list) or not all(isinstance(one, Mapping) for one in wanted):
        raise ValidationError("Drafts are a list of objects.", f"For example: {_EXAMPLE}")
    if len(wanted) > _MOST:
        raise ValidationError(f"{len(wanted)} drafts are too many.", f"Send at most {_MOST}.")
    answers: list[dict[str, Any]] = [{} for _ in wanted]
    ready: dict[int, Prepared] = {}
    with alone(store):
        for number, draft in enumerate(wanted):
            try:
                action, prepared = _prepare(store, draft)
            except RecollectError as error:
                answers[number] = _refused(error)
                continue
            answers[number] = {"action": action.lower()}
            ready[number] = prepared
        for number, done in _write(store, ready).items():
            answers[number] |= done
    return answers


def _prepare(store: Recollect, draft: Mapping[str, Any]) -> tuple[str, Prepared]:
    """What is done with a draft, and how."""
    word = str(draft.get("action") or "create").strip().lower()
    if word not in _WORDS:
        raise ValidationError(
            f"{word!r} is no action.", "Use create, update, retire or noop as the action."
        )
    document = {name: value for name, value in draft.items() if name not in _OF_A_DRAFT}
    event = draft.get("lifecycle_event") or None
    named = str(draft.get("id") or "")
    if named and _WORDS[word] != CREATE:
        # The agent read it and says so: no guess is needed which one it means.
        memory = store.get(named)
        kind = typed_kind(memory.kind)
        choice = choice_of(kind, memory, event)
    else:
        kind = typed_kind(str(draft.get("kind") or draft.get("category") or ""))
        choice = choose_candidate(store, kind, _about(document), event)
    action = resolve(choice.structural_cud, _WORDS[word], choice.vetoes)
    if action == NOOP:
        hints = list(choice.hints)
        return action, Prepared(None, {"status": "skipped", "hints": hints, "warnings": []})
    if action == CREATE or choice.candidate is None:
        return CREATE, prepare_create(store, kind, document)
    target = choice.candidate.uid
    if action == DELETE:
        return action, prepare_step(store, target, "retire", str(draft.get("reason") or ""))
    if _WORDS[word] == DELETE:
        raise MergeRefused(" ".join(choice.vetoes.values()), "Send an update that says what holds.")
    version = str(draft.get("if_version") or "")
    return action, prepare_update(store, target, document, if_version=version)


def _about(document: Mapping[str, Any]) -> str:
    """The words of a draft by which its candidate is found."""
    tags = document.get("tags")
    words = tags if isinstance(tags, list) else [tags or ""]
    return " ".join(map(str, (document.get("title") or "", *words)))


def _write(store: Recollect, ready: Mapping[int, Prepared]) -> dict[int, dict[str, Any]]:
    """Write all at once; where one was overtaken by another writer, each for itself."""
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
    return {"status": "refused", "error": error.as_json()}

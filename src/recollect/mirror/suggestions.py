"""Turns changes in the files of the mirror into suggestions, never into memories by themselves.

A file changes with every pull, checkout and merge, so a change in it is not yet the decision of the
person who works here. Each change is pending until `recollect review`, attributed to the author of
the file's last commit. The file stays as it is until somebody decides.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from recollect.core.age import seconds_of as seconds
from recollect.core.characters import visible
from recollect.core.claude_memory import Described, read_document
from recollect.core.memory import Memory, fold
from recollect.core.uid import derive_uid
from recollect.errors import VersionConflict
from recollect.importing.claude_memory import (
    REFUSED,
    adoption,
    describe,
    nonce_of,
    plan,
    writes_of,
)
from recollect.ledger.worktree import committed_by
from recollect.ledger.writes import Change, Write
from recollect.mirror.compare import CHANGED, INVALID, OURS, Comparison, MirrorFile

if TYPE_CHECKING:
    from recollect.capture.suggestions import Suggestion
    from recollect.store.store import Store

VIA: Final = "mirror"
# Below suggestions from conversations, so that a pull request with many files does not push them
# out.
_CONFIDENCE = 0.3
# Each suggestion asks git for an author; the rest is suggested next time.
_MOST_AT_ONCE = 20
_NAME_LENGTH = 120


def accepted_mark(uid: str) -> str:
    """Return the mark of an accepted suggestion."""
    return f"mirror accepted {uid}"


def rejected_mark(uid: str) -> str:
    """Return the mark of a rejected suggestion."""
    return f"mirror rejected {uid}"


def suggest_changes(comparison: Comparison) -> list[str]:
    """Suggest what people wrote into files; return the files with a new suggestion.

    A file that says nothing new counts as a copy from now on.
    """
    from recollect.capture.suggestions import is_waiting

    found: list[str] = []
    is_decided = comparison.store.local.observed.is_rejected
    for path, file in list(comparison.files.items()):
        if file.described is None:
            continue
        uid = _uid(file)
        if is_decided(accepted_mark(uid)):
            comparison.files[path] = file._replace(state=OURS)
            continue
        try:
            said = _said(comparison, file)
        except REFUSED as error:
            comparison.files[path] = file._replace(state=INVALID, problem=error.message)
            continue
        if not said:
            comparison.files[path] = file._replace(state=OURS)
            continue
        waits = is_waiting(comparison.store, uid)
        if not (waits or is_decided(rejected_mark(uid)) or len(found) == _MOST_AT_ONCE):
            _suggest(comparison, file, uid, said)
            found.append(path)
            waits = True
        if waits and file.memory is not None and file.memory.sensitivity != "public":
            # The file may not stay in the working tree, and the suggestion has its text.
            comparison.files[path] = file._replace(state=OURS)
    return found


def _uid(file: MirrorFile) -> str:
    assert file.described is not None
    if file.memory is None:
        return nonce_of(file.described, Path(file.path).stem, file.text)
    moment = int((seconds(file.memory.created) or 0.0) * 1000)
    return derive_uid(f"mirror\n{file.memory.uid}\n{file.path}\n{file.text}", moment)


def _said(comparison: Comparison, file: MirrorFile) -> str:
    """Describe what a file says and the ledger does not; empty if there is nothing."""
    assert file.described is not None
    if file.memory is None:
        plan(comparison.store, file.described, Path(file.path).stem, file.text, VIA)
        content = file.described.content
        return file.described.body or json.dumps(content or {}, ensure_ascii=False, indent=1)
    base = _base(comparison, file.memory, file.path)
    return _in_words(adoption(comparison.store, file.memory, base, file.described))


def _in_words(changes: Sequence[Change]) -> str:
    lines = []
    for change in changes:
        lines += [f"{name}: {value}" for name, value in change.fields.items() if name != "changes"]
        lines += [f"body: {change.body}"] if change.body is not None else []
    return "\n".join(lines) or ("changes" if changes else "")


def _base(comparison: Comparison, memory: Memory, path: str) -> Described:
    """Return what a file said before somebody changed it."""
    states = comparison.states(memory)
    for entry in comparison.manifest.get(path, ()):
        if entry.record in states:
            return describe(states[entry.record], Path(path).stem)
    return describe(memory, Path(path).stem)


def _base_record(comparison: Comparison, file: MirrorFile) -> str:
    if file.memory is None:
        return ""
    known = {record.uid for record in comparison.history(file.memory)}
    entries = comparison.manifest.get(file.path, ())
    return next((entry.record for entry in entries if entry.record in known), "")


def _suggest(comparison: Comparison, file: MirrorFile, uid: str, said: str) -> None:
    from recollect.capture.suggestions import suggest, withdraw

    assert file.described is not None
    store, path = comparison.store, f"{comparison.folder.name}/{file.path}"
    withdraw(store, file.path)  # the earlier suggestion of this file
    data = comparison.folder.read(file.path) or b""
    author = visible(committed_by(store.ledger.repository, path, data))[:_NAME_LENGTH]
    says = {"summary": file.described.summary, "body": said}
    draft = {
        "kind": file.described.kind,
        **store.redact(says),
        # Nobody knows who wrote what is not committed: the person, or an agent's command.
        "provenance": {"via": VIA, **({"author": author} if author else {})},
    }
    suggest(
        store,
        draft,
        confidence=_CONFIDENCE,
        why=f"{path}, last commit by {_name(author)}"
        if author
        else f"{path}, not committed: you or an agent",
        updates=file.memory.uid if file.state == CHANGED and file.memory else None,
        nonce=uid,
        document={
            "path": file.path,
            "says": store.redact(json.loads(file.text)),
            "base": _base_record(comparison, file),
        },
    )


def accept_document(store: Store, suggestion: Suggestion) -> Memory:
    """Write what a file said when it was suggested."""
    path = Path(str(suggestion.document["path"]))
    text = json.dumps(suggestion.document["says"], ensure_ascii=False)
    described = read_document(text, path.parent.name, path.stem)
    author = str((suggestion.draft.get("provenance") or {}).get("author") or "")
    writes: Sequence[Write]
    if suggestion.updates:
        uid = suggestion.updates
        writes = _changes(store, suggestion, described, path.stem, author)
    else:
        planned = plan(store, described, path.stem, text, VIA, suggestion.uid)
        provenance = {"via": VIA, **({"author": author} if author else {}), "accepted": True}
        fields = {**planned.creation.fields, "provenance": provenance}
        creation = planned.creation._replace(fields=fields)
        writes = writes_of(store, planned._replace(creation=creation))
        uid = creation.record(store.ledger.stamp()).uid
    if writes:
        store.write(writes, "import")
    store.local.make_folder()
    now = store.now()
    store.local.observed.reject([accepted_mark(suggestion.uid)], now)
    return store.get(uid)


def _changes(
    store: Store, suggestion: Suggestion, described: Described, name: str, author: str
) -> list[Change]:
    found = store.indexing.fresh().get_many([str(suggestion.updates)])
    if not found:
        raise VersionConflict(
            f"The memory that {suggestion.name} changes no longer exists.",
            f"Reject the suggestion: recollect review reject {suggestion.name}",
        )
    memory = found[0]
    records = store.indexing.fresh().history(memory.uid)
    base = describe(memory, name)
    for count, record in enumerate(records, 1):
        if record.uid == suggestion.document.get("base"):
            was = fold(records[0], records[1:count], kind=memory.kind, name=memory.id)
            base = describe(was, name)
    return [_attributed(change, author) for change in adoption(store, memory, base, described)]


def _attributed(change: Change, author: str) -> Change:
    """Add the name of the person who changed the file to a change."""
    told: list[Any] = list(change.fields.get("changes") or [])
    if not told or not author:
        return change
    last = {**told[-1], "summary": f"{told[-1].get('summary', '')} (by {_name(author)})".strip()}
    return change._replace(fields={**change.fields, "changes": [*told[:-1], last]})


def _name(author: str) -> str:
    """Return the name of an author, without the address."""
    return author.partition("<")[0].strip() or author

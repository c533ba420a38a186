"""Imports documents of the claude-memory plugin: a whole store, or one file of the mirror.

The nonce of a document derives from its text, and it has no author. So importing twice adds
nothing, and neither does importing in two clones that then sync. An import is written completely or
not at all.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from recollect.core.age import seconds_of as seconds
from recollect.core.claude_memory import (
    LEFT,
    Described,
    folder_of,
    read_document,
    record_status,
    render_document,
    to_document,
)
from recollect.core.content import content_of_text
from recollect.core.content_schemas import SCHEMAS
from recollect.core.document import is_slug, slugify
from recollect.core.fields import (
    MAX_BODY_BYTES,
    add_questions,
    check_body,
    check_fields,
    check_reason,
    check_summary,
)
from recollect.core.memory import DEFAULT_CONFIDENCE, Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.status import ACTIVE
from recollect.core.uid import derive_uid
from recollect.core.unconfirmed import VIA_IMPORT
from recollect.errors import ParseError, SecretFound, ValidationError
from recollect.importing.document_folder import BIGGEST, MirrorFolder, read_manifest
from recollect.importing.plugin_settings import FILE as SETTINGS_FILE
from recollect.importing.plugin_settings import settings_of
from recollect.index.protocol import ALL, Filters, is_purged, made_with
from recollect.ledger.writes import NOBODY, Change, Creation, Write
from recollect.sleep.undo import recorded
from recollect.state.runs import IMPORT
from recollect.store.prepare import change_of, prepare_status
from recollect.store.store import Store

CREATED: Final = "created"
UPDATED: Final = "updated"
KNOWN: Final = "known"
PURGED: Final = "purged"
FOREIGN: Final = "foreign"
INVALID: Final = "invalid"
SETTINGS: Final = "settings"
DEFAULT_FOLDER: Final = ".claude/memory"
VIA: Final = f"{VIA_IMPORT}claude-memory"
# The errors that make a document unusable.
REFUSED = (ParseError, ValidationError, SecretFound)


Gate = Callable[[Any], Any]


class Plan(NamedTuple):
    """A memory to create, and its later change: when, and which fields."""

    creation: Creation
    steps: tuple[tuple[str, Mapping[str, Any]], ...] = ()


class Outcome(NamedTuple):
    """The result for one file."""

    file: str
    result: str
    uid: str = ""
    summary: str = ""
    problem: str = ""


def read_file(folder: MirrorFolder, path: str, gate: Gate) -> tuple[Described, str]:
    """Return what a file says without its secrets, and its text; raise if it is not valid.

    Redaction comes first, because rules do not find secrets that were cut or lowercased, as in
    tags.
    """
    data = folder.read(path, BIGGEST)
    if data is None:
        raise ParseError(f"It is not a readable plain file of at most {BIGGEST // 1024} KB.")
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise ParseError("It is not text.") from None
    place = Path(path)
    clean = text
    with suppress(ValueError, RecursionError):  # text that is not JSON is refused below
        clean = json.dumps(gate(json.loads(text)), ensure_ascii=False)
    return read_document(clean, place.parent.name, place.stem), text


def nonce_of(described: Described, name: str, text: str) -> str:
    """Return the nonce of a document, which is the same in every clone that has the file."""
    identity = ("claude-memory", described.kind, name, described.created, text)
    return derive_uid("\n".join(identity), _milliseconds(described.created))


def _milliseconds(time: str) -> int:
    return int((seconds(time) or 0.0) * 1000)


def by_creation(memories: Sequence[Memory]) -> dict[tuple[str, str, str | None], Memory]:
    """Return memories by what identifies a document: kind, name and creation time."""
    return {
        (memory.kind, slug, memory.created): memory for memory in memories for slug in memory.slugs
    }


def plan(
    store: Store, described: Described, name: str, text: str, via: str, nonce: str = ""
) -> Plan:
    """Prepare a document for writing, without secrets; raise if it is not usable."""
    draft: dict[str, Any] = {
        "kind": described.kind,
        "summary": described.summary,
        "body": described.body,
        "tags": list(described.tags),
        "files_modified": list(described.files),
        "asked_as": list(described.asked_as),
        "created": described.created,
        "provenance": {"via": via},
        "at": None,  # every clone must give it the same place
    }
    if described.confidence != DEFAULT_CONFIDENCE:
        draft["confidence"] = described.confidence
    creation = store.prepare(draft, nonce or nonce_of(described, name, text))
    fields = {key: value for key, value in creation.fields.items() if key != "branch"}
    if described.content is not None:
        fields["content"] = _sized(store.redact(described.content))
    if described.left:
        fields[LEFT] = _sized(store.redact(described.left))
    name = name if store.redact(name) == name else slugify(store.redact(name))
    names = [name if is_slug(name) else slugify(name), described.left.get("id")]
    fields["slugs"] = list(dict.fromkeys(n for n in names if isinstance(n, str) and is_slug(n)))
    log: dict[str, Any] = {}
    if described.changes:
        log["changes"] = [store.redact(entry) for entry in described.changes]
    steps: list[tuple[str, Mapping[str, Any]]] = []
    if described.status != ACTIVE:
        step = {"status": described.status, **_reason(store, described.status_reason)}
        steps.append((described.status_changed or described.updated, step))
    if described.updated > max(described.created, described.status_changed or ""):
        # Folding counts this change as an edit, but not a change of status.
        if described.times_updated > 1:
            log["times_updated"] = described.times_updated - 1
        if described.times_updated:
            steps.append((described.updated, {"changes": [], **log}))
            log = {}
        elif described.status == ACTIVE:
            steps.append((described.updated, {"status": ACTIVE}))
    elif described.times_updated:
        log["times_updated"] = described.times_updated
    return Plan(creation._replace(fields={**fields, **log}, by=NOBODY), tuple(steps))


def _sized(value: Any) -> Any:
    size = len(json.dumps(value, ensure_ascii=False).encode())
    if size > MAX_BODY_BYTES:
        raise ValidationError(f"The content has {size} bytes; the limit is {MAX_BODY_BYTES}.")
    return value


def _reason(store: Store, reason: str) -> dict[str, str]:
    return {"status_reason": check_reason(store.redact(reason))} if reason else {}


def writes_of(store: Store, planned: Plan) -> list[Write]:
    """Return the creation of a memory and its later changes, for `store.write`."""
    uid = planned.creation.record(store.ledger.stamp()).uid
    writes: list[Write] = [planned.creation]
    for number, (time, fields) in enumerate(planned.steps):
        nonce = derive_uid(f"{uid}\n{number}", _milliseconds(time))
        writes.append(Change(nonce, uid, (), "", fields, time=time, by=NOBODY))
    return writes


def describe(memory: Memory, name: str) -> Described:
    """Return a memory as its own document would be read."""
    text = render_document(to_document(memory, name))
    return read_document(text, folder_of(memory.kind), name)


def adoption(store: Store, memory: Memory, base: Described, found: Described) -> list[Change]:
    """Return what somebody changed in a document, as changes to its memory; raise if not allowed.

    Only a difference from `base`, the state that the document was written from, is a change. Later
    changes of the memory stay.
    """
    fields: dict[str, Any] = {}
    body = None
    if found.summary != base.summary:
        fields["summary"] = found.summary
    if found.tags != base.tags:
        fields["tags"] = list(found.tags)
    if found.confidence != base.confidence:
        fields["confidence"] = found.confidence
    if found.asked_as:
        fields["asked_as"] = add_questions(memory.asked_as, found.asked_as)
    fields |= _files(memory, base, found)
    if found.body != base.body:
        body = found.body
        # only a long title is in the body; the document does not have the rest
        if memory.kind in SCHEMAS:
            body = f"{found.body}\n\n{memory.body}".strip()
    if found.content is not None and found.content != base.content:
        fields["content"] = _merged(memory, base.content or {}, found.content)
    if found.left != base.left:
        fields[LEFT] = {**memory.extra.get(LEFT, {}), **found.left}
    changes = _change(store, memory, base, found, fields, body)
    if found.status not in (base.status, record_status(memory.status)):
        changes.append(prepare_status(store, memory, found.status, found.status_reason))
    return changes


def _files(memory: Memory, base: Described, found: Described) -> dict[str, Any]:
    gone = set(base.files) - set(found.files)
    new = [path for path in found.files if path not in base.files]
    fields = {}
    if gone & set(memory.files_modified) or new:
        kept = [path for path in memory.files_modified if path not in gone]
        fields["files_modified"] = [*kept, *new]
    if gone & set(memory.files_read):
        fields["files_read"] = [path for path in memory.files_read if path not in gone]
    return fields


def _merged(memory: Memory, base: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the memory's content with the changes of the document."""
    content = dict(memory.content or content_of_text(memory.kind, memory.summary, memory.body))
    for name in {**base, **found}:
        if name not in found:
            content.pop(name, None)
        elif found[name] != base.get(name):
            content[name] = found[name]
    return content


def _change(
    store: Store,
    memory: Memory,
    base: Described,
    found: Described,
    given: Mapping[str, Any],
    body: str | None,
) -> list[Change]:
    """Return the change of fields; none if nothing differs from the memory."""
    fields = dict(store.redact(given))
    if "summary" in fields:
        summary = fields["summary"]
        fields["summary"] = check_summary(
            summary if len(summary) <= SUMMARY_LENGTH else shorten_line(summary)
        )
    for name in ("tags", "confidence", "files_modified", "files_read", "asked_as"):
        if name in fields:
            fields |= check_fields({name: fields[name]})
    for name in ("content", LEFT):
        if name in fields:
            _sized(fields[name])
    body = None if body is None else check_body(store.redact(body))
    known = {**memory.as_json(), LEFT: memory.extra.get(LEFT)}
    fields = {name: value for name, value in fields.items() if known.get(name) != value}
    if body == memory.body:
        body = None
    told = [entry for entry in found.changes if entry not in base.changes + tuple(memory.changes)]
    if not fields and body is None and not told:
        return []
    names = [*fields, *(["body"] if body is not None else [])]
    said = {"summary": f"Changed in its file: {', '.join(names)}"}
    fields["changes"] = [store.redact(entry) for entry in told] or [said]
    return [change_of(store, memory, fields, body)]


# Import of a whole store


def import_folder(store: Store, path: Path, *, dry_run: bool = False) -> list[Outcome]:
    """Import every valid document of a store; return the result for each file."""
    if not os.path.isdir(path):  # noqa: PTH112 - that of pathlib raises for some names
        raise ValidationError(
            f"There is no folder {path}", "Name the folder of the store: the one with index.md"
        )
    folder = MirrorFolder(path, path, str(path))
    index = store.indexing.fresh()
    memories = index.select(Filters(statuses=ALL))
    known = {memory.uid: memory for memory in memories}
    by_identity = by_creation(memories)
    manifest = read_manifest(folder)
    stamp = store.ledger.stamp()
    outcomes: list[Outcome] = []
    plans: dict[str, Plan] = {}
    changes: list[Change] = []
    for file in sorted(folder.scan(manifest)):
        name = Path(file).stem
        try:
            described, text = read_file(folder, file, store.redact)
            listed = {entry.uid for entry in manifest.get(file, ())}
            nonce = nonce_of(described, name, text)
            uid = ""
            memory = known.get(nonce) or made_with(index, nonce)
            memory = memory or by_identity.get((described.kind, name, described.created))
            memory = next((known[one] for one in listed if one in known), memory)
            result = KNOWN
            if memory is None and listed:
                result = PURGED if any(is_purged(index, one) for one in listed) else FOREIGN
            elif memory is None and is_purged(index, nonce):
                result = PURGED
            elif memory is None:
                if nonce not in plans:
                    plans[nonce] = plan(store, described, name, text, VIA)
                    result = CREATED
                uid = plans[nonce].creation.record(stamp).uid
            elif nonce not in (memory.uid, memory.nonce):
                found = _newer(store, memory, described, name)
                changes += found
                result = UPDATED if found else KNOWN
        except REFUSED as error:
            outcomes.append(Outcome(file, INVALID, problem=error.message))
            continue
        uid = memory.uid if memory is not None else uid
        outcomes.append(Outcome(file, result, uid, described.summary))
    wanted = [write for planned in plans.values() for write in writes_of(store, planned)]
    wanted += changes
    if not dry_run:
        with store.deferred_effects("import"), recorded(store, IMPORT, wanted) as written:
            written += store.write(wanted, "import") if wanted else []
    return [*outcomes, *_settings(store, path / SETTINGS_FILE)]


def _settings(store: Store, path: Path) -> list[Outcome]:
    """Return the commands that set here what the plugin's configuration sets there."""
    if not path.is_file():
        return []
    try:
        found = settings_of(path, store.config)
    except ParseError as error:
        return [Outcome(SETTINGS_FILE, INVALID, problem=error.message)]
    commands = [f"recollect config set {name} {_shown(value)}" for name, value in found.items()]
    return [Outcome(SETTINGS_FILE, SETTINGS, problem="; ".join(commands))] if commands else []


def _shown(value: bool | float | str) -> str:
    return str(value).lower() if isinstance(value, bool) else shlex.quote(str(value))


def _newer(store: Store, memory: Memory, described: Described, name: str) -> list[Change]:
    """Return what the plugin changed in a document since it was imported."""
    if described.updated <= (memory.updated or ""):
        return []
    changes = adoption(store, memory, describe(memory, name), described)
    return [change._replace(time=described.updated) for change in changes]

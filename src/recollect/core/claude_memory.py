"""Documents of the claude-memory plugin: convert a memory to its JSON file and back.

The mirror writes these documents, and users of that plugin import them. Written documents always
pass the plugin's own schemas, whatever the ledger holds. Reading loses nothing: what a memory has
no field for is kept in `left`.

Invariant: reading a written document gives the memory's own values again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from recollect.core.content import check_content, content_of_text, shown
from recollect.core.content_schemas import (
    CHOICE,
    FLAG,
    OBJECT,
    OBJECTS,
    SCHEMAS,
    TEXTS,
    Field,
)
from recollect.core.fields import (
    MAX_ITEMS,
    MAX_TAG_LENGTH,
    MAX_TAGS,
    MAX_TEXT,
    check_path,
    check_questions,
    check_timestamp,
)
from recollect.core.kinds import BY_NAME, find_kind
from recollect.core.memory import DEFAULT_CONFIDENCE, MOST_CHANGES, UNTAGGED, Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.patterns import pattern
from recollect.core.status import ACTIVE, ARCHIVED, RETIRED, VISIBLE
from recollect.errors import BadContent, ParseError, ValidationError

VERSION: Final = "1.0"
# The record field for the parts of a document that a memory has no field for.
LEFT: Final = "claude_memory"
_TITLE_LENGTH: Final = 120
_SHORT_TEXT: Final = 300
_EPOCH: Final = "1970-01-01T00:00:00Z"
_ENTRY = ("date", "summary", "field", "old_value", "new_value")
_NOT_IN_FOLDERS = pattern(r"[^a-z0-9_-]+")
_NOT_IN_TAGS = pattern(r"[\x00-\x1f\x7f,]+")
_NOT_IN_LINES = pattern(r"[\x00-\x1f\x7f\s]+")


class Described(NamedTuple):
    """The values of a document, under the field names of a memory."""

    kind: str
    summary: str
    body: str
    content: Mapping[str, Any] | None
    tags: tuple[str, ...]
    files: tuple[str, ...]
    confidence: float
    created: str
    updated: str
    status: str = ACTIVE
    status_changed: str | None = None
    status_reason: str = ""
    changes: tuple[Mapping[str, Any], ...] = ()
    times_updated: int = 0
    # Not a field of the plugin: it refuses a document that has it, so nobody writes it there.
    asked_as: tuple[str, ...] = ()
    # The parts that a memory has no field for, unchanged.
    left: Mapping[str, Any] = {}


def category_of(kind: str) -> str:
    """Return the plugin's singular name for a kind."""
    known = BY_NAME.get(kind)
    if known is None:
        return kind
    return known.plugin_name or min((kind, *known.aliases), key=len)


def folder_of(kind: str) -> str:
    """Return the folder for a kind's files: its name, made safe if it is an odd one."""
    return _NOT_IN_FOLDERS.sub("-", kind.lower()).strip("-") or "other"


# Writing


def to_document(memory: Memory, name: str) -> dict[str, Any]:
    """Convert a memory to a document; `name` is its file name."""
    created = _time(memory.created or memory.updated)
    document: dict[str, Any] = {
        "schema_version": VERSION,
        "category": category_of(memory.kind),
        "id": name,
        "title": memory.summary[:_TITLE_LENGTH],
        "created_at": created,
        "updated_at": _time(memory.updated) if memory.updated else created,
        "tags": list(memory.tags) or [UNTAGGED],
        "related_files": list(dict.fromkeys((*memory.files_modified, *memory.files_read))),
        "confidence": memory.confidence,
        "record_status": record_status(memory.status),
        "changes": [_entry(entry, created) for entry in memory.changes[-MOST_CHANGES:]],
        "times_updated": memory.times_updated,
    }
    status = document["record_status"]
    if status != ACTIVE:
        document[f"{status}_at"] = _time(memory.status_changed or memory.updated)
        if memory.status_reason:
            document[f"{status}_reason"] = memory.status_reason[:_SHORT_TEXT]
    document["content"] = _content(memory)
    return document


def render_document(document: Mapping[str, Any]) -> str:
    """Render the text of a document's file."""
    text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    return text.encode("utf-8", "replace").decode()  # a note may contain bytes that are not text


def record_status(status: str) -> str:
    """Return a document's name for a status."""
    if status in VISIBLE:
        return ACTIVE
    # A status that only a newer version knows is treated as hidden.
    return RETIRED if status == RETIRED else ARCHIVED


def _time(text: str | None) -> str:
    try:
        return check_timestamp(text or _EPOCH)
    except (ValidationError, OverflowError):
        return _EPOCH


def _entry(entry: Mapping[str, Any], date: str) -> dict[str, Any]:
    summary = entry.get("summary") or f"{entry.get('field') or 'It'} was changed"
    given = {name: entry[name] for name in _ENTRY if entry.get(name) is not None}
    return {"date": date, **given, "summary": str(summary)[:_SHORT_TEXT]}


def _content(memory: Memory) -> dict[str, Any]:
    schema, given = SCHEMAS.get(memory.kind), memory.content or {}
    if schema is None:
        return {**given, **({} if given and not memory.body else {"text": memory.body})}
    least = content_of_text(memory.kind, memory.summary, memory.body)
    content = {}
    for field in schema.fields:
        value = _fitting(field, given.get(field.name))
        value = least.get(field.name) if value is None else value
        if value is not None:
            content[field.name] = value
    return content


def _fitting(field: Field, value: Any) -> Any:
    """Fit a value to the plugin's schema, without unknown parts; None if nothing fits."""
    if field.form in (TEXTS, OBJECTS):
        if not isinstance(value, list | tuple) or len(value) < field.least:
            return None
        text = Field(field.name, field.meaning)
        kept = [
            _fitting(text, item) if field.form == TEXTS else _fitting_object(field.fields, item)
            for item in value
        ]
        return None if None in kept else kept
    if field.form == OBJECT:
        return _fitting_object(field.fields, value)
    if field.form == FLAG:
        return value if isinstance(value, bool) else None
    if field.form == CHOICE:
        return value if value in field.choices else None
    return value if isinstance(value, str) else None


def _fitting_object(fields: Sequence[Field], value: Any) -> dict[str, Any] | None:
    if not isinstance(value, Mapping):
        return None
    kept = {}
    for field in fields:
        one = _fitting(field, value.get(field.name))
        if one is not None:
            kept[field.name] = one
        elif field.required or value.get(field.name) is not None:
            return None
    return kept


# Reading


def read_document(text: str, folder: str, name: str) -> Described:
    """Parse the document in a file; raise an error with the reason if it is invalid.

    The plugin does not limit text length, so texts longer than an agent may write are accepted.
    """
    document = _parsed(text)
    take = document.pop
    version = take("schema_version", VERSION)
    if version != VERSION:
        raise _wrong("schema_version", f'"{VERSION}"', version)
    kind = _kind(take("category", None), folder)
    title = take("title", None)
    line = _NOT_IN_LINES.sub(" ", title).strip() if isinstance(title, str) else ""
    if not line:
        raise _wrong("title", "a text", title)
    summary = line if len(line) <= SUMMARY_LENGTH else shorten_line(line)
    created = _moment("created_at", take("created_at", None))
    updated = _moment("updated_at", take("updated_at", None) or created)
    left: dict[str, Any] = {}
    if document.get("id") == name:  # if not, the file name is used
        take("id")
    status, changed, reason = _status(document, updated, left)
    content, body = _read_content(kind, take("content", None), left)
    tags = _tags(take("tags", []), left)
    files = _files(take("related_files", None) or [], left)
    asked_as = _questions(document, left)
    changes = take("changes", None) or []
    if not isinstance(changes, list) or not all(isinstance(one, dict) for one in changes):
        raise _wrong("changes", "a list of objects", changes)
    if summary != line:
        body = f"{line}\n\n{body}".strip()
    return Described(
        kind=kind,
        summary=summary,
        body=body,
        content=content,
        tags=tags,
        files=files,
        confidence=_confidence(take("confidence", None)),
        created=created,
        updated=updated,
        status=status,
        status_changed=changed,
        status_reason=reason,
        changes=tuple(changes),
        times_updated=_count(take("times_updated", 0)),
        asked_as=asked_as,
        left={**left, **document},
    )


def _parsed(text: str) -> dict[str, Any]:
    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is no number")

    try:
        found = json.loads(text.removeprefix("\ufeff"), parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"The file is not valid JSON: {error}", "Correct the file.") from None
    if not isinstance(found, dict):
        raise _wrong("document", "an object", found)
    try:
        text.encode("utf-8")
        json.dumps(found, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ParseError("The file contains invalid Unicode.", "Correct the file.") from None
    return found


def _wrong(field: str, expected: str, got: Any) -> BadContent:
    return BadContent(field, expected, shown(got), f"Make {field} {expected}.")


def _kind(category: Any, folder: str) -> str:
    known = find_kind(category) if isinstance(category, str) else None
    if known is None:
        raise _wrong("category", "the name of a kind", category)
    if folder_of(known.name) != folder:
        raise _wrong("category", f"that of its folder, {folder}", category)
    return known.name


def _moment(field: str, value: Any) -> str:
    with suppress(ValidationError, OverflowError):
        if isinstance(value, str):
            return check_timestamp(value)
    raise _wrong(field, "a time such as 2026-08-23T10:00:00Z", value)


def _status(
    document: dict[str, Any], updated: str, left: dict[str, Any]
) -> tuple[str, str | None, str]:
    """Return the status, when it was set, and why."""
    status = document.pop("record_status", None) or ACTIVE
    if status not in (ACTIVE, ARCHIVED, RETIRED):
        raise _wrong("record_status", "one of active, archived, retired", status)
    if status == ACTIVE:
        for name in ("retired_at", "retired_reason", "archived_at", "archived_reason"):
            if document.get(name) is None:  # an explicit "none"
                document.pop(name, None)
        return ACTIVE, None, ""
    since = document.pop(f"{status}_at", None)
    given = document.pop(f"{status}_reason", None) or ""
    if not isinstance(given, str):
        raise _wrong(f"{status}_reason", "a text", given)
    reason = _NOT_IN_LINES.sub(" ", given).strip()
    if len(reason) > MAX_TEXT:
        left[f"{status}_reason"] = given
        reason = shorten_line(reason, MAX_TEXT)
    return status, _moment(f"{status}_at", since or updated), reason


def _read_content(
    kind: str, content: Any, left: dict[str, Any]
) -> tuple[Mapping[str, Any] | None, str]:
    """Return the typed content and the plain text; anything else goes to `left`."""
    if not isinstance(content, Mapping):
        raise _wrong("content", "an object", content)
    schema = SCHEMAS.get(kind)
    names = {field.name for field in schema.fields} if schema else {"text"}
    known = {name: value for name, value in content.items() if name in names}
    others = {name: value for name, value in content.items() if name not in names}
    if others:
        left["content"] = others
    if schema is None:
        text = known.get("text", "")
        if not isinstance(text, str):
            raise _wrong("content.text", "a text", text)
        return None, text
    try:
        return check_content(kind, known), ""
    except BadContent:
        kept = _fitting_object(schema.fields, known)
        if kept is None:
            raise
        # It is valid for the plugin, or would be without the fields that the plugin does not know.
        if kept != {name: value for name, value in known.items() if value is not None}:
            left["content"] = dict(content)
        return kept, ""


def _tags(given: Any, left: dict[str, Any]) -> tuple[str, ...]:
    given = [given] if isinstance(given, str) else given
    if not isinstance(given, list) or not all(isinstance(tag, str) for tag in given):
        raise _wrong("tags", "a list of texts", given)
    words = ["-".join(_NOT_IN_TAGS.sub(" ", tag).lower().split()) for tag in given]
    tags = [word for word in dict.fromkeys(words) if word and word != UNTAGGED]
    kept = list(dict.fromkeys(tag[:MAX_TAG_LENGTH] for tag in tags))[:MAX_TAGS]
    if kept != tags:
        left["tags"] = given
    return tuple(kept)


def _files(given: Any, left: dict[str, Any]) -> tuple[str, ...]:
    if not isinstance(given, list) or not all(isinstance(path, str) for path in given):
        raise _wrong("related_files", "a list of texts", given)
    kept: list[str] = []
    for path in dict.fromkeys(given):
        with suppress(ValidationError):
            kept.append(check_path(path))
    if len(kept) < len(set(given)) or len(kept) > MAX_ITEMS:  # one may point outside the project
        left["related_files"] = given
    return tuple(kept[:MAX_ITEMS])


def _questions(document: dict[str, Any], left: dict[str, Any]) -> tuple[str, ...]:
    """Return the questions that somebody added to a document; others stay as they are."""
    given = document.pop("asked_as", None)
    if given is None:
        return ()
    try:
        return tuple(check_questions("asked_as", given))
    except ValidationError:
        left["asked_as"] = given
        return ()


def _confidence(value: Any) -> float:
    if value is None:
        return DEFAULT_CONFIDENCE
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise _wrong("confidence", "a number from 0 to 1", value)
    return float(value)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _wrong("times_updated", "a whole number from 0", value)
    return value

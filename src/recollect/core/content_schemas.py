"""The schemas of typed content as data, for validation, rendering and JSON Schema.

Fields are in order of importance to a reader, because shown text may be cut at its end.
`check_document` accepts everything that a kind's JSON Schema accepts, and a little more, since it
corrects small mistakes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.core.named_tuple import NamedTuple
from recollect.core.uid import PATTERN
from recollect.errors import BadContent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

TEXT: Final = "text"
CHOICE: Final = "choice"
FLAG: Final = "flag"
TIME: Final = "time"
UID: Final = "uid"
TEXTS: Final = "texts"
OBJECT: Final = "object"
OBJECTS: Final = "objects"

# A text is at most a long paragraph; two of them fill what one event may inject. An entry of a list
# is a sentence or a command. Longer material belongs in a file that the memory names.
TEXT_LENGTH: Final = 4000
ITEM_LENGTH: Final = 1000
MAX_ENTRIES: Final = 50
TITLE_LENGTH: Final = 120


class Field(NamedTuple):
    """One field: its name, its meaning in a few words, and what it accepts."""

    name: str
    meaning: str
    form: str = TEXT
    required: bool = True
    choices: tuple[str, ...] = ()
    least: int = 0
    fields: tuple[Field, ...] = ()
    limit: int = TEXT_LENGTH
    label: str = ""

    @property
    def title(self) -> str:
        """Return the field's name as words."""
        return self.label or (self.name[:1].upper() + self.name[1:]).replace("_", " ")


class Schema(NamedTuple):
    """The content schema of one kind; excerpts show the key fields."""

    kind: str
    key_fields: tuple[str, ...]
    fields: tuple[Field, ...]


def _texts(name: str, meaning: str, least: int = 0, label: str = "") -> Field:
    """Make a list-of-texts field, optional unless it needs an entry."""
    return Field(name, meaning, TEXTS, least > 0, least=least, limit=ITEM_LENGTH, label=label)


_SCHEMAS = (
    Schema(
        "decisions",
        ("context", "decision", "rationale"),
        (
            Field("decision", "what was chosen"),
            Field(
                "status",
                "whether it is in force",
                CHOICE,
                choices=("proposed", "accepted", "deprecated", "superseded"),
            ),
            _texts("rationale", "the reasons for the choice", 1),
            Field("context", "the situation that required a choice"),
            Field(
                "alternatives",
                "what else was considered",
                OBJECTS,
                False,
                fields=(
                    Field("option", "what could have been chosen", limit=ITEM_LENGTH),
                    Field("rejected_reason", "why it was not chosen", limit=ITEM_LENGTH),
                ),
                label="Rejected alternatives",
            ),
            _texts("consequences", "what follows from the choice"),
        ),
    ),
    Schema(
        "preferences",
        ("topic", "value", "reason"),
        (
            Field("topic", "what it is about"),
            Field("value", "how it should be done"),
            Field(
                "strength",
                "how binding it is",
                CHOICE,
                choices=("strong", "default", "soft"),
            ),
            Field("reason", "why it is preferred"),
            Field(
                "examples",
                "what to write, and what not to write",
                OBJECT,
                False,
                fields=(
                    _texts("prefer", "examples to follow"),
                    _texts("avoid", "examples not to follow"),
                ),
            ),
        ),
    ),
    Schema(
        "constraints",
        ("rule", "impact", "workarounds"),
        (
            Field("rule", "what is not possible or not allowed"),
            Field(
                "kind",
                "the type of constraint",
                CHOICE,
                choices=("limitation", "gap", "policy", "technical"),
                label="Type",
            ),
            Field("severity", "how serious it is", CHOICE, choices=("high", "medium", "low")),
            Field("active", "whether it still applies", FLAG),
            _texts("impact", "what it means for the work", 1),
            _texts("workarounds", "ways around it"),
            Field("expires", "when it ends, or none", required=False),
        ),
    ),
    Schema(
        "runbooks",
        ("trigger", "symptoms", "steps"),
        (
            Field("trigger", "when the runbook is needed"),
            _texts("steps", "what to do, in order", 1),
            Field("verification", "how to tell that it worked"),
            _texts("symptoms", "how the problem shows"),
            Field("root_cause", "why it happens", required=False),
            Field("environment", "where it applies", required=False),
        ),
    ),
    Schema(
        "tech-debt",
        ("description", "reason_deferred", "suggested_fix"),
        (
            Field("description", "the shortcut, or what is missing"),
            Field(
                "status",
                "whether it is fixed",
                CHOICE,
                choices=("open", "in_progress", "resolved", "wont_fix"),
            ),
            Field(
                "priority",
                "how urgent it is",
                CHOICE,
                choices=("critical", "high", "medium", "low"),
            ),
            Field("reason_deferred", "why it was not fixed at once", label="Deferred because"),
            _texts("suggested_fix", "how to fix it"),
            _texts("impact", "what it costs until it is fixed"),
            _texts("acceptance_criteria", "how to tell that it is fixed", label="Done when"),
        ),
    ),
    Schema(
        "sessions",
        ("goal", "outcome", "completed", "next_actions"),
        (
            Field("goal", "what the session was for"),
            Field(
                "outcome",
                "how it ended",
                CHOICE,
                choices=("success", "partial", "blocked", "abandoned"),
            ),
            Field("next_actions", "what to do next", TEXTS, limit=ITEM_LENGTH),
            Field("completed", "what was finished", TEXTS, limit=ITEM_LENGTH),
            _texts("in_progress", "what was started"),
            _texts("blockers", "what blocks the work"),
            _texts("key_changes", "what changed in the project"),
        ),
    ),
    Schema(
        "facts",
        ("subject", "predicate", "object"),
        (
            Field("subject", "what the fact is about", limit=ITEM_LENGTH),
            Field("predicate", "how subject and object relate", limit=ITEM_LENGTH),
            Field("object", "what the subject relates to", limit=ITEM_LENGTH),
            Field("valid_from", "since when it is true", TIME, False),
            Field("valid_until", "until when it is true", TIME, False),
            Field("source", "the memory that it comes from", UID, False),
            Field("replaces", "whether it closes older facts that contradict it", FLAG, False),
        ),
    ),
)

SCHEMAS: Mapping[str, Schema] = {schema.kind: schema for schema in _SCHEMAS}

# An entry of a document's `changes`: the author's description of an update.
CHANGE = Field(
    "changes",
    "what this document changes",
    OBJECTS,
    False,
    fields=(
        Field("summary", "what was changed, and why", limit=300),
        Field("field", "the field that was changed", required=False, limit=200),
        Field("old_value", "what it said before", required=False),
        Field("new_value", "what it says now", required=False),
    ),
)

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
# A visible character. The code also accepts text made only of others, such as rare scripts. Listing
# everything invisible instead would be longer than the rest of a schema.
_VISIBLE = r"[!-~\u00a1-\u00ac\u00ae-\u05ff\u0620-\u06dc\u0900-\u167f\u3001-\ud7ff]"
_RELATIVE = r"^(?![-/\\]|[A-Za-z]:|[\s\S]*(?:\.\.|[\u0000-\u001f\u007f\ud800-\udfff]))[\s\S]*\S"
_MOMENT = (
    r"^[1-9][0-9]{3}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
    r"|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?$"
)


def schema_of(kind: str) -> Schema:
    """Return the schema of a kind; raise an error if it has none."""
    schema = SCHEMAS.get(kind)
    if schema is None:
        raise BadContent(
            "kind",
            f"a kind with typed content: {', '.join(SCHEMAS)}",
            repr(kind),
            "Use one of these kinds, or keep plain text with `recollect capture`.",
        )
    return schema


def json_schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of the document that creates a memory of this kind."""
    from recollect.core.fields import (
        MAX_ITEMS,
        MAX_QUESTION_LENGTH,
        MAX_QUESTIONS,
        MAX_TAG_LENGTH,
        MAX_TAGS,
    )

    schema = schema_of(kind)
    title = {"not": {"pattern": "#tags:"}, "description": "What should be remembered, in one line."}
    tag = {"type": "string", "maxLength": MAX_TAG_LENGTH}
    path = {"type": "string", "pattern": _RELATIVE}
    return {
        "$schema": _DIALECT,
        "title": kind,
        "description": f"A memory of the kind {kind}, as it is written.",
        **_object_schema(
            {
                "title": {**_text_schema(TITLE_LENGTH), **title},
                "tags": {
                    "type": "array",
                    "items": tag,
                    "maxItems": MAX_TAGS,
                    "description": "Words to find it by.",
                },
                "content": _fields_schema(schema.fields),
                "related_files": {
                    "type": "array",
                    "items": path,
                    "maxItems": MAX_ITEMS,
                    "description": "The files it is about, relative to the repository.",
                },
                "confidence": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 1,
                    "description": "How certain it is; above 0.9 only what was confirmed.",
                },
                CHANGE.name: _field_schema(CHANGE),
                "asked_as": {
                    "type": "array",
                    "items": _text_schema(MAX_QUESTION_LENGTH),
                    "maxItems": MAX_QUESTIONS,
                    "description": "Short questions that it answers, in other words than its own.",
                },
            },
            ["title", "content"],
        ),
    }


def _object_schema(properties: Mapping[str, Any], required: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _fields_schema(fields: Sequence[Field]) -> dict[str, Any]:
    return _object_schema(
        {field.name: _field_schema(field) for field in fields},
        [field.name for field in fields if field.required],
    )


def _field_schema(field: Field) -> dict[str, Any]:
    form: dict[str, Any]
    match field.form:
        case "choice":
            form = {"enum": list(field.choices)}
        case "flag":
            form = {"type": "boolean"}
        case "time":
            form = {"type": "string", "pattern": _MOMENT}
        case "uid":
            form = {"type": "string", "pattern": f"^{PATTERN}$"}
        case "texts":
            form = _array_schema(_text_schema(field.limit), field.least)
        case "object":
            form = _fields_schema(field.fields)
        case "objects":
            form = _array_schema(_fields_schema(field.fields), field.least)
        case _:
            form = _text_schema(field.limit)
    return {**form, "description": field.meaning[:1].upper() + field.meaning[1:] + "."}


def _array_schema(items: Mapping[str, Any], least: int) -> dict[str, Any]:
    smallest = {"minItems": least} if least else {}
    return {"type": "array", "items": items, **smallest, "maxItems": MAX_ENTRIES}


def _text_schema(limit: int) -> dict[str, Any]:
    return {"type": "string", "maxLength": limit, "pattern": _VISIBLE}

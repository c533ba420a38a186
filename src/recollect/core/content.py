"""Typed content: validate it on write, render it as text, publish it as JSON Schema.

Writing is strict: invalid content is rejected with all its problems at once, so that an agent can
fix them in one pass. Small mistakes are corrected instead: a text in place of a list, the case of a
choice, invisible characters. Reading is lenient: whatever a note holds, even from a newer version,
is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.core.content_schemas import (
    CHOICE,
    FLAG,
    ITEM_LENGTH,
    MAX_ENTRIES,
    OBJECT,
    OBJECTS,
    SCHEMAS,
    TEXT,
    TEXT_LENGTH,
    TEXTS,
    TIME,
    Field,
    json_schema,
    schema_of,
)
from recollect.errors import BadContent, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "SCHEMAS",
    "check_content",
    "check_object",
    "check_value",
    "clean_text",
    "content_of_text",
    "content_text",
    "json_schema",
    "refuse",
    "shown",
    "unknown_fields",
]

_NOT_RECORDED = "Not recorded."
_MOST_UNKNOWN = 20
_DEEPEST = 4


def check_content(kind: str, content: Any) -> dict[str, Any]:
    """Validate the content of a new memory and return its stored form."""
    problems: list[Problem] = []
    checked = check_object(schema_of(kind).fields, content, "content", problems)
    refuse(problems)
    return checked


def refuse(problems: Sequence[Problem]) -> None:
    """Raise an error with all the problems; do nothing if there are none."""
    if problems:
        first = problems[0]
        raise BadContent(first.field, first.expected, first.got, first.fix, problems)


def check_object(
    fields: Sequence[Field],
    given: Any,
    path: str,
    problems: list[Problem],
    *,
    partial: bool = False,
) -> dict[str, Any]:
    """Return the fields of an object in stored form; append what is wrong to `problems`."""
    checked: dict[str, Any] = {}
    names = [field.name for field in fields]
    if not isinstance(given, Mapping):
        fix = f"Make {path} an object with the fields {_listed(names)}."
        problems.append(Problem(path, "an object", shown(given), fix))
        return checked
    for field in fields:
        if partial and field.name not in given:
            continue
        here = f"{path}.{field.name}"
        found = len(problems)
        value = check_value(field, given.get(field.name), here, problems)
        if value is not None:
            checked[field.name] = value
        elif field.required and len(problems) == found:
            got = shown(given[field.name]) if field.name in given else "missing"
            fix = f"Give {here}: {field.meaning}."
            problems.append(Problem(here, _expected(field), got, fix))
        elif partial:
            checked[field.name] = None
    problems += unknown_fields(given, names, path + ".")
    return checked


def unknown_fields(given: Mapping[Any, Any], names: Sequence[str], prefix: str) -> list[Problem]:
    """Return a problem for each unknown field; many are reported together."""
    unknown = [_short(clean_text(str(name))) for name in given if name not in names]
    if not unknown:
        return []
    from difflib import get_close_matches  # needed only for mistakes

    expected = f"one of the fields {_listed(names)}"
    problems = []
    for name in unknown[:_MOST_UNKNOWN]:
        near = get_close_matches(name, names, 1)
        fix = f"Remove {prefix}{name}" + (f", or rename it to {near[0]}." if near else ".")
        problems.append(Problem(prefix + name, expected, "an unknown field", fix))
    if len(unknown) > _MOST_UNKNOWN:
        rest = _listed(unknown[_MOST_UNKNOWN:])
        problems.append(Problem(prefix + "…", expected, _short(rest, 500), "Remove them."))
    return problems


def check_value(field: Field, value: Any, path: str, problems: list[Problem]) -> Any:
    """Return a value in stored form; None if it is empty or invalid."""
    if value is None:
        return None
    if field.form in (TEXTS, OBJECTS):
        return _check_list(field, value, path, problems)
    if field.form == OBJECT:
        found = check_object(field.fields, value, path, problems)
        return found or None
    if field.form == FLAG:
        word = value.strip().lower() if isinstance(value, str) else None
        flag = value if isinstance(value, bool) else {"true": True, "false": False}.get(word or "")
        if flag is None:
            problems.append(_wrong(field, value, path))
        return flag
    return _check_text(field, value, path, problems)


def _check_list(field: Field, value: Any, path: str, problems: list[Problem]) -> Any:
    if isinstance(value, str | Mapping):
        value = [value]
    if not isinstance(value, list | tuple):
        problems.append(_wrong(field, value, path))
        return None
    if len(value) > MAX_ENTRIES:
        fix = f"Keep the {MAX_ENTRIES} entries of {path} that matter most."
        problems.append(Problem(path, f"at most {MAX_ENTRIES} entries", shown(value), fix))
        return None
    checked = [
        found
        for number, item in enumerate(value)
        if item is not None and (found := _check_entry(field, item, f"{path}[{number}]", problems))
    ]
    # A required list without a minimum may be empty; an empty optional list is dropped.
    return checked if checked or (field.required and not field.least) else None


def _check_entry(field: Field, item: Any, path: str, problems: list[Problem]) -> Any:
    if field.form == TEXTS:
        return _check_text(field._replace(form=TEXT), item, path, problems)
    if isinstance(item, str) and [one.required for one in field.fields].count(True) == 1:
        item = {field.fields[0].name: item}
    return check_object(field.fields, item, path, problems)


def _check_text(field: Field, value: Any, path: str, problems: list[Problem]) -> str | None:
    text = clean_text(value) if isinstance(value, str) else None
    if field.form == TEXT and text is None:
        text = _number(value)
    if text is None:
        problems.append(_wrong(field, value, path))
        return None
    if field.form != TEXT and text:
        found = _check_form(field, text)
        if found is None:
            problems.append(_wrong(field, value, path))
        return found
    if len(text) > field.limit:
        got = f"a text of {len(text):,} characters"
        fix = f"Shorten {path}. Put longer text in a file and name it in related_files."
        problems.append(Problem(path, _expected(field), got, fix))
        return None
    return text or None


def _check_form(field: Field, text: str) -> str | None:
    """Return a choice, a time or a uid in stored form; None if it is invalid."""
    if field.form == CHOICE:
        word = text.lower().replace("-", "_").replace(" ", "_")
        return word if word in field.choices else None
    if field.form == TIME:
        from recollect.core.fields import check_timestamp
        from recollect.errors import ValidationError

        try:
            return check_timestamp(text)
        except (ValidationError, OverflowError):
            return None
    from recollect.core.uid import is_uid

    return text.upper() if text.isascii() and is_uid(text.upper()) else None


def clean_text(text: str) -> str:
    """Remove invisible characters, normalise line endings, and trim."""
    if text.isascii() and text.isprintable():
        return text.strip()
    from unicodedata import category

    # Code points that this Python does not know (Cn) may be letters of a newer Unicode.
    return "".join(
        c
        for c in "\n".join(text.splitlines())
        if c.isprintable() or c in "\n\t" or category(c) in ("Zs", "Cn")
    ).strip()


def _number(value: Any) -> str | None:
    """Return a number as text, because agents write `4` where a text is meant; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
        return None
    return str(value)


def shown(value: Any) -> str:
    """Describe a given value in a few words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = clean_text(value)
        return repr(_short(text)) if text else "empty"
    if isinstance(value, int | float):
        return f"the number {_number(value) or 'that is out of range'}"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}" if value else "an empty list"
    return f"of the type {type(value).__name__}"


def _expected(field: Field) -> str:
    least = f"at least {field.least} " if field.least else ""
    return {
        TEXT: f"a text of at most {field.limit:,} characters",
        CHOICE: f"one of {_listed(field.choices)}",
        FLAG: "true or false",
        TIME: "a time such as 2026-08-23T10:00:00Z",
        TEXTS: f"a list of {least}{'text' if field.least == 1 else 'texts'}",
        OBJECT: f"an object with {_listed(one.name for one in field.fields)}",
        OBJECTS: f"a list of objects with {_listed(one.name for one in field.fields)}",
    }.get(field.form, "the uid of a memory, 26 letters and digits")


def _wrong(field: Field, value: Any, path: str) -> Problem:
    expected = _expected(field)
    return Problem(path, expected, shown(value), f"Make {path} {expected}: {field.meaning}.")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _short(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def content_text(kind: str, content: Any) -> str:
    """Render any content as Markdown: what search indexes and what an agent reads."""
    schema = SCHEMAS.get(kind)
    if not isinstance(content, Mapping):
        return _said(content)
    return "\n".join(_sections(schema.fields if schema else (), content))


def _sections(fields: Sequence[Field], content: Mapping[Any, Any]) -> Iterable[str]:
    known = {field.name: field for field in fields}
    for name in (*known, *(name for name in content if name not in known)):
        field = known.get(name) or Field(clean_text(str(name)), "")
        value = content.get(name)
        if isinstance(value, Mapping):
            if field.fields:
                yield from _sections(field.fields, value)
                continue
            value = [{key: item} for key, item in value.items()]
        if isinstance(value, list | tuple):
            entries = [said for item in value if (said := _entry(field, item))]
            if entries:
                yield "\n".join((f"{field.title}:", *entries))
        elif said := _said(value):
            yield f"{field.title}: {said}"


def _entry(field: Field, item: Any) -> str:
    """Render one bullet; a known object becomes its values in order."""
    if isinstance(item, Mapping) and field.fields:
        names = [one.name for one in field.fields if one.name in item]
        rest = {key: value for key, value in item.items() if key not in names}
        values = [said for name in names if (said := _said(item[name]))]
        text = "; ".join(part for part in (": ".join(values), _said(rest)) if part)
    else:
        text = _said(item)
    return "- " + text.replace("\n", "\n  ") if text else ""


def _said(value: Any, depth: int = 0) -> str:
    """Render any value as text; cut what is nested too deeply."""
    if value is None:
        return ""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if depth == _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        pairs = ((clean_text(str(key)), _said(item, depth + 1)) for key, item in value.items())
        return "; ".join(f"{key.replace('_', ' ')}: {said}" for key, said in pairs if said)
    if isinstance(value, list | tuple):
        return "; ".join(filter(None, (_said(item, depth + 1) for item in value)))
    try:
        return str(value)
    except ValueError:  # a number with thousands of digits
        return "…"


def content_of_text(kind: str, summary: str, body: str) -> dict[str, Any]:
    """Return the minimal content for a plain memory of this kind, without inventing anything."""
    said = _short(clean_text(summary), ITEM_LENGTH) or _NOT_RECORDED
    more = _short(clean_text(body), TEXT_LENGTH)
    parts = (part.strip() for part in more.split("\n\n"))
    items = [_short(part, ITEM_LENGTH) for part in parts if part][:MAX_ENTRIES]
    known: dict[str, dict[str, Any]] = {
        "decisions": {"decision": said, "status": "accepted", "rationale": items or [said]},
        "preferences": {
            "topic": said,
            "value": said,
            "strength": "default",
            "reason": more or _NOT_RECORDED,
        },
        "constraints": {
            "rule": said,
            "kind": "limitation",
            "severity": "medium",
            "active": True,
            "impact": items or [_NOT_RECORDED],
        },
        "runbooks": {"trigger": said, "steps": items or [said]},
        "tech-debt": {"description": more or said, "status": "open", "priority": "medium"},
        "sessions": {"goal": said, "outcome": "partial", "next_actions": [], "completed": items},
        "facts": {
            "subject": said,
            "predicate": "is described as",
            "object": items[0] if items else said,
        },
    }
    schema, content = schema_of(kind), known[kind]
    return {
        field.name: content.get(field.name, _NOT_RECORDED)
        for field in schema.fields
        if field.required
    }

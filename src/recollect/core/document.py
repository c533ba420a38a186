"""The document that an agent writes: title, tags, typed content, files and changes.

Recollect sets the mechanical fields (ids, times, the status), so a document may contain them but
they are ignored. Other unknown fields are rejected.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from recollect.core.content import (
    check_object,
    check_value,
    clean_text,
    refuse,
    shown,
    unknown_fields,
)
from recollect.core.content_schemas import CHANGE, ITEM_LENGTH, MAX_ENTRIES, schema_of
from recollect.core.fields import (
    MAX_ITEMS,
    MAX_QUESTIONS,
    MAX_TAG_LENGTH,
    MAX_TAGS,
    check_path,
    check_questions,
    normal_tag,
)
from recollect.core.memory import UNTAGGED
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import SUMMARY_LENGTH, summarize
from recollect.core.patterns import pattern
from recollect.errors import Problem, ValidationError

_WHAT_TITLE = "in one line, what should be remembered"
_FIELDS = ("title", "tags", "content", "related_files", "confidence", "changes", "asked_as")
_MECHANICAL = frozenset(
    {
        "schema_version",
        "category",
        "id",
        "created_at",
        "updated_at",
        "record_status",
        "times_updated",
        "retired_at",
        "retired_reason",
        "archived_at",
        "archived_reason",
    }
)
_SLUG_LENGTH = 80
_DEEPEST = 20
_SLUG = pattern(r"[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?\Z")
_NO_SLUG = pattern(r"[^a-z0-9]+")


class Document(NamedTuple):
    """A validated document. Missing values are empty or None; `given` lists what was set."""

    summary: str
    body: str
    tags: tuple[str, ...]
    content: Mapping[str, Any] | None
    files: tuple[str, ...]
    confidence: float | None
    changes: tuple[Mapping[str, str], ...]
    given: frozenset[str]
    asked_as: tuple[str, ...] = ()
    # The tags beyond the most that a memory has.
    cut_tags: tuple[str, ...] = ()


def check_depth(given: Any) -> None:
    """Reject a document that is nested too deeply to walk safely."""
    level: list[Any] = [given] if isinstance(given, Mapping | list | tuple) else []
    depth = 0
    while level:
        if depth > _DEEPEST:
            fix = "Send a document as the schema shows it."
            refuse([Problem("document", f"at most {_DEEPEST} levels", "more levels", fix)])
        inner = (one.values() if isinstance(one, Mapping) else one for one in level)
        level = [v for some in inner for v in some if isinstance(v, Mapping | list | tuple)]
        depth += 1


def check_document(kind: str, given: Any, *, creating: bool) -> Document:
    """Return a document in stored form; every field is optional unless it creates a memory."""
    content = partial(check_object, schema_of(kind).fields, partial=not creating)
    required = (
        (("title", "a text", _WHAT_TITLE), ("content", "an object", f"the fields of {kind}"))
        if creating
        else ()
    )
    document = _checked(given, required, _FIELDS, content)
    if creating and not document.tags:
        return document._replace(tags=(UNTAGGED,))
    return document


def check_plain_document(given: Any) -> Document:
    """Return a new document of a kind without a schema in stored form."""
    names = tuple(name for name in _FIELDS if name not in ("content", "changes"))
    return _checked(given, (("title", "a text", _WHAT_TITLE),), names, None)


def _checked(
    given: Any,
    required: Sequence[tuple[str, str, str]],
    names: Sequence[str],
    check_content: Callable[[Any, str, list[Problem]], Any] | None,
) -> Document:
    """Check the fields of a document; report every problem at once."""
    if not isinstance(given, Mapping):
        fix = "Send an object with title and content."
        refuse([Problem("document", "an object", shown(given), fix)])
    fields = {name: given[name] for name in names if given.get(name) is not None}
    problems = [
        Problem(name, expected, "null" if name in given else "missing", f"Give {name}: {what}.")
        for name, expected, what in required
        if name not in fields
    ]
    summary, body = _title(fields.get("title"), problems)
    tags = _tags(fields.get("tags", []), problems)
    tags, cut_tags = tags[:MAX_TAGS], tags[MAX_TAGS:]
    content = None
    if check_content is not None and "content" in fields:
        content = check_content(fields["content"], "content", problems)
    files = _texts("related_files", fields.get("related_files", []), MAX_ITEMS, problems)
    confidence = _confidence(fields.get("confidence"), problems)
    asked_as = _questions(fields.get("asked_as", []), problems)
    changes = check_value(CHANGE, _changes(fields.get("changes")), "changes", problems)
    problems += unknown_fields({name: None for name in given if name not in _MECHANICAL}, names, "")
    refuse(problems)
    return Document(
        summary,
        body,
        tags,
        content,
        tuple(dict.fromkeys(map(check_path, files))),
        confidence,
        tuple(changes or ()),
        frozenset(fields),
        asked_as,
        cut_tags,
    )


def _title(given: Any, problems: list[Problem]) -> tuple[str, str]:
    """Return the title as summary and body; a title too long for a summary goes to the body."""
    if given is None:
        return "", ""
    title = _one_line(given) if isinstance(given, str) else ""
    if not title or len(title) > ITEM_LENGTH:
        got = f"a text of {len(title):,} characters" if title else shown(given)
        fix = f"Give a one-line title, preferably of at most {SUMMARY_LENGTH} characters."
        problems.append(Problem("title", "a text", got, fix))
    return (title, "") if len(title) <= SUMMARY_LENGTH else summarize(title)


def _one_line(text: str) -> str:
    """Put a title on one line, without the marks that the mirror's index page uses."""
    line = " ".join(_without(clean_text(text), "#tags:").split())
    while " -> " in line:
        line = line.replace(" -> ", " - ")
    return line


def _without(text: str, *marks: str) -> str:
    """Remove the marks, including those that appear only after another is removed."""
    if not any(mark in text for mark in marks):
        return text
    kept: list[str] = []
    for char in text:  # a single pass; searching again after each removal takes quadratic time
        kept.append(char)
        for mark in marks:
            if char == mark[-1] and "".join(kept[-len(mark) :]) == mark:
                del kept[-len(mark) :]
                break
    return "".join(kept)


def _tags(given: Any, problems: list[Problem]) -> tuple[str, ...]:
    tags = set()
    for text in _texts("tags", given, None, problems):
        # Replace spaces by dashes first, which can create an arrow; lower-casing can add letters.
        tag = _without(normal_tag(clean_text(text)), "#tags:", "->", ",")
        tags.add(tag[:MAX_TAG_LENGTH].strip("-"))
    return tuple(sorted(tags - {""}))


def _texts(name: str, given: Any, limit: int | None, problems: list[Problem]) -> list[str]:
    """Return a list of texts; a single text becomes a list of one."""
    items = [given] if isinstance(given, str) else given
    expected = "a list of texts" + (f", at most {limit}" if limit else "")
    if not isinstance(items, list | tuple) or (limit and len(items) > limit):
        problems.append(Problem(name, expected, shown(given), f"Make {name} {expected}."))
        return []
    for number, item in enumerate(items):
        if not isinstance(item, str):
            here = f"{name}[{number}]"
            problems.append(Problem(here, "a text", shown(item), f"Make {here} a text."))
    return [item for item in items if isinstance(item, str)]


def _questions(given: Any, problems: list[Problem]) -> tuple[str, ...]:
    """Return the questions that a document answers; a single one becomes a list of one."""
    texts = _texts("asked_as", given, MAX_QUESTIONS, problems)
    try:
        return tuple(check_questions("asked_as", map(clean_text, texts)))
    except ValidationError as error:
        expected = f"a list of at most {MAX_QUESTIONS} short questions"
        problems.append(
            Problem("asked_as", expected, shown(given), f"{error.message} {error.hint}")
        )
        return ()


def _confidence(given: Any, problems: list[Problem]) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | float) or given != given:
        fix = "Give a number such as 0.8, or leave confidence out."
        problems.append(Problem("confidence", "a number from 0 to 1", shown(given), fix))
        return None
    return float(min(1, max(0, given)))


def _changes(given: Any) -> Any:
    """Return changes without their date, which Recollect sets, and with values as text."""
    if isinstance(given, list | tuple):
        return [_change(item) for item in given[-MAX_ENTRIES:]]
    return _change(given)


def _change(item: Any) -> Any:
    if not isinstance(item, Mapping):
        return item
    values = {key: _value_text(item[key]) for key in ("old_value", "new_value") if key in item}
    return {**{key: value for key, value in item.items() if key != "date"}, **values}


def _value_text(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return value  # it is rejected for what it is


def slugify(title: str) -> str:
    """Make a slug for a title: lower case, digits and dashes; deterministic."""
    from unicodedata import normalize

    plain = normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = _NO_SLUG.sub("-", plain).strip("-")[:_SLUG_LENGTH].strip("-")
    if re.search("[a-z]", slug):
        return slug
    import hashlib  # it loads OpenSSL, and few hooks need it

    words = " ".join(normalize("NFKC", title).casefold().split())
    return "memory-" + hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def is_slug(text: str) -> bool:
    """Whether a text is a valid file name in the mirror."""
    return _SLUG.match(text) is not None

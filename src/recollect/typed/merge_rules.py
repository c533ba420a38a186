"""Decides what an update may change: an agent adds and corrects, and only a person removes.

A field that is not given stays. A field that is given replaces the old value, except that an agent
cannot drop tags, or files that exist. The identity of a memory (uid, kind, creation time) and its
status are not part of a document, so no update reaches them. Every update says what changed: its
author does, or, if a single value changed, this module does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from recollect.core.document import Document, slugify
from recollect.core.fields import MAX_QUESTIONS, MAX_TAGS, add_questions
from recollect.core.memory import UNTAGGED, Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.patterns import pattern
from recollect.errors import MergeRefused

_RENAMED = 0.5
_LONGEST_VALUE = 200
_SHORT_VALUE = 60
_WORD = pattern(r"[^\W_]+")
_ONLY_ADD = "An agent can add, but not remove"
_SAY_WHAT = 'Add `changes: [{"summary": "what changed and why"}]`'


class Merged(NamedTuple):
    """The fields that an update writes, and the warnings for its author."""

    fields: dict[str, Any]
    warnings: list[str]
    renamed_from: str | None = None


class _Refusal(NamedTuple):
    message: str
    hint: str


def merge(
    old: Memory,
    document: Document,
    *,
    exists: Callable[[str], bool],
    taken: Callable[[str], bool],
    by_person: bool,
) -> Merged:
    """Merge a document into a memory. The same document again adds its own `changes`, nothing else.

    `exists` tells whether a path is in the working tree, `taken` whether a slug is in use. The
    `changes` of the result are those of this update: earlier ones are in their own records.
    """
    fields: dict[str, Any] = {}
    warnings: list[str] = []
    refusals: list[_Refusal] = []
    renamed_from = None

    if "title" in document.given:
        fields |= _title(old, document)
        if "summary" in fields:
            slugs = _slugs(old, fields["summary"], taken, warnings)
            if slugs:
                fields["slugs"] = slugs
                renamed_from = old.slugs[0] if old.slugs else None
    if "tags" in document.given:
        tags = _tags(old, document.tags, warnings, refusals, by_person=by_person)
        if set(tags) != set(old.tags):
            fields["tags"] = tags
    if "related_files" in document.given:
        if not by_person:
            _check_files(old, document.files, exists, warnings, refusals)
        if set(document.files) != set(old.files_modified):
            fields["files_modified"] = list(document.files)
    if document.content:
        content = _content(old, document.content, warnings)
        if content != old.content:
            fields["content"] = content
    if "asked_as" in document.given:
        asked = _questions(old, document.asked_as, warnings, by_person=by_person)
        if asked != list(old.asked_as):
            fields["asked_as"] = asked
    if document.confidence is not None and document.confidence != old.confidence:
        fields["confidence"] = document.confidence

    changes = [*map(dict, document.changes), *_generated(old, fields, document.changes)]
    if not changes and by_person and fields:
        changes = [{"summary": "Edited by hand: " + ", ".join(sorted(fields))}]
    if changes:
        fields["changes"] = changes
    elif not by_person:
        what = "does not say what changed" if fields else "changes nothing"
        refusals.append(_Refusal(f"The update {what}.", _SAY_WHAT))
    if refusals:
        raise MergeRefused(
            " ".join(refusal.message for refusal in refusals),
            " ".join(refusal.hint for refusal in refusals),
        )
    return Merged(fields, warnings, renamed_from)


def word_difference_ratio(one: str, other: str) -> float:
    """Return how much two titles differ: 1 - common / all words, ignoring case and order."""
    mine, theirs = (set(_WORD.findall(title.casefold())) for title in (one, other))
    every = mine | theirs
    return 1 - len(mine & theirs) / len(every) if every else 0.0


def _title(old: Memory, document: Document) -> dict[str, Any]:
    """Return the summary, and the body if the title is too long for a summary."""
    # If the old title was also too long, it begins the body; it is removed with the old title.
    head, _, rest = old.body.partition("\n\n")
    was_title = len(head) > SUMMARY_LENGTH and shorten_line(head) == old.summary
    body = "\n\n".join(filter(None, (document.body, rest if was_title else old.body)))
    new = {"summary": document.summary, "body": body}
    return {name: value for name, value in new.items() if value != getattr(old, name)}


def _slugs(
    old: Memory, title: str, taken: Callable[[str], bool], warnings: list[str]
) -> list[str] | None:
    """Return the slugs after a new title, newest first, or None if they do not change."""
    if word_difference_ratio(old.summary, title) <= _RENAMED:
        return None
    slug = slugify(title)
    if slug in old.slugs[:1]:
        return None
    if slug not in old.slugs and taken(slug):
        stays = f"; the memory keeps {old.slugs[0]}" if old.slugs else ""
        warnings.append(f"Another memory uses the slug {slug}{stays}.")
        return None
    return [slug, *(known for known in old.slugs if known != slug)]


def _tags(
    old: Memory,
    given: Sequence[str],
    warnings: list[str],
    refusals: list[_Refusal],
    *,
    by_person: bool,
) -> list[str]:
    """Return the tags after an update. `untagged` means none; any other tag replaces it."""
    tags = [tag for tag in given if tag != UNTAGGED] or [UNTAGGED]
    if not old.tags and tags == [UNTAGGED]:
        return []
    gone = [tag for tag in old.tags if tag not in tags and tag != UNTAGGED]
    if by_person or not gone:
        return tags
    full = len(old.tags) >= MAX_TAGS
    if full and len(tags) >= MAX_TAGS:  # as many were added as removed
        warnings.append(f"A memory can have at most {MAX_TAGS} tags; removed: {', '.join(gone)}.")
        return tags
    rule = (
        f"With {MAX_TAGS} tags, an agent can only replace one tag with another"
        if full
        else _ONLY_ADD
    )
    if not full and len(tags) >= MAX_TAGS:
        rule = f"A memory can have at most {MAX_TAGS} tags"
    refusals.append(
        _Refusal(
            f"{rule}; the update would remove these tags: {', '.join(gone)}.",
            "Send the old tags with the new ones, or omit `tags`.",
        )
    )
    return tags


def _check_files(
    old: Memory,
    given: Sequence[str],
    exists: Callable[[str], bool],
    warnings: list[str],
    refusals: list[_Refusal],
) -> None:
    """Allow an agent to drop a file only if the file no longer exists."""
    gone = [path for path in old.files_modified if path not in given]
    kept = [path for path in gone if exists(path)]
    dangling = [path for path in gone if path not in kept]
    if kept:
        refusals.append(
            _Refusal(
                f"{_ONLY_ADD}; the update would remove these files: {', '.join(kept)}.",
                "Send them with the new ones, or omit `related_files`.",
            )
        )
    if dangling:
        warnings.append(f"Removed files that no longer exist: {_quoted(dangling)}.")


def _questions(
    old: Memory, given: Sequence[str], warnings: list[str], *, by_person: bool
) -> list[str]:
    """Return the questions after an update: an agent adds some, a person replaces them."""
    if by_person:
        return list(given)
    asked = add_questions(old.asked_as, given)
    folded = {text.casefold() for text in asked}
    if dropped := [text for text in given if text.casefold() not in folded]:
        warnings.append(
            f"asked_as takes at most {MAX_QUESTIONS} questions; left out: {_quoted(dropped)}."
        )
    return asked


def _content(old: Memory, given: Mapping[str, Any], warnings: list[str]) -> dict[str, Any]:
    """Return the content with the given fields; fields of a newer version stay as they are."""
    if old.content is None:
        from recollect.core.content import content_of_text

        before: Mapping[str, Any] = content_of_text(old.kind, old.summary, old.body)
    else:
        before = old.content
    taken_back = {name for name, value in given.items() if value is None}
    parts = {name: _part(before.get(name), value) for name, value in given.items()}
    content = {k: v for k, v in {**before, **parts}.items() if k not in taken_back}
    if old.content is not None:
        now = dict(_lists(content))
        for path, items in _lists(before):
            left = now.get(path, [])
            gone = [item for item in items if item not in left]
            if len(left) < len(items) and gone:
                warnings.append(f"The list {path} is shorter; removed: {_quoted(gone)}.")
    return content


def _part(before: Any, given: Any) -> Any:
    """Return the new value of a field; parts of it that are not given stay."""
    if not isinstance(before, Mapping) or not isinstance(given, Mapping):
        return given
    return {k: v for k, v in {**before, **given}.items() if v is not None}


def _lists(content: Mapping[str, Any], prefix: str = "content.") -> Iterator[tuple[str, list[Any]]]:
    """Yield every list of a content with its path."""
    for name, value in content.items():
        if isinstance(value, list):
            yield prefix + name, value
        elif isinstance(value, Mapping):
            yield from _lists(value, f"{prefix}{name}.")


def _generated(
    old: Memory, fields: Mapping[str, Any], given: Sequence[Mapping[str, str]]
) -> Iterator[dict[str, str]]:
    """Describe each single value that changed and that the author does not mention."""
    told = {entry.get("field", "").removeprefix("content.") for entry in given}
    if "summary" in fields and not told & {"title", "summary"}:
        yield _entry("title", old.summary, fields["summary"])
    if "asked_as" in fields and "asked_as" not in told:
        yield {"summary": "asked_as was changed", "field": "asked_as"}
    if "content" not in fields:
        return
    if old.content is None:
        if "content" not in told:
            yield {"summary": "Added typed content to a plain memory.", "field": "content"}
        return
    new = fields["content"]
    for name in dict.fromkeys((*old.content, *new)):
        before, after = old.content.get(name), new.get(name)
        nested = isinstance(before, list | Mapping) or isinstance(after, list | Mapping)
        if before != after and not nested and name not in told:
            yield _entry(f"content.{name}", before, after)


def _entry(field: str, before: Any, after: Any) -> dict[str, str]:
    old, new = _value(before), _value(after)
    if not old:
        what = "was added"
    elif not new:
        what = "was removed"
    elif max(len(old), len(new)) <= _SHORT_VALUE:
        what = f"changed from {old} to {new}"
    else:
        what = "was rewritten"
    entry = {"summary": f"{field} {what}", "field": field, "old_value": old, "new_value": new}
    return {key: text for key, text in entry.items() if text}


def _value(value: Any) -> str:
    """Return a single value as a change shows it; the ledger keeps all of it."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _quoted(items: Sequence[Any]) -> str:
    texts = (
        item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items
    )
    return "; ".join(f'"{text}"' for text in texts)

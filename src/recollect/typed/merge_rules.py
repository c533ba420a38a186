"""What an update may do to a memory: an agent adds and corrects, only a person takes away.

A field that is not given stays. One that is given replaces what was there, except that an agent
cannot drop tags, nor files that exist. What a memory is (uid, kind, time of creation) and its
status are not part of a document, so no update reaches them. Every update says what changed: its
author does, or we do where a single value changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.core.document import UNTAGGED, Document, slugify
from recollect.core.fields import MAX_TAGS
from recollect.core.memory import Memory
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.patterns import pattern
from recollect.errors import MergeRefused

_RENAMED = 0.5
_LONGEST_VALUE = 200
_SHORT_VALUE = 60
_WORD = pattern(r"[^\W_]+")
_NO_LESS = "An agent adds and takes nothing away"
_SAY_WHAT = 'Add `changes: [{"summary": "what changed and why"}]`'


class Merged(NamedTuple):
    """The fields of the memory that an update writes, and what its author should know."""

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
    """What a document makes of a memory. The same one again adds its own `changes`, nothing else.

    `exists` tells whether a path is in the working tree, `taken` whether a slug is in use. The
    `changes` of the result are this update's own: those before it are in their own records.
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
    """How much of the words of two titles differs: 1 - common / all, whatever case and order."""
    mine, theirs = (set(_WORD.findall(title.casefold())) for title in (one, other))
    every = mine | theirs
    return 1 - len(mine & theirs) / len(every) if every else 0.0


def _title(old: Memory, document: Document) -> dict[str, Any]:
    """The summary, and the body where a title is too long for a summary."""
    # Where the old title was too long as well, it begins the body and goes with the old title.
    head, _, rest = old.body.partition("\n\n")
    was_title = len(head) > SUMMARY_LENGTH and shorten_line(head) == old.summary
    body = "\n\n".join(filter(None, (document.body, rest if was_title else old.body)))
    new = {"summary": document.summary, "body": body}
    return {name: value for name, value in new.items() if value != getattr(old, name)}


def _slugs(
    old: Memory, title: str, taken: Callable[[str], bool], warnings: list[str]
) -> list[str] | None:
    """The slugs after a new title, the newest first, or None where they stay."""
    if word_difference_ratio(old.summary, title) <= _RENAMED:
        return None
    slug = slugify(title)
    if slug in old.slugs[:1]:
        return None
    if slug not in old.slugs and taken(slug):
        stays = f"; the old one, {old.slugs[0]}, stays" if old.slugs else ""
        warnings.append(f"The slug {slug} is used by another memory{stays}.")
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
    """The tags after an update. `untagged` stands for none and goes when another comes."""
    tags = [tag for tag in given if tag != UNTAGGED] or [UNTAGGED]
    if not old.tags and tags == [UNTAGGED]:
        return []
    gone = [tag for tag in old.tags if tag not in tags and tag != UNTAGGED]
    if by_person or not gone:
        return tags
    full = len(old.tags) >= MAX_TAGS
    if full and len(tags) >= MAX_TAGS:  # as many came as went
        warnings.append(f"A memory has at most {MAX_TAGS} tags; these went: {', '.join(gone)}.")
        return tags
    rule = f"With {MAX_TAGS} tags, an agent exchanges one for one" if full else _NO_LESS
    if not full and len(tags) >= MAX_TAGS:
        rule = f"A memory has at most {MAX_TAGS} tags"
    refusals.append(
        _Refusal(
            f"{rule}; these tags would be lost: {', '.join(gone)}.",
            "Send the old tags with the new ones, or leave `tags` out.",
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
    """An agent may drop a file only when it is not there any more."""
    gone = [path for path in old.files_modified if path not in given]
    kept = [path for path in gone if exists(path)]
    dangling = [path for path in gone if path not in kept]
    if kept:
        refusals.append(
            _Refusal(
                f"{_NO_LESS}; these files would be lost: {', '.join(kept)}.",
                "Send them with the new ones, or leave `related_files` out.",
            )
        )
    if dangling:
        warnings.append(f"These files do not exist any more and were dropped: {_quoted(dangling)}.")


def _content(old: Memory, given: Mapping[str, Any], warnings: list[str]) -> dict[str, Any]:
    """The content with what was given; fields of a newer version stay as they are."""
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
                warnings.append(f"The list {path} is shorter; these went: {_quoted(gone)}.")
    return content


def _part(before: Any, given: Any) -> Any:
    """What a field becomes: of one that has parts, those that are not given stay."""
    if not isinstance(before, Mapping) or not isinstance(given, Mapping):
        return given
    return {k: v for k, v in {**before, **given}.items() if v is not None}


def _lists(content: Mapping[str, Any], prefix: str = "content.") -> Iterator[tuple[str, list[Any]]]:
    """Every list of a content with its path."""
    for name, value in content.items():
        if isinstance(value, list):
            yield prefix + name, value
        elif isinstance(value, Mapping):
            yield from _lists(value, f"{prefix}{name}.")


def _generated(
    old: Memory, fields: Mapping[str, Any], given: Sequence[Mapping[str, str]]
) -> Iterator[dict[str, str]]:
    """An entry for each single value that changed and that the author says nothing about."""
    told = {entry.get("field", "").removeprefix("content.") for entry in given}
    if "summary" in fields and not told & {"title", "summary"}:
        yield _entry("title", old.summary, fields["summary"])
    if "content" not in fields:
        return
    if old.content is None:
        if "content" not in told:
            yield {"summary": "Typed content was added to a plain memory.", "field": "content"}
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
        what = "was taken out"
    elif max(len(old), len(new)) <= _SHORT_VALUE:
        what = f"changed from {old} to {new}"
    else:
        what = "was rewritten"
    entry = {"summary": f"{field} {what}", "field": field, "old_value": old, "new_value": new}
    return {key: text for key, text in entry.items() if text}


def _value(value: Any) -> str:
    """A single value as a change shows it; the ledger keeps it whole."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _quoted(items: Sequence[Any]) -> str:
    texts = (
        item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in items
    )
    return "; ".join(f'"{text}"' for text in texts)

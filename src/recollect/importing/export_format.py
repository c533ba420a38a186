"""The formats of an export: JSON, and Markdown that people can read and a program can read back.

In Markdown, a comment before each memory holds everything but its title and its text. It also says
how many lines the text has, so a text can contain anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from recollect.core.content import content_text
from recollect.core.kinds import KINDS
from recollect.core.memory import Memory
from recollect.errors import ParseError
from recollect.importing.foreign import parse_json, read_text
from recollect.version import __version__

JSON, MARKDOWN, CLAUDE_MEMORY = "json", "markdown", "claude-memory"
FORMATS: Final = (JSON, MARKDOWN, CLAUDE_MEMORY)
NAME: Final = "recollect-export"
VERSION: Final = 1
# What a memory has besides its history, in the order in which it is written.
KEPT: Final = (
    *("uid", "id", "kind", "summary", "body", "content", "tags", "spec", "phase", "concepts"),
    *("asked_as", "observation_type", "files_read", "files_modified", "relates_to", "importance"),
    *("confidence", "sensitivity", "ttl", "session", "branch", "provenance", "author", "edited_by"),
    *("created", "updated", "status", "status_changed", "status_reason", "status_by", "slugs"),
    *("changes", "times_updated", "extra"),
)
_TITLE: Final = "# Memories"
_BEGIN, _END = "<!-- recollect ", " -->"
_BROKEN: Final = "Export the memories again, and do not edit the comments of a Markdown export."


def to_entry(memory: Memory, commit: str | None) -> dict[str, Any]:
    """Return a memory as an export holds it, without the fields that are empty."""
    shown = memory._asdict()
    entry = {name: shown[name] for name in KEPT if shown[name] not in (None, "", (), {})}
    return entry | ({"commit": commit} if commit else {})


def render_json(entries: Iterable[Mapping[str, Any]]) -> str:
    """Return an export as JSON, with one memory per line."""
    head = json.dumps({"format": NAME, "version": VERSION, "recollect": __version__})
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False, default=list) for entry in entries)
    return f'{head[:-1]}, "memories": [\n{lines}\n]}}\n'


def render_markdown(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return an export as Markdown, by kind."""
    kinds = [kind.name for kind in KINDS]

    def order(entry: Mapping[str, Any]) -> tuple[int, str]:
        kind = str(entry["kind"])
        return (kinds.index(kind) if kind in kinds else len(kinds), kind)

    parts = [f"{_TITLE}\n\n{_BEGIN}{json.dumps({'format': NAME, 'version': VERSION})}{_END}\n"]
    for (_, kind), group in groupby(sorted(entries, key=order), key=order):
        parts.append(f"\n## {kind.replace('-', ' ').capitalize()}\n")
        parts += [_section(entry) for entry in group]
    return "".join(parts)


def _section(entry: Mapping[str, Any]) -> str:
    body = str(entry.get("body") or "")
    rest = {name: value for name, value in entry.items() if name not in ("summary", "body")}
    rest["lines"] = len(body.split("\n")) if body else 0
    # A comment ends at the first `-->`.
    told = json.dumps(rest, ensure_ascii=False, default=list).replace(">", "\\u003e")
    content = entry.get("content")
    shown = content_text(str(entry["kind"]), content) if isinstance(content, Mapping) else ""
    lines = [f"\n{_BEGIN}{told}{_END}", f"### {entry['summary']}", ""]
    lines += [body, ""] if body else []
    lines += [shown, ""] if shown else []
    return "\n".join(lines)


def is_export(path: Path) -> bool:
    """Whether a file begins like an export of ours, so that a new one may replace it."""
    try:
        with path.open("rb") as file:
            head = file.read(200).decode("utf-8", "replace")
    except OSError:
        return False
    return NAME in head and head.startswith(("{", _TITLE))


def read_export(path: Path) -> list[dict[str, Any]]:
    """Return the memories of an export; raise `ParseError` if it is none, or broken."""
    text = read_text(path)
    if text.startswith(_TITLE):
        return list(_from_markdown(text, path))
    found = parse_json(text, path)
    if not isinstance(found, dict) or found.get("format") != NAME:
        raise ParseError(f"{path} is not an export of Recollect.", "Name another file.")
    _check_version(found.get("version"), path)
    memories = found.get("memories")
    if not isinstance(memories, list) or not all(isinstance(one, dict) for one in memories):
        raise ParseError(f"{path} has no list of memories.", _BROKEN)
    return memories


def _check_version(version: Any, path: Path) -> None:
    if version != VERSION:
        raise ParseError(
            f"{path} has version {str(version)[:20]} of the format; this program knows {VERSION}.",
            "Update Recollect.",
        )


def _from_markdown(text: str, path: Path) -> Iterator[dict[str, Any]]:
    lines = text.split("\n")
    at, has_head = 0, False
    while at < len(lines):
        line = lines[at]
        at += 1
        if not line.startswith(_BEGIN):
            continue
        where = f"{path}, line {at},"
        if not line.endswith(_END):
            raise ParseError(f"{where} is not complete.", _BROKEN)
        entry = parse_json(line[len(_BEGIN) : -len(_END)], where)
        if not isinstance(entry, dict):
            raise ParseError(f"{where} is not a memory.", _BROKEN)
        if not has_head:
            if entry.get("format") != NAME:
                raise ParseError(f"{path} is not an export of Recollect.", "Name another file.")
            _check_version(entry.get("version"), path)
            has_head = True
            continue
        count = entry.pop("lines", None)
        title = lines[at] if at < len(lines) else ""
        is_whole = type(count) is int and 0 <= count <= len(lines) - at - 2
        if not is_whole or not title.startswith("### "):
            raise ParseError(f"{where} does not fit what follows it.", _BROKEN)
        body = "\n".join(lines[at + 2 : at + 2 + count])
        at += 2 + count
        yield {**entry, "summary": title[4:], **({"body": body} if body else {})}
    if not has_head:
        raise ParseError(f"{path} is not an export of Recollect.", "Name another file.")

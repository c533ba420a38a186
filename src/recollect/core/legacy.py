"""Legacy notes: YAML front matter without a uid, written by older systems.

Only the YAML that PyYAML's block style produces for such a header is parsed: plain and quoted
scalars, folded or not, block lists and one-line flow lists. Reading never changes the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise, takewhile

from recollect.core.age import seconds_of
from recollect.core.patterns import pattern
from recollect.core.record import CREATE, LEGACY_MARK, Record, is_legacy
from recollect.core.uid import derive_uid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OPENER = pattern(r"^---[ \t]*\n(?=[a-z_]+:(?:[ \n]))", re.MULTILINE)
_CLOSER = pattern(r"^---[ \t]*(?:\n|\Z)", re.MULTILINE)
_KEY = pattern(r"([A-Za-z_][A-Za-z0-9_-]*):(?:[ \t]++(.*))?\Z")
_ITEM = pattern(r"\s*- |\s+\S|\s*-$")
_REQUIRED = ("type", "summary", "timestamp")
_MOST_HEADER_LINES = 200

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "/": "/", "0": "\0", "e": "\x1b"}
_ESCAPES |= {"a": "\a", "b": "\b", "f": "\f", "v": "\v", " ": " ", "N": "\x85", "_": "\xa0"}
_ESCAPES |= {"L": "\u2028", "P": "\u2029"}
_ESCAPE = pattern(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)

# `\U00110000` and above: outside Unicode.
BAD_ESCAPE = pattern(r"\\U(?!000[0-9A-Fa-f]|0010)[0-9A-Fa-f]{8}")
_LAST_CHARACTER = 0x10FFFF


def split_legacy(text: str) -> Iterator[tuple[bool, str]]:
    """Split text into legacy records (True) and the text before them (False), trimmed.

    A `---` rule inside a body does not start a record: an opener needs a complete header after it.
    """
    starts = [m.start() for m in _OPENER.finditer(text) if _header_end(text, m) is not None]
    before = text[: starts[0]] if starts else text
    if before.strip():
        yield False, before.strip("\n")
    for start, end in pairwise([*starts, len(text)]):
        yield True, text[start:end].strip("\n")


def _header_end(text: str, opener: re.Match[str]) -> int | None:
    """Return where the header that opens here ends; None if this is just a rule in a body."""
    closer = _CLOSER.search(text, opener.end())
    if closer is None:
        return None
    header = text[opener.end() : closer.start()]
    lines = header.split("\n")
    if len(lines) > _MOST_HEADER_LINES:
        return None
    keys = {m.group(1) for m in map(_KEY.match, lines) if m}
    return closer.end() if all(key in keys for key in _REQUIRED) else None


def front_matter_problem(text: str) -> str:
    """Describe what is wrong with the front matter that a text begins with; empty if it has none.

    A text that begins with a rule and other keys is plain text, not a record of an older system.
    """
    opener = _OPENER.match(text)
    if opener is None:
        return ""
    closer = _CLOSER.search(text, opener.end())
    header = text[opener.end() : closer.start() if closer else len(text)]
    keys = {m.group(1) for m in map(_KEY.match, takewhile(str.strip, header.split("\n"))) if m}
    if keys.isdisjoint(_REQUIRED):
        return ""
    if closer is None:
        return "its front matter has no end"
    missing = [key for key in _REQUIRED if key not in keys]
    return f"its front matter has no {missing[0]}" if missing else "its front matter is too long"


def was_legacy(text: str) -> bool:
    """Whether a stored record is a legacy one, or was before an edit."""
    return is_legacy(text) or f"\n{LEGACY_MARK}: true\n" in text[: text.find("\n---\n", 3) + 1]


def legacy_uid(text: str) -> str:
    """Derive the uid of a legacy record: its own time, then the hash of its text."""
    timestamp = str(read_legacy_header(text).get("timestamp", ""))
    return derive_uid(text.strip("\n"), _milliseconds(timestamp))


def read_legacy(text: str) -> Record:
    """Read a legacy record as the creation it represents."""
    fields = read_legacy_header(text)
    opener = _OPENER.match(text)
    end = _header_end(text, opener) if opener else None
    body = text[end:].strip("\n") if end is not None else ""
    timestamp = fields.pop("timestamp", None)
    return Record(
        uid=legacy_uid(text),
        op=CREATE,
        timestamp=str(timestamp) if timestamp is not None else None,
        fields=fields,
        body=body or None,
    )


def read_legacy_header(text: str) -> dict[str, Any]:
    """Parse the front matter of a legacy record into a dictionary."""
    head = legacy_head(text)
    return read_block_yaml(head) if head else {}


def legacy_head(text: str) -> str:
    """Return the front matter of a legacy record unchanged."""
    opener = _OPENER.match(text)
    closer = _CLOSER.search(text, opener.end()) if opener else None
    return text[opener.end() : closer.start()] if opener and closer else ""


def read_block_yaml(text: str) -> dict[str, Any]:
    """Parse the subset of YAML that the older systems wrote."""
    fields: dict[str, Any] = {}
    key = ""
    parts: list[str] = []
    for line in [*text.split("\n"), "end:"]:
        match = _KEY.match(line)
        if match is None:
            parts.append(line)
            continue
        if key:
            fields[key] = _block_value(parts)
        key, parts = match.group(1), [match.group(2) or ""]
    return fields


def _block_value(parts: list[str]) -> Any:
    first = parts[0].strip()
    rest = parts[1:]
    items = [line for line in rest if line.strip()]
    if not first and items and all(_ITEM.match(line) for line in items):
        return _block_list(items)
    if first.startswith("[") and first.endswith("]"):
        inner = first[1:-1].strip()
        return [_scalar(item.strip()) for item in inner.split(",")] if inner else []
    return _scalar(_fold([first, *rest]))


def _block_list(lines: list[str]) -> list[Any]:
    values: list[list[str]] = []
    for line in lines:
        stripped = line.strip()
        if stripped.startswith("- ") or stripped == "-":
            values.append([stripped[2:]])
        elif values:
            values[-1].append(stripped)
    return [_scalar(_fold(value)) for value in values]


def _fold(parts: list[str]) -> str:
    """Join a multi-line scalar: one line break is a space, a blank line is a line break."""
    text = parts[0]
    blanks = 0
    for part in parts[1:]:
        part = part.strip()
        if not part:
            blanks += 1
            continue
        if text.endswith("\\") and text.startswith('"') and not text.endswith("\\\\"):
            text = (
                text[:-1] + part.removeprefix("\\") if part.startswith("\\ ") else text[:-1] + part
            )
        else:
            text += "\n" * blanks if blanks else " "
            text += part
        blanks = 0
    return text


def _scalar(text: str) -> Any:
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return _ESCAPE.sub(_unescape, text[1:-1])
    if len(text) >= 2 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return {"": None, "null": None, "~": None, "true": True, "false": False}.get(text, text)


def _unescape(match: re.Match[str]) -> str:
    code = match.group(1)
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number <= _LAST_CHARACTER else match.group()
    return _ESCAPES.get(code, match.group())


def _milliseconds(timestamp: str) -> int:
    return round((seconds_of(timestamp) or 0.0) * 1000)

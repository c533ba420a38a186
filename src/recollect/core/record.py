"""One record of a note: its text form, byte for byte, and the value behind it.

    ---
    uid: 41M7GBJJDYK3V6R0T8ZQ5N2XWA
    op: create
    id: decisions:818f6efc36a8195ba7ebdc81b7551692eb10de03:0
    timestamp: 2026-08-23T10:00:00Z
    by: "Ada <ada@example.com>"
    nonce: 01M7GBJJDY86YZZDQ8VQJ7NATA
    summary: Keep the ledger in git notes
    type: decisions
    ---

    The body: any text, kept byte for byte.

    ...

Header values are plain scalars or JSON, a strict subset of YAML: any YAML reader can read a header,
and we need none. A body line that could be taken for the end of a record (`...`) or for the second
line of an opener (`uid: …`) gets a leading backslash; reading takes it away again.

Invariant: `read_record(render_record(record)) == record`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from recollect.core import uid as uids
from recollect.core.limits import DIGITS, JSON_DEPTH
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

# How our own records begin. Front matter with a different kind of uid belongs to another tool.
_OPENING = pattern(rf"---\nuid: {uids.PATTERN}\n")
# Set in the header of a legacy record that an edit converted to our format.
LEGACY_MARK: Final = "legacy"
CREATE: Final = "create"
UPDATE: Final = "update"
PURGE: Final = "purge"

# Optional in a purge record: the nonce of the erased memory. A record with this nonce cannot be
# created again.
PURGED_NONCE: Final = "purged_nonce"
# In an update, null removes the field; `body: null` empties the body.
BODY: Final = "body"
_FIRST: tuple[str, ...] = ("id", "of", "rev", "timestamp", "by", "nonce")

_GUARDED_LINE = pattern(rf"^(\\*(?:\.\.\.|uid: {uids.PATTERN})\r?)$", re.MULTILINE)
_ESCAPED_LINE = pattern(rf"^\\(\\*(?:\.\.\.|uid: {uids.PATTERN})\r?)$", re.MULTILINE)

_PLAIN = pattern(
    rf"(?:{uids.PATTERN}"
    r"|[A-Za-z](?:[A-Za-z0-9 _.,()/'+;=@-]|:(?=[A-Za-z0-9]))*(?<! )"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)\Z"
)
_RESERVED = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "none", "nan"})
_NUMBER = pattern(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?\Z")
# The brackets of a JSON text. A string is one token, so its brackets do not count.
_BRACKETS = pattern(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
_json = json.JSONDecoder()
_LITERALS: Mapping[str, Any] = {"true": True, "false": False, "null": None}
# Characters that YAML forbids unescaped, or reads as a line break.
_UNPRINTABLE = pattern("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


# The provenance of a text that was added with plain git.
ADOPTED: Mapping[str, Any] = {"via": "git notes"}


class Record(NamedTuple):
    """The content of one record. `fields` holds the domain's keys; the body may be None."""

    uid: str
    op: str
    fields: Mapping[str, Any]
    body: str | None = None
    id: str | None = None
    of: str | None = None
    rev: int = 0
    timestamp: str | None = None
    by: str | None = None
    # Makes the uid unique and gives it its time.
    nonce: str | None = None
    # Identifies the content if the uid does not prove it; not part of the text.
    digest: str = ""

    @property
    def memory_uid(self) -> str:
        """The uid of the memory that this record belongs to."""
        return self.of if self.of is not None else self.uid


def render_record(record: Record) -> str:
    """Render a record, including its terminator line."""
    lines = ["---", f"uid: {record.uid}", f"op: {record.op}"]
    for key, value in _header(record):
        lines.append(f"{key}: {render_value(value)}")
    lines.append("---")
    if record.body is not None:
        lines += ["", escape_body(record.body), ""]
    lines.append("...\n")
    return "\n".join(lines)


def _header(record: Record) -> Iterator[tuple[str, Any]]:
    for key in _FIRST:
        value = getattr(record, key)
        if value is not None and not (key == "rev" and value == 0):
            yield key, value
    for key in sorted(record.fields):
        yield key, record.fields[key]


def read_record(text: str) -> Record:
    """Parse a record, even one that git's porcelain has trimmed.

    Anything unintelligible is kept unchanged instead of rejected: a record that only a newer
    version understands must survive this one.
    """
    return read_with_values(text)[0]


def read_with_values(text: str) -> tuple[Record, list[str]]:
    """Parse a record; also return the numbers and the JSON of its header, as they are written.

    No other value can be out of the limits.
    """
    head, body = split_record(text)
    fields: dict[str, Any] = {}
    odd: list[str] = []
    for line in head:
        key, _, value = line.partition(":")
        value = value.strip(" ")
        if value[:1].isalpha():
            fields[key] = _LITERALS.get(value, value)
        else:
            fields[key] = read = read_value(value)
            if read is not value or value.lstrip("-").isdecimal():
                odd.append(value)
    take = fields.pop
    rev = take("rev", 0)
    record = Record(
        str(take("uid", "")),
        str(take("op", CREATE)),
        fields,
        body,
        _text_or_none(take("id", None)),
        _text_or_none(take("of", None)),
        rev if isinstance(rev, int) else 0,
        _text_or_none(take("timestamp", None)),
        _text_or_none(take("by", None)),
        _text_or_none(take("nonce", None)),
    )
    return record, odd


def is_legacy(text: str) -> bool:
    """Whether a stored record is a legacy one, in its original text (`core/legacy.py`)."""
    return _OPENING.match(text) is None


def split_record(text: str) -> tuple[list[str], str | None]:
    """Split a record's text into its header lines and its unescaped body."""
    end = text.find("\n---\n", 3)
    if end < 0:
        lines = [line for line in text.split("\n") if line not in ("---", "...", "")]
        return [line for line in lines if ":" in line], None
    head = text[4:end].split("\n")
    rest = text[end + 5 :]
    rest = rest.removesuffix("...\n").removesuffix("...")
    if not rest:
        return head, None
    body = rest.removeprefix("\n").removesuffix("\n")
    # The blank line before the terminator is ours, unless git's porcelain trimmed it.
    return head, unescape_body(body.removesuffix("\n"))


def escape_body(body: str) -> str:
    """Escape the body lines that could end this record or open another."""
    if "..." not in body and "uid: " not in body:
        return body
    return _GUARDED_LINE.sub(r"\\\1", body)


def unescape_body(text: str) -> str:
    """Undo `escape_body`."""
    if "\\" not in text:
        return text
    return _ESCAPED_LINE.sub(r"\1", text)


def render_value(value: Any) -> str:
    """Render a header value as a plain scalar if that is safe in YAML, else as JSON."""
    if isinstance(value, str) and _PLAIN.match(value) and value.lower() not in _RESERVED:
        return value
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True)
    return _UNPRINTABLE.sub(lambda m: f"\\u{ord(m.group()):04x}", text)


def read_value(text: str) -> Any:
    """Undo `render_value`; text that is neither plain nor JSON is returned unchanged."""
    first = text[:1]
    if first.isalpha():
        return _LITERALS.get(text, text)
    if first in ('"', "[", "{"):
        if first != '"' and json_depth(text) > JSON_DEPTH:
            return text
        try:
            value, end = _json.raw_decode(text)
        except ValueError:
            return text
        return value if not text[end:].strip(" \t\n\r") else text
    number = _NUMBER.match(text)
    if number is None:
        return text
    if number.group(1) or number.group(2):
        return float(text)
    return int(text) if len(text) <= DIGITS + 1 else text


def json_depth(text: str) -> int:
    """Return the maximum depth of a JSON text, without parsing it."""
    if text.count("[") + text.count("{") <= JSON_DEPTH:
        return 0
    depth = deepest = 0
    for token in _BRACKETS.finditer(text):
        first = token.group()[0]
        if first in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif first in "]}":
            depth -= 1
    return deepest


def _text_or_none(value: Any) -> str | None:
    return None if value is None else str(value)

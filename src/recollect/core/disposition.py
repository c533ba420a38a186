"""Disposition: whether a stored record counts or is quarantined, and why.

This module alone decides it. A quarantined record stays in its note byte for byte, through join,
absorb and sync, but it neither creates nor changes a memory. `recollect doctor` lists it, and
`recollect purge` removes it.

`dispose` is total: it returns an answer for every text and never raises.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from recollect.core import limits
from recollect.core.age import DateOutOfRange, parse_moment
from recollect.core.legacy import (
    BAD_ESCAPE,
    front_matter_problem,
    legacy_head,
    read_legacy,
)
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.core.record import (
    ADOPTED,
    CREATE,
    PURGE,
    UPDATE,
    Record,
    is_legacy,
    read_with_values,
)
from recollect.core.uid import LENGTH, is_uid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OPENER = len("---\nuid: ")
# Values need a closer check only if one of these occurs in them; few have one.
_SUSPECT = pattern(
    rf"\d{{{limits.DIGITS + 1}}}|\\u(?:[dD][89a-fA-F]|0000)|[eE]\+?\d{{3}}|NaN|Infinity"
)
_DIGITS = pattern(r"\d\d\d")
_NUMBER = pattern(r"-?\d+\Z")
_UIDS = ("uid", "of")  # a uid may consist of digits alone


class Disposition(NamedTuple):
    """A record as far as it is readable, and why it is quarantined; empty if it counts."""

    record: Record
    reason: str = ""


def dispose(text: str) -> Disposition:
    """Parse a stored record and decide whether it counts."""
    try:
        if _is_too_large(text):
            size = len(text.encode("utf-8", "surrogatepass"))
            return _quarantine(text, f"it has {size} bytes; the limit is {limits.RECORD_BYTES}")
        legacy = is_legacy(text)
        head = _head(text, legacy=legacy)
        lines = head.count("\n") + 1
        if lines > limits.HEADER_LINES:
            return _quarantine(
                text, f"its header has {lines} lines; the limit is {limits.HEADER_LINES}"
            )
        record, values = (read_legacy(text), [head]) if legacy else read_with_values(text)
        return Disposition(record, _problem(text, head, record, values, legacy=legacy))
    except Exception as error:  # no foreign text may stop a reader
        return _quarantine(text, f"it cannot be read ({type(error).__name__})")


def why_quarantined(text: str) -> str:
    """Return why a stored record is quarantined; empty if it counts."""
    return dispose(text).reason


def rank(text: str) -> tuple[bool, bool]:
    """Rank two texts of one uid, before their length is compared.

    A record that counts beats a quarantined one, and a creation beats a change: neither a broken
    copy nor a change may replace a memory.
    """
    record, reason = dispose(text)
    return not reason, record.op == CREATE


def _quarantine(text: str, reason: str) -> Disposition:
    uid = text[_OPENER : _OPENER + LENGTH]
    return Disposition(Record(uid if is_uid(uid) else "", "", {}), reason)


def _is_too_large(text: str) -> bool:
    if len(text) * 4 <= limits.RECORD_BYTES:
        return False
    return len(text.encode("utf-8", "surrogatepass")) > limits.RECORD_BYTES


def _head(text: str, *, legacy: bool) -> str:
    if legacy:
        return legacy_head(text)
    end = text.find("\n---\n", 3)
    return text if end < 0 else text[4:end]


def _problem(text: str, head: str, record: Record, values: list[str], *, legacy: bool) -> str:
    """Describe what is wrong with a record; empty if it counts."""
    if "\0" in text:
        return "it contains a NUL character"
    return (
        ("" if legacy else _wrong_operation(text, record))
        or _wrong_front_matter(record, legacy=legacy)
        or _wrong_moment(record.timestamp)
        or _wrong_values(head, record, values, legacy=legacy)
    )


def _wrong_operation(text: str, record: Record) -> str:
    if record.uid != text[_OPENER : _OPENER + LENGTH]:
        return "its header names a second uid"
    if record.op == CREATE:
        return "" if record.of is None else "a creation must not name another record"
    if record.op not in (UPDATE, PURGE):
        return f"its operation {record.op[:20]!r} is unknown; it may be from a newer version"
    if record.of is None or not is_uid(record.of):
        return f"the {record.op} names no memory"
    return f"the {record.op} names itself" if record.of == record.uid else ""


def _wrong_front_matter(record: Record, *, legacy: bool) -> str:
    """Describe what an older system's record lacks, or a text that was to be such a record."""
    if legacy:
        wanted = {"summary": record.fields.get("summary"), "timestamp": record.timestamp}
        missing = [name for name, value in wanted.items() if not str(value or "").strip()]
        return f"its front matter has no {missing[0]}" if missing else ""
    if record.body is None or not record.body.startswith("---"):
        return ""
    is_adopted = record.op == CREATE and record.fields.get("provenance") == ADOPTED
    return front_matter_problem(record.body) if is_adopted else ""


def _wrong_moment(timestamp: str | None) -> str:
    try:
        parse_moment(timestamp)
    except DateOutOfRange:
        return (
            f"its date {str(timestamp)[:40]!r} is not between the years {limits.FIRST_YEAR} and"
            f" {limits.LAST_YEAR}"
        )
    return ""


def _wrong_values(head: str, record: Record, values: list[str], *, legacy: bool) -> str:
    """Describe what is wrong with the header; `values` are its numbers and its JSON."""
    if legacy and BAD_ESCAPE.search(head):
        return "its header contains an invalid escape sequence"
    brackets = head.count("[") + head.count("{")
    if not legacy and brackets <= limits.JSON_DEPTH and not _is_suspect("\n".join(values)):
        return ""
    if not legacy:
        for line in head.split("\n"):
            key, _, value = line.partition(":")
            value = value.strip(" ")
            is_number = key not in _UIDS and _NUMBER.match(value) is not None
            if is_number and len(value.lstrip("-")) > limits.DIGITS:
                return f"a number in its header has more than {limits.DIGITS} digits"
            if value[:1] in ("[", "{") and is_too_deep(value):
                return f"a value in its header has more than {limits.JSON_DEPTH} levels"
    return _wrong_value([*record.fields.values(), record.id, record.by, record.rev])


def _is_suspect(text: str) -> bool:
    # What is looked for has one of these, and to look for them takes a tenth of the time.
    likely = "\\u" in text or "NaN" in text or "Infinity" in text or _DIGITS.search(text)
    return bool(likely) and _SUSPECT.search(text) is not None


def _wrong_value(values: list[Any]) -> str:
    """Describe what is wrong with JSON values; parsing has already limited their depth."""
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            if "\0" in value:
                return "it contains a NUL character"
            if not is_text(value):
                return "its header contains a lone surrogate"
        elif isinstance(value, float):
            if not math.isfinite(value):
                return "a number in its header is too large"
        elif isinstance(value, int):
            if abs(value) > limits.MAX_INTEGER:
                return f"a number in its header has more than {limits.DIGITS} digits"
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
    return ""


def is_nested_too_deep(value: Any) -> bool:
    """Whether a value exceeds the depth limit, checked without recursion."""
    level = [value]
    for _ in range(limits.JSON_DEPTH + 1):
        inner = [one.values() if isinstance(one, Mapping) else one for one in level if _holds(one)]
        level = [item for some in inner for item in some]
        if not level:
            return False
    return any(map(_holds, level))


def _holds(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple)


def is_text(value: str) -> bool:
    """Whether a text can be encoded; escaped bytes that were never UTF-8 can."""
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def is_too_deep(value: str) -> bool:
    """Whether JSON exceeds the depth limit, checked without parsing it."""
    from recollect.core.record import json_depth

    return json_depth(value) > limits.JSON_DEPTH

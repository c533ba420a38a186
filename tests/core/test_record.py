"""A record comes back from its text byte for byte, whatever its body holds."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.record import (
    CREATE,
    Record,
    escape_body,
    read_record,
    read_value,
    render_record,
    render_value,
    unescape_body,
)
from tests.core.strategies import BODIES, JSON, UID_TEXT, records

GOLDEN = """\
---
uid: 01M7GBJJDY86YZZDQ8VQJ7NATA
op: create
id: decisions:818f6efc36a8195ba7ebdc81b7551692eb10de03:0
timestamp: 2026-08-23T10:00:00Z
by: "Ada <ada@example.com>"
branch: feat/ledger
importance: 0.8
summary: Keep the ledger in git notes
tags: ["storage", "git"]
type: decisions
---

# Context

\\...
\\uid: 01M7GBJJDY86YZZDQ8VQJ7NATA
---

...
"""


def test_the_golden_record_never_changes() -> None:
    """The text form is a format that other clones and later versions must read: it is frozen."""
    record = Record(
        uid=UID_TEXT,
        op=CREATE,
        id="decisions:818f6efc36a8195ba7ebdc81b7551692eb10de03:0",
        timestamp="2026-08-23T10:00:00Z",
        by="Ada <ada@example.com>",
        fields={
            "type": "decisions",
            "summary": "Keep the ledger in git notes",
            "tags": ["storage", "git"],
            "branch": "feat/ledger",
            "importance": 0.8,
        },
        body=f"# Context\n\n...\nuid: {UID_TEXT}\n---",
    )

    assert render_record(record) == GOLDEN
    assert read_record(GOLDEN) == record


@given(records())
def test_a_record_round_trips(record: Record) -> None:
    """Reading what was rendered gives the same record."""
    assert read_record(render_record(record)) == record


@given(BODIES)
def test_escaping_is_reversible_and_leaves_no_frame_in_a_body(body: str) -> None:
    """An escaped body holds no terminator and no second line of an opener, and comes back exact."""
    escaped = escape_body(body)

    assert unescape_body(escaped) == body
    lines = escaped.split("\n")
    assert "..." not in lines
    assert f"uid: {UID_TEXT}" not in lines


@given(JSON)
def test_a_header_value_round_trips_on_one_line(value: Any) -> None:
    """Every value is one line and is read back as it was."""
    text = render_value(value)

    assert "\n" not in text
    assert read_value(text) == value


@given(st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.text("ab:#-,[] "))))
def test_any_yaml_reader_can_read_a_header_value(value: Any) -> None:
    """The header is a strict subset of YAML: PyYAML, which we do not use, reads the same."""
    # JSON escapes non-BMP characters only as they are; PyYAML refuses a few code points outright.
    assert yaml.safe_load(f"key: {render_value(value)}\n") == {"key": value}


@given(records())
def test_git_may_trim_blanks_and_the_header_survives(record: Record) -> None:
    """What `git notes edit` strips (blank lines, trailing blanks) never costs a field."""
    text = render_record(record)
    trimmed = "\n".join(line.rstrip(" \t") for line in text.split("\n") if line.strip())

    assert read_record(trimmed + "\n").uid == record.uid
    assert json.dumps(read_record(trimmed).op) == json.dumps(record.op)

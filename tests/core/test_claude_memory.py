"""Documents of the claude-memory plugin: what is written is valid there, what is read is kept."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.claude_memory import (
    Described,
    category_of,
    folder_of,
    read_document,
    render_document,
    to_document,
)
from recollect.core.content import check_content
from recollect.core.content_schemas import SCHEMAS
from recollect.core.document import is_slug
from recollect.core.kinds import KINDS
from recollect.core.memory import Memory
from recollect.core.status import STATUSES
from recollect.core.uid import make_uid
from recollect.errors import BadContent, ParseError, RecollectError
from recollect.mirror.page import Row, file_names, render_index, row_of
from tests.core.strategies import BODIES, JSON, TEXT, UIDS
from tests.support.claude_memory import (
    DECISION_CONTENT,
    document,
    plugin_refuses,
)

KIND_NAMES = st.sampled_from([kind.name for kind in KINDS] + ["from-a-newer/version"])
LINES = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=100
).filter(lambda line: " ".join(line.split()) == line)
TIMES = st.sampled_from(["2026-08-23T10:00:00Z", "2026-08-24T11:30:00Z"])
ODD_TIMES = TIMES | st.sampled_from([None, "", "yesterday", "0001-01-01T00:00:00+14:00"])
CONTENT = st.none() | st.dictionaries(
    st.sampled_from(sorted({f.name for s in SCHEMAS.values() for f in s.fields})) | TEXT,
    JSON,
    max_size=5,
)


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    """A memory as a lenient reader may give it, also from a newer version."""
    return Memory(
        uid=draw(UIDS),
        id="decisions:818f6ef:0",
        kind=draw(KIND_NAMES),
        summary=draw(LINES),
        body=draw(BODIES),
        content=draw(CONTENT),
        tags=tuple(draw(st.lists(TEXT, max_size=3))),
        files_modified=tuple(draw(st.lists(TEXT, max_size=2))),
        files_read=tuple(draw(st.lists(TEXT, max_size=2))),
        confidence=draw(st.floats(0, 1)),
        created=draw(ODD_TIMES),
        updated=draw(ODD_TIMES),
        status=draw(st.sampled_from([*STATUSES, "of-a-newer-version"])),
        status_changed=draw(ODD_TIMES),
        status_reason=draw(st.none() | TEXT),
        slugs=tuple(draw(st.lists(TEXT | st.just("use-postgres"), max_size=2))),
        changes=tuple(draw(st.lists(st.dictionaries(TEXT | st.just("summary"), JSON), max_size=2))),
        times_updated=draw(st.integers(0, 99)),
    )


@given(memories())
def test_whatever_the_ledger_holds_the_plugin_takes(memory: Memory) -> None:
    """No field too many, none missing, none of the wrong form."""
    (path,) = file_names([memory]).values()
    name = path.partition("/")[2].removesuffix(".json")

    document = json.loads(render_document(to_document(memory, name)))

    assert plugin_refuses(document) == []


@given(memories())
def test_a_written_document_is_read_as_the_memory(memory: Memory) -> None:
    """What nobody touched comes back as it was."""
    if memory.kind == "from-a-newer/version":
        return
    text = render_document(to_document(memory, "name"))

    once = read_document(text, folder_of(memory.kind), "name")

    assert (once.kind, once.summary) == (memory.kind, memory.summary)
    assert once.confidence == memory.confidence
    assert once.times_updated == memory.times_updated
    if memory.kind not in SCHEMAS and memory.content is None:
        assert once.body == memory.body


def read(**changes: Any) -> Described:
    """A document of decisions, read."""
    return read_document(document(**changes), "decisions", "use-postgres")


def test_a_document_in_the_words_of_a_memory() -> None:
    """Field by field."""
    assert read() == Described(
        kind="decisions",
        summary="Use Postgres",
        body="",
        content=check_content("decisions", DECISION_CONTENT),
        tags=("db", "storage"),
        files=("src/db.py",),
        confidence=0.9,
        created="2026-02-01T10:00:00Z",
        updated="2026-02-03T10:00:00Z",
        changes=({"date": "2026-02-03T10:00:00Z", "summary": "Reason added"},),
        times_updated=1,
    )


def test_a_retired_document_keeps_its_date_and_reason() -> None:
    """So that the grace period runs from there."""
    found = read(
        record_status="retired",
        retired_at="2026-02-03T10:00:00+01:00",
        retired_reason="Superseded",
    )

    assert (found.status, found.status_changed, found.status_reason) == (
        "retired",
        "2026-02-03T09:00:00Z",
        "Superseded",
    )


def test_old_documents_without_a_status_are_active() -> None:
    """Nor need they have what the plugin adds by itself."""
    found = read(
        record_status=None,
        schema_version=None,
        updated_at=None,
        changes=None,
        times_updated=None,
        confidence=None,
        related_files=None,
        tags=["untagged"],
    )

    assert (found.status, found.updated, found.tags) == ("active", found.created, ())


def test_a_long_title_is_shortened_and_kept() -> None:
    """120 characters there, 100 here."""
    title = "why " * 29 + "now"

    found = read(title=title)

    assert len(found.summary) <= 100
    assert found.body == title


def test_nothing_that_is_unknown_is_dropped() -> None:
    """It is kept beside the memory."""
    many = [f"tag-{number}" for number in range(14)]
    found = read(
        owner="Ada",
        id="another-name",
        content={**DECISION_CONTENT, "mood": "good"},
        related_files=["src/db.py", "/etc/passwd", "../outside"],
        tags=many,
        record_status="archived",
        archived_reason="because " * 30,
    )

    assert found.left == {
        "owner": "Ada",
        "id": "another-name",
        "content": {"mood": "good"},
        "related_files": ["src/db.py", "/etc/passwd", "../outside"],
        "tags": many,
        "archived_reason": "because " * 30,
    }
    assert found.files == ("src/db.py",)
    assert found.tags == tuple(many[:12])
    assert len(found.status_reason) <= 200


def test_unknown_fields_deep_inside_are_kept_too() -> None:
    """The whole content then, for its parts belong together."""
    option = {"option": "MySQL", "rejected_reason": "No", "votes": 3}
    content = {**DECISION_CONTENT, "alternatives": [option]}

    found = read(content=content)

    assert found.content is not None
    assert found.content["alternatives"] == [{"option": "MySQL", "rejected_reason": "No"}]
    assert found.left == {"content": content}


def test_texts_longer_than_an_agent_may_write_are_taken() -> None:
    """The plugin has no such limit, and nothing is to be lost."""
    content = {**DECISION_CONTENT, "context": "word " * 2000}

    assert read(content=content).content == content


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 100_000,
        document(confidence=float("nan")),
        document(confidence=2),
        document(schema_version="2.0"),
        document(category="preference"),
        document(category="nonsense"),
        document(category=7),
        document(title=""),
        document(title=None),
        document(created_at="yesterday"),
        document(created_at=None),
        document(record_status="deleted"),
        document(tags=[1]),
        document(related_files="src"),
        document(changes=["x"]),
        document(times_updated=-1),
        document(content=None),
        document(content={}),
        document(content={**DECISION_CONTENT, "status": "maybe"}),
        document(content={**DECISION_CONTENT, "rationale": []}),
        document(title="\ud800"),
        "<<<<<<< HEAD\n" + document() + "\n=======\n",
    ],
)
def test_what_is_not_valid_is_refused_with_a_reason(text: str) -> None:
    """And never with another kind of error."""
    with pytest.raises((ParseError, BadContent)) as caught:
        read_document(text, "decisions", "use-postgres")

    assert caught.value.message


@given(st.text() | JSON.map(json.dumps) | st.dictionaries(TEXT, JSON).map(json.dumps))
def test_no_text_makes_reading_fail_in_another_way(text: str) -> None:
    """A file in the folder may be anything."""
    try:
        read_document(text, "decisions", "x")
    except RecollectError:
        return


@given(
    st.dictionaries(
        st.sampled_from(["title", "tags", "related_files", "confidence", "changes", "content"]),
        JSON,
        max_size=2,
    )
)
def test_no_value_makes_reading_fail_in_another_way(changes: dict[str, Any]) -> None:
    """Nor any value where another belongs."""
    try:
        found = read(**changes)
    except RecollectError:
        return
    assert 1 <= len(found.summary) <= 100


def test_categories_and_folders() -> None:
    """The plugin's own names, and singulars for what it does not have."""
    names = {kind.name: category_of(kind.name) for kind in KINDS}

    assert names == {
        "decisions": "decision",
        "preferences": "preference",
        "constraints": "constraint",
        "runbooks": "runbook",
        "tech-debt": "tech_debt",
        "sessions": "session_summary",
        "learnings": "learning",
        "patterns": "pattern",
        "solutions": "solution",
        "research": "research",
        "reviews": "review",
        "retrospective": "retrospective",
        "inception": "inception",
        "elicitation": "elicitation",
        "progress": "progress",
        "blockers": "blocker",
        "notes": "note",
        "facts": "fact",
    }
    assert all(folder_of(kind.name) == kind.name for kind in KINDS)
    assert folder_of("../../etc") == "etc"


def memory(number: int, slug: str = "use-postgres", **fields: Any) -> Memory:
    """A decision; a greater number is a younger one."""
    uid = make_uid(number, 0xABCDE)
    return Memory(uid, "", "decisions", fields.pop("summary", "A"), slugs=(slug,), **fields)


def test_the_younger_of_two_equal_names_gets_a_tail() -> None:
    """Whatever the order in which they come."""
    old, young = memory(1), memory(2)

    names = file_names([young, old])

    assert names[old.uid] == "decisions/use-postgres.json"
    assert names[young.uid] == f"decisions/use-postgres-{young.uid[-4:].lower()}.json"


@given(
    st.lists(st.tuples(st.integers(0, 30), st.sampled_from(["a", "a-b", "x" * 80, "Ä b", ""]))),
    st.sets(st.integers(4, 26)),
)
def test_every_memory_has_a_file_of_its_own(
    drawn: list[tuple[int, str]], lengths: set[int]
) -> None:
    """Also where somebody took every name it could have."""
    them = list({m.uid: m for m in (memory(n, slug) for n, slug in drawn)}.values())
    taken = {f"decisions/a-{m.uid[-n:].lower()}.json" for m in them for n in lengths}

    names = file_names(them, taken | {"decisions/a.json"})

    assert len(set(names.values())) == len(them)
    assert not taken & set(names.values())
    assert all(is_slug(path[len("decisions/") : -len(".json")]) for path in names.values())


def test_the_page_lists_what_is_active_in_order() -> None:
    """By the name of the category, then by title, whatever its case."""
    rows = {
        "decisions/b.json": Row("decision", "beta", ("x", "y"), True),
        "decisions/a.json": Row("decision", "Alpha", ("untagged",), True),
        "constraints/c.json": Row("constraint", "Zulu", (), True),
        "decisions/old.json": Row("decision", "Old", ("x",), False),
    }

    lines = render_index(rows, ".claude/memory").splitlines()

    assert lines[0] == "# Memory Index"
    assert lines[2].startswith("<!--")
    assert lines[4:] == [
        "- [CONSTRAINT] Zulu -> .claude/memory/constraints/c.json",
        "- [DECISION] Alpha -> .claude/memory/decisions/a.json #tags:untagged",
        "- [DECISION] beta -> .claude/memory/decisions/b.json #tags:x,y",
    ]


_LINE = re.compile(r"^- \[([A-Z_]+)\] (.+?) -> (\S+)(?:\s+#tags:(.+))?$")


@given(st.lists(st.tuples(KIND_NAMES, TEXT, st.lists(TEXT, max_size=2)), max_size=3))
def test_no_title_can_pose_as_another_line(drawn: list[tuple[str, str, list[str]]]) -> None:
    """Each line of the page is read as the plugin reads it: one memory, and its own file."""
    rows = {
        f"d/{number}.json": Row(category_of(kind), title, tuple(tags), True)
        for number, (kind, title, tags) in enumerate(drawn)
    }

    lines = render_index(rows, "m").split("\n")[4:-1]

    found = [_LINE.match(line) for line in lines]
    assert sorted(match.group(3) for match in found if match) == [f"m/{path}" for path in rows]


def test_a_memory_on_the_page() -> None:
    """What is resolved is active there, what is archived or retired is not listed."""
    shown = {status: row_of(memory(1, status=status)).is_active for status in STATUSES}

    listed = {status for status, is_listed in shown.items() if is_listed}
    assert listed == {"active", "resolved"}


def test_a_title_full_of_marks() -> None:
    """Also marks that only meet once another is gone."""
    rows = {"d/a.json": Row("decision", "a -> b #ta#tags:gs: \u202e\x07c -> -> d", (), True)}

    line = render_index(rows, "m").splitlines()[-1]

    assert line == "- [DECISION] a - b c - - d -> m/d/a.json"

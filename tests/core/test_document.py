"""The document that an agent writes: what is put right, what is refused, and short names."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.core.content import SCHEMAS, content_of_text
from recollect.core.document import Document, check_document, slugify
from recollect.core.fields import check_body, check_fields, check_summary
from recollect.errors import BadContent, UnsafeName, ValidationError
from tests.core.strategies import JSON, TEXT

FACT = {"subject": "the API", "predicate": "runs on", "object": "port 8080"}
KEYS = ["title", "tags", "content", "related_files", "confidence", "changes", "id", "category"]
VALUES = st.one_of(
    JSON,
    st.floats(),
    st.lists(JSON, max_size=3),
    st.lists(TEXT, max_size=3),
    st.dictionaries(st.sampled_from(["summary", "field", "old_value", "date"]), JSON),
    st.just(FACT),
)
MARKS = st.text(st.sampled_from("a-> #tags:,\t\n\u200bÄİ"), max_size=40)


def create(**fields: Any) -> Document:
    """What a new fact with these fields becomes."""
    return check_document("facts", {"title": "A title", "content": FACT, **fields}, creating=True)


def change(**fields: Any) -> Document:
    """What an update with these fields becomes."""
    return check_document("facts", fields, creating=False)


def refusal(kind: str, given_value: Any, *, creating: bool = True) -> BadContent:
    """How this document is refused."""
    with pytest.raises(BadContent) as caught:
        check_document(kind, given_value, creating=creating)
    return caught.value


def test_the_least_document() -> None:
    """A title and content are enough; a memory without tags is marked as such."""
    assert create() == Document(
        summary="A title",
        body="",
        tags=("untagged",),
        content=FACT,
        files=(),
        confidence=None,
        changes=(),
        given=frozenset({"title", "content"}),
    )


def test_an_update_may_say_one_thing() -> None:
    """What was not given is told apart from what was given empty."""
    empty = Document("", "", (), None, (), None, (), frozenset())

    assert change() == empty
    assert change(title=None, tags=None, content=None) == empty
    assert change(tags=[]) == empty._replace(given=frozenset({"tags"}))
    assert change(content={"object": "port 80", "source": None}) == empty._replace(
        content={"object": "port 80", "source": None}, given=frozenset({"content"})
    )


@pytest.mark.parametrize(
    ("given_title", "summary"),
    [
        ("  Use \t uv\n now ", "Use uv now"),
        ("Old -> new -> newest", "Old - new - newest"),
        ("a -> -> b", "a - - b"),
        ("Use uv #tags:a,b", "Use uv a,b"),
        ("Use #ta#tags:gs: uv", "Use uv"),
        ("bell\x07 and\u202e hidden\u200b", "bell and hidden"),
        ("--json is for every command", "--json is for every command"),
    ],
)
def test_a_title_is_put_right(given_title: str, summary: str) -> None:
    """Control characters and the marks of an index page go."""
    document = create(title=given_title)

    assert (document.summary, document.body) == (summary, "")


def test_a_long_title_is_shortened_and_kept_whole_in_the_body() -> None:
    """A summary has a hundred characters."""
    title = "Use PostgreSQL for everything that two workers write at once " * 2

    document = create(title=title)

    assert document.summary == check_summary(document.summary)
    assert document.summary.endswith("…")
    assert document.body == title.strip()
    assert create(title="x" * 100).body == ""


@pytest.mark.parametrize("title", [None, "", " ", "\u200b", "#tags:", 3, ["x"], "x" * 1001])
def test_a_title_must_say_something(title: Any) -> None:
    """One line of text; the refusal says how."""
    error = refusal("facts", {"title": title, "content": FACT})

    assert error.field == "title"
    assert error.fix


@pytest.mark.parametrize(
    ("given_tags", "tags"),
    [
        ("Database", ["database"]),
        (["b", "A", "a", " b "], ["a", "b"]),
        (["a,b", "c->d", "#tags:e", "f g"], ["ab", "cd", "e", "f-g"]),
        ([": >", "-->>", "", " ", ",", "\u200b"], [":"]),
        ([" ", ","], ["untagged"]),
        ([], ["untagged"]),
        ([f"t{number:02}" for number in range(20)], [f"t{number:02}" for number in range(12)]),
        (["x" * 99], ["x" * 60]),
    ],
)
def test_tags_are_put_right(given_tags: Any, tags: list[str]) -> None:
    """One text is a list of one; small letters, no marks, no doubles, sorted, twelve at most."""
    assert list(create(tags=given_tags).tags) == tags


@pytest.mark.parametrize(
    ("confidence", "stored"),
    [(0.5, 0.5), (1, 1.0), (7, 1.0), (-3, 0.0), (float("inf"), 1.0), (10**400, 1.0), (None, None)],
)
def test_confidence_is_kept_within_its_range(confidence: Any, stored: float | None) -> None:
    """Too sure is sure."""
    assert create(confidence=confidence).confidence == stored


@pytest.mark.parametrize(
    ("name", "value", "field"),
    [
        ("confidence", "high", "confidence"),
        ("confidence", True, "confidence"),
        ("confidence", float("nan"), "confidence"),
        ("tags", {"a": 1}, "tags"),
        ("tags", ["a", 3], "tags[1]"),
        ("related_files", 3, "related_files"),
        ("related_files", ["a", None], "related_files[1]"),
        ("related_files", ["a"] * 201, "related_files"),
        ("changes", 3, "changes"),
        ("changes", [{"field": "object"}], "changes[0].summary"),
        ("changes", ["x" * 301], "changes[0].summary"),
        ("changes", [{"summary": "x", "who": "me"}], "changes[0].who"),
        ("content", [], "content"),
        ("contents", FACT, "contents"),
        ("body", "text", "body"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(name: str, value: Any, field: str) -> None:
    """When creating and when updating alike."""
    error = refusal("facts", {"title": "A title", "content": FACT, name: value})

    assert (error.field, len(error.problems)) == (field, 1)
    assert refusal("facts", {name: value}, creating=False).field == field


@pytest.mark.parametrize("given_value", [None, [], "x", 3])
def test_a_document_is_an_object(given_value: Any) -> None:
    """Anything else is refused."""
    assert refusal("facts", given_value).field == "document"
    assert refusal("facts", given_value, creating=False).field == "document"


def test_all_problems_are_told_at_once() -> None:
    """Those of the document and those of its content."""
    error = refusal("facts", {"tags": 3, "content": {"subject": "x"}, "colour": "red"})

    assert [problem.field for problem in error.problems] == [
        "title",
        "tags",
        "content.predicate",
        "content.object",
        "colour",
    ]
    assert refusal("facts", {}).problems[1].field == "content"


def test_what_is_mechanical_is_accepted_and_ignored() -> None:
    """An agent may send a complete document as other tools write it."""
    mechanical = {
        "schema_version": "1.0",
        "category": "decision",
        "id": "something-else",
        "created_at": "1970-01-01T00:00:00Z",
        "updated_at": None,
        "record_status": "retired",
        "times_updated": 99,
        "retired_at": "x",
        "retired_reason": "x",
        "archived_at": "x",
        "archived_reason": "x",
    }

    assert create(**mechanical) == create()


def test_files_are_paths_inside_the_repository() -> None:
    """One text is a list of one; a path that leaves the repository is refused."""
    assert create(related_files=["src/a.py", "b.py", "src/a.py"]).files == ("src/a.py", "b.py")
    assert create(related_files="src/a.py").files == ("src/a.py",)
    for path in ("/etc/passwd", "../x", "-rf", ""):
        with pytest.raises(UnsafeName):
            create(related_files=[path])


def test_changes_are_texts_or_objects_without_a_date() -> None:
    """The date is the ledger's to set; values are kept as text; the newest fifty count."""
    assert create(changes="first").changes == ({"summary": "first"},)
    assert create(
        changes=[
            "one",
            {"date": "2020-01-01", "summary": " two ", "field": "impact", "new_value": ["a", 1]},
            {"summary": "three", "old_value": None, "new_value": False},
        ]
    ).changes == (
        {"summary": "one"},
        {"summary": "two", "field": "impact", "new_value": '["a", 1]'},
        {"summary": "three", "new_value": "false"},
    )
    many = [f"change {number}" for number in range(60)]
    assert [entry["summary"] for entry in create(changes=many).changes] == many[10:]


@given(
    st.sampled_from(sorted(SCHEMAS)),
    JSON | st.dictionaries(st.sampled_from(KEYS) | TEXT, VALUES, max_size=6),
    st.booleans(),
)
@example("facts", {"title": "\ud800", "content": FACT}, True)
def test_no_value_breaks_the_check(kind: str, value: Any, creating: bool) -> None:
    """A document is accepted, or refused with a reason; nothing else happens."""
    try:
        document = check_document(kind, value, creating=creating)
    except ValidationError as error:
        json.dumps(error.as_json(), ensure_ascii=False).encode()
    else:
        assert document.given <= value.keys()


@given(MARKS | TEXT, st.lists(MARKS | TEXT), st.floats(), TEXT)
def test_what_was_put_right_can_be_stored(
    title: str, tags: list[str], confidence: float, reason: str
) -> None:
    """A memory takes every field of an accepted document, and checking again changes nothing."""
    given_fields = {"title": title, "tags": tags, "confidence": confidence, "changes": [reason]}
    try:
        document = create(**given_fields)
    except BadContent:
        return

    assert check_summary(document.summary) == document.summary
    assert check_body(document.body) == document.body
    fields = {"tags": list(document.tags), "confidence": document.confidence}
    assert check_fields(fields) == fields
    again = create(title=document.summary, tags=fields["tags"], changes=list(document.changes))
    assert (again.summary, again.tags, again.changes) == (
        document.summary,
        document.tags,
        document.changes,
    )
    assert " -> " not in document.summary
    assert "#tags:" not in document.summary


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_plain_memory_makes_a_document(kind: str) -> None:
    """What a plain text stands for can be written as typed content."""
    content = content_of_text(kind, "Use uv", "It locks.")

    assert check_document(kind, {"title": "Use uv", "content": content}, creating=True).content


def test_a_kind_without_content_has_no_documents() -> None:
    """It is refused, whatever is sent."""
    assert refusal("notes", {}).field == "kind"


# Short names


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Use PostgreSQL for persistence", "use-postgresql-for-persistence"),
        ("  Über-große  Änderung!  ", "uber-groe-anderung"),
        ("C# & .NET 8", "c-net-8"),
        ("ﬁne print", "fine-print"),
        ("a", "a"),
    ],
)
def test_a_slug_is_the_title_in_plain_letters(title: str, slug: str) -> None:
    """Accents go, everything else becomes a dash."""
    assert slugify(title) == slug


@pytest.mark.parametrize("title", ["漢字", "Нельзя", "2026", "🎉", "", "\ud800"])
def test_a_title_without_plain_letters_gets_a_slug_of_its_own(title: str) -> None:
    """It depends on the title alone, not on its case or its blanks."""
    assert re.fullmatch("memory-[0-9a-f]{8}", slugify(title))
    assert slugify(f" {title.upper()}\n") == slugify(title)
    assert slugify("漢字") != slugify("漢")


@given(st.text(), st.text("aB1é-_ 漢", max_size=200))
@example("a" * 79 + " b", "-" * 100 + "a")
def test_every_slug_has_the_form_of_one(one: str, other: str) -> None:
    """Whatever the title, and always the same."""
    for title in (one, other, one + other):
        slug = slugify(title)
        assert re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,78}[a-z0-9])?", slug)
        assert slugify(title) == slug == slugify(slug)

"""Fields: what is accepted, and what a refusal says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.fields import (
    FIELDS,
    MAX_BODY_BYTES,
    MAX_QUESTIONS,
    add_questions,
    check_body,
    check_fields,
    check_path,
    check_revision,
    check_summary,
)
from recollect.errors import UnsafeName, ValidationError


@pytest.mark.parametrize(
    "summary", ["", "   ", "x" * 101, "two\nlines", "a\rb", "a\x00b", "a\u2028b"]
)
def test_bad_summaries_are_refused(summary: str) -> None:
    """A summary is 1 to 100 characters on one line."""
    with pytest.raises(ValidationError):
        check_summary(summary)


def test_a_summary_of_a_hundred_characters_passes() -> None:
    """The limit itself is fine, counted in characters, not bytes."""
    assert check_summary("é" * 100) == "é" * 100


@pytest.mark.parametrize(
    "body", ["x" * (MAX_BODY_BYTES + 1), "é" * (MAX_BODY_BYTES // 2 + 1), "a\0b", "\ud800"]
)
def test_bad_bodies_are_refused(body: str) -> None:
    """At most 100 KB of text that has a UTF-8 form and no NUL."""
    with pytest.raises(ValidationError):
        check_body(body)


@pytest.mark.parametrize(
    "path", ["", "-rf", "/etc/passwd", "C:/x", "\\\\x", "../x", "a/../b", "a\0b", "a\nb"]
)
def test_unsafe_paths_are_refused(path: str) -> None:
    """Paths are relative, inside the repository, and cannot be taken for options."""
    with pytest.raises(UnsafeName):
        check_path(path)


@pytest.mark.parametrize(
    "revision", ["", "-x", "--all", "/x", "a..b", "a b", "a\0b", "x;y", "$(x)", "a:b"]
)
def test_unsafe_revisions_are_refused(revision: str) -> None:
    """A revision is never an option, a range or a path."""
    with pytest.raises(UnsafeName):
        check_revision(revision)


@pytest.mark.parametrize(
    "revision", ["HEAD", "HEAD~2", "v1.0", "feat/x", "abc1234", "HEAD@{1}", "main^2"]
)
def test_ordinary_revisions_pass(revision: str) -> None:
    """What people type works."""
    assert check_revision(revision) == revision


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("tags", "not-a-list"),
        ("tags", [f"t{n}" for n in range(13)]),
        ("tags", ["a,b"]),
        ("tags", [3]),
        ("importance", 1.5),
        ("importance", True),
        ("importance", "high"),
        ("confidence", -0.1),
        ("sensitivity", "classified"),
        ("concepts", ["vibes"]),
        ("observation_type", "guess"),
        ("ttl", 0),
        ("ttl", 1.5),
        ("files_modified", ["/abs"]),
        ("provenance", "me"),
        ("spec", "a\x00"),
        ("unheard_of", 1),
    ],
)
def test_bad_fields_are_refused_by_name(field: str, value: object) -> None:
    """The error says which field, and what it takes."""
    with pytest.raises(ValidationError) as caught:
        check_fields({field: value})

    assert caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("days", [0.00001, 1.5, 0, 36_501, True, "7"])
def test_a_lifetime_is_whole_days(days: object) -> None:
    """The error says what it takes."""
    with pytest.raises(ValidationError, match="a whole number of days from 1 to 36,500"):
        check_fields({"ttl": days})


def test_tags_are_lower_case_and_unique() -> None:
    """Tags are normalised, so that they match."""
    assert check_fields({"tags": ["DB", "db", "two words"]}) == {"tags": ["db", "two-words"]}


def test_none_takes_a_field_back() -> None:
    """Every field can be unset."""
    assert check_fields(dict.fromkeys(FIELDS)) == dict.fromkeys(FIELDS)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["one?", "two?", "three?", "four?", "five?", "six?"], "at most 5 questions; 6 were given"),
        (["x" * 151], "at most 150 characters"),
        (["why\x07?"], "at most 150 characters on one line"),
        ([" "], "is empty"),
        ([""], "is empty"),
        ([7], "not text"),
        ("why?", "takes a list"),
        (["\ud800"], "not valid Unicode"),
    ],
)
def test_bad_questions_are_refused(given: object, told: str) -> None:
    """The error names the field, the limit, and what was given."""
    with pytest.raises(ValidationError, match="asked_as") as refused:
        check_fields({"asked_as": given})
    assert told in refused.value.message


def test_questions_are_kept_as_they_are_asked() -> None:
    """Each once, whatever its case, on one line."""
    given = ["Which database?", "which DATABASE?", "  why \n not   SQLite? "]

    assert check_fields({"asked_as": given}) == {"asked_as": ["Which database?", "why not SQLite?"]}
    assert check_fields({"asked_as": []}) == {"asked_as": []}


QUESTION = st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=150)


@given(st.lists(QUESTION, max_size=5), st.lists(QUESTION, max_size=9))
def test_questions_only_grow(known: list[str], new: list[str]) -> None:
    """What a memory has stays, in its order; there is room for five; again changes nothing."""
    kept = check_fields({"asked_as": known})["asked_as"]
    grown = add_questions(kept, new)

    assert grown[: len(kept)] == kept
    assert len(grown) <= MAX_QUESTIONS
    assert {text.casefold() for text in grown} <= {text.casefold() for text in (*kept, *new)}
    assert add_questions(grown, new) == grown
    assert check_fields({"asked_as": grown}) == {"asked_as": grown}

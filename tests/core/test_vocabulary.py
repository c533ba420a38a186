"""Kinds, statuses and fields: what is accepted, and what a refusal says."""

from __future__ import annotations

import pytest

from recollect.core.fields import (
    FIELDS,
    MAX_BODY_BYTES,
    check_body,
    check_fields,
    check_path,
    check_revision,
    check_summary,
)
from recollect.core.kinds import KINDS, find_kind, kind_named
from recollect.core.status import STATUSES, TRANSITIONS, check_transition, find_status, status_named
from recollect.errors import IllegalTransition, UnknownKind, UnsafeName, ValidationError

# Every name that the seed systems use for a kind of memory must lead somewhere.
SIGNAL_MAP = ["decisions", "learnings", "blockers", "solutions", "preferences", "notes"]
CATEGORY_MAP = ["decision", "preference", "constraint", "runbook", "tech_debt", "session_summary"]
NAMESPACES = [
    "inception",
    "elicitation",
    "research",
    "decisions",
    "progress",
    "blockers",
    "reviews",
    "learnings",
    "retrospective",
    "patterns",
]


@pytest.mark.parametrize("name", [*SIGNAL_MAP, *CATEGORY_MAP, *NAMESPACES, "fact", "debt"])
def test_every_name_of_the_seeds_resolves(name: str) -> None:
    """One vocabulary takes in all four."""
    assert find_kind(name) is not None


def test_names_and_aliases_are_unique() -> None:
    """No two kinds answer to one name."""
    names = [name for kind in KINDS for name in (kind.name, *kind.aliases)]

    assert len(names) == len(set(names))


def test_an_unknown_kind_is_refused_with_the_valid_ones() -> None:
    """The error names what can be typed."""
    with pytest.raises(UnknownKind) as caught:
        kind_named("dreams")

    assert all(kind.name in caught.value.hint for kind in KINDS)


@pytest.mark.parametrize("current", STATUSES)
@pytest.mark.parametrize("target", STATUSES)
def test_the_status_machine(current: str, target: str) -> None:
    """Legal steps pass; an illegal one is refused and names the legal ones."""
    if target in TRANSITIONS[current]:
        check_transition(current, target)
        return
    with pytest.raises(IllegalTransition) as caught:
        check_transition(current, target)
    assert all(legal in caught.value.hint for legal in TRANSITIONS[current])


def test_a_blocker_can_be_reopened_and_a_tombstone_is_retired() -> None:
    """Decisions 10 and 14 of the reconciled table."""
    check_transition("resolved", "active")
    assert status_named("tombstone") == "retired"
    assert find_status("from-the-future") == "from-the-future"
    check_transition("from-the-future", "archived")


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


def test_tags_are_lower_case_and_unique() -> None:
    """Tags are normalised, so that they match."""
    assert check_fields({"tags": ["DB", "db", "two words"]}) == {"tags": ["db", "two-words"]}


def test_none_takes_a_field_back() -> None:
    """Every field can be unset."""
    assert check_fields(dict.fromkeys(FIELDS)) == dict.fromkeys(FIELDS)

"""Messages of commits, in the styles of many projects."""

from __future__ import annotations

import pytest

from recollect.importing.commit_message import MOST_BODY, body_of, parse_message, title_of
from tests.support.history import DROPPED, FIXED, REVERTED


@pytest.mark.parametrize(
    ("message", "title"),
    [
        (DROPPED, "Drop support for Python 3.8 in the scheduler"),
        (FIXED, "queue: fix a race between two workers"),
        ("fix(http2): avoid reusing ids (#7)\n", "http2: avoid reusing ids"),
        ("Fixed #123 -- Prevented the loop from ending.", "Prevented the loop from ending"),
        ("[3.2.x] Refs #9 -- Removed the cache.", "Removed the cache"),
        ("perf: the index is now built once", "The index is now built once"),
        ("Better errors\n\nThis patch replaces codes with words.", "Replaces codes with words"),
        (
            "Client eviction\n\nIt has been discussed for long",
            "Client eviction: It has been discussed for long",
        ),
        ("Merge pull request #5 from a/b\n\nRemove the old parser", "Remove the old parser"),
    ],
)
def test_a_title_is_what_the_author_wrote(message: str, title: str) -> None:
    """Types, tickets and numbers go; the area stays."""
    assert title_of(parse_message(message)) == title


def test_a_long_subject_is_cut_at_a_word() -> None:
    """A memory needs a title, and the body has the whole subject."""
    title = title_of(parse_message("Remove " + "every single one of the parsers " * 5))
    assert title.startswith("Remove every single one")
    assert title.endswith("…")
    assert len(title) <= 100


@pytest.mark.parametrize("message", ["Better errors", "wip", "", "\n\n", "x" * 5000, "a: b: c: d"])
def test_no_title_is_made_up(message: str) -> None:
    """What says nothing gives nothing."""
    assert title_of(parse_message(message)) == ""


def test_a_revert_names_what_it_reverts_and_why() -> None:
    """The cause is in the body; it is the title if a number is all that was reverted."""
    message = parse_message(REVERTED)
    assert message.reverts == "cache: keep entries for ever"
    assert message.reverted == "1234567890" * 4
    assert title_of(message) == "Reverted: cache: keep entries for ever"
    assert (
        title_of(parse_message(f'Revert "{REVERTED}')) == "Restored: cache: keep entries for ever"
    )
    bare = parse_message("fix: revert #322\n\nThe default has the same effect now.")
    assert title_of(bare) == "Reverted #322: The default has the same effect now"
    assert "caused an outage" in body_of(message)
    assert "This reverts commit" not in body_of(message)


def test_trailers_and_references_are_no_text() -> None:
    """They say who, not why."""
    assert "Signed-off-by" not in body_of(parse_message(DROPPED))
    assert "Fixes #11" not in body_of(parse_message(FIXED))


def test_a_breaking_change_is_recognized() -> None:
    """By the mark in the subject, and by the footer, whose text is kept."""
    marked = parse_message("feat(api)!: return lists")
    assert marked.is_breaking
    footer = parse_message("feat: x y z\n\nBREAKING CHANGE: clients must\nread lists")
    assert (footer.is_breaking, footer.breaking) == (True, "clients must read lists")


def test_a_body_is_cut_at_a_paragraph() -> None:
    """A memory holds no novel."""
    text = "Remove it\n\n" + "\n\n".join(f"Paragraph {n} " + "word " * 60 for n in range(40))
    body = body_of(parse_message(text))
    assert len(body) <= MOST_BODY
    assert body.startswith("Paragraph 0")
    assert body.endswith("word")

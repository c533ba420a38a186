"""What titles of memories from documents need."""

from __future__ import annotations

import pytest

from recollect.importing.contributor_rules import is_for_contributors, norm_in
from recollect.importing.document_bar import is_lasting, without_numbers
from recollect.importing.sections import plain, sections


@pytest.mark.parametrize(
    ("title", "lasts"),
    [
        ("The Riak backend has been removed as it is no longer maintained (5.1)", True),
        ("Changed: SQS was reverted to `pycurl` from `urllib3` (5.6.0)", True),
        ("Changed: Redis Broker Stability Improvements (5.5.0)", False),
        ("Deprecated: Settings", False),
        ("4.x will be supported until the 1st of August, 2021", False),
        ("The signal will be removed in version 4.0", False),
        (":release-date: 2024-04-17 (5.4.0)", False),
        ("Script: We're lucky if it is twice as fast", False),
        ("CVE-2023-38497: the umask is respected (1.71.1)", True),
    ],
)
def test_a_title_holds_on_any_later_day(title: str, lasts: bool) -> None:
    """And says something about what it names."""
    assert is_lasting("CHANGES.md#1.0#x", title) is lasts


def test_what_came_before_a_release_stays_out() -> None:
    """It asks for feedback, and the release says what became of it."""
    title = "The broker is now restarted by its worker"
    assert is_lasting("CHANGES.md#5.5.0#the-broker", title)
    assert not is_lasting("CHANGES.md#5.5.0rc5#the-broker", title)


def test_titles_that_differ_in_a_version_say_the_same() -> None:
    """The newest holds."""
    older = without_numbers("Celery now requires Python 3.6 and above (5.1)")
    assert older == without_numbers("Celery now requires Python 3.8 and above (5.4)")


@pytest.mark.parametrize(
    ("sentence", "is_norm"),
    [
        ("Wild-card imports must not be used in new modules", True),
        ("The API is more important than its readability", True),
        ("Names should be descriptive and concise in all files", False),
        ("Bugs should be reported to the relevant issue tracker", False),
        ("A balance must be found between them both", False),
        ("Some backends need libraries that the user must install first", False),
    ],
)
def test_what_everybody_wants_is_no_norm(sentence: str, is_norm: bool) -> None:
    """Nor what points at something that is not there."""
    assert (norm_in(sentence) > 0) is is_norm


@pytest.mark.parametrize(
    ("path", "is_theirs"),
    [
        ("runtime/doc/develop.txt", True),
        ("docs/internals/guide.rst", True),
        ("doc/contrib/src/process/llm-usage.md", True),
        ("src/process/spawn.c", False),
        ("doc/peps/process/x.md", False),
    ],
)
def test_guides_for_contributors_are_known_by_their_name(path: str, is_theirs: bool) -> None:
    """By their folder or their name."""
    assert is_for_contributors(path) is is_theirs


def test_a_line_of_capitals_is_a_heading_of_plain_text() -> None:
    """With the tag beside it, which is for machines."""
    text = "Intro.\n\nVIM IS... MAINTAINABLE\t\t\t*design-maintain*\n\n- Use :pep:`8`.\n"
    assert [one.heading for one in sections(text)] == ["", "Vim is... maintainable"]
    assert plain("Use :pep:`8`.") == "Use PEP 8."

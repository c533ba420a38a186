"""Times that a question names, and what they mean."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.search.periods import bounds, is_release
from recollect.search.triggers import find_period

NOW = datetime(2026, 11, 18, 15, 30).timestamp()  # a Wednesday


def days(question: str) -> tuple[str, str] | None:
    """The days between which the time of a question lies; empty where it has no end."""
    found = bounds(find_period(question), NOW)
    if found is None:
        return None
    begin, end = (
        f"{datetime.fromtimestamp(at):%Y-%m-%d}" if 0 < at < 2 * NOW else "" for at in found
    )
    return begin, end


@pytest.mark.parametrize(
    ("question", "begin", "end"),
    [
        ("what did we do yesterday?", "2026-11-17", "2026-11-18"),
        ("What broke today", "2026-11-18", "2026-11-19"),
        ("what broke this week", "2026-11-16", "2026-11-19"),
        ("what broke LAST WEEK", "2026-11-09", "2026-11-16"),
        ("caching this month", "2026-11-01", "2026-11-19"),
        ("caching last month", "2026-10-01", "2026-11-01"),
        ("caching last quarter", "2026-07-01", "2026-10-01"),
        ("what we decided last year", "2025-01-01", "2026-01-01"),
        ("the last 10 days", "2026-11-08", "2026-11-19"),
        ("in the past two weeks", "2026-11-04", "2026-11-19"),
        ("3 days ago", "2026-11-15", "2026-11-16"),
        ("two weeks ago", "2026-11-01", "2026-11-08"),
        ("decisions in May", "2026-05-01", "2026-06-01"),
        ("decisions in december", "2025-12-01", "2026-01-01"),
        ("decisions in May 2024", "2024-05-01", "2024-06-01"),
        ("in 2024", "2024-01-01", "2025-01-01"),
        ("on 2026-05-03", "2026-05-03", "2026-05-04"),
        ("during 2026-02", "2026-02-01", "2026-03-01"),
        ("before May", "", "2026-05-01"),
        ("since last week", "2026-11-09", ""),
        ("since June", "2026-06-01", ""),
        ("after 2026-05-03", "2026-05-04", ""),
        ("until yesterday", "", "2026-11-18"),
        ("in Auguſt", "2026-08-01", "2026-09-01"),  # a long s is an s without case
        ("ſix days ago", "2026-11-12", "2026-11-13"),
    ],
)
def test_times_are_local_days(question: str, begin: str, end: str) -> None:
    """Yesterday ends where today begins, and a week begins on a Monday."""
    assert days(question) == (begin, end)


@pytest.mark.parametrize(
    "question",
    [
        "this may break the build",
        "the last may be wrong",
        "the last 5 commits",
        "since we moved",
        "in time",
        "before lunch",
        "port 2026 is taken",
        "on 2026-13-40",
        "",
        "weekly report",
    ],
)
def test_what_names_no_time(question: str) -> None:
    """Words that look like one do not count."""
    assert find_period(question) == ""


RELEASES = {"v1.0.0": 100.0, "v2.0.0": 200.0, "v2.1.0": 300.0, "nightly": 900.0}


@pytest.mark.parametrize(
    ("question", "begin", "end"),
    [
        ("what changed since v2?", 200.0, None),
        ("what changed since version 2.1", 300.0, None),
        ("what changed after v1", 100.0, None),
        ("what was open before the release", 0.0, 300.0),
        ("what was open since the last release", 300.0, None),
        ("until v2.1.0", 0.0, 300.0),
    ],
)
def test_a_release_is_a_tag(question: str, begin: float, end: float | None) -> None:
    """The first tag of that version; without one, the newest that is a version."""
    period = find_period(question)
    found = bounds(period, NOW, RELEASES)

    assert is_release(period)
    assert found is not None
    assert found[0] == begin
    assert found[1] == end or (end is None and found[1] > NOW)


def test_a_release_that_nobody_tagged_is_unknown() -> None:
    """Neither does a repository without tags know one."""
    assert bounds("since v9", NOW, RELEASES) is None
    assert bounds("before the release", NOW, {"nightly": 1.0}) is None
    assert bounds("since v2", NOW) is None


@given(st.text(max_size=80), st.sampled_from(["since ", "in ", "last ", "before v", "20", ""]))
def test_any_text_is_a_legal_question(text: str, lead: str) -> None:
    """What is found is part of the text, and has a beginning before its end."""
    period = find_period(f"{lead}{text}")

    assert period in f"{lead}{text}"
    found = bounds(period, NOW, RELEASES)
    assert found is None or found[0] < found[1]

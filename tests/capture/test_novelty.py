"""The same thing said twice is one thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.novelty import (
    DUPLICATE,
    NEAR,
    NEW,
    SUPERSEDES,
    Known,
    fingerprint,
    judge,
    said_in,
)

DECISION = "We decided to use PostgreSQL for persistence because two workers write at once"


@pytest.mark.parametrize(
    ("known", "text", "verdict"),
    [
        ("Redis for the cache", "Redis for the sessions", NEW),
        ("Redis for the cache", "Memcached, not Redis, for the cache", SUPERSEDES),
        ("Use Redis for the cache", "We decided to use Redis for the cache", DUPLICATE),
        ("Use Redis for the cache", "use redis for the cache!", DUPLICATE),
        ("Use Redis for the cache", "Use Redis for the cache because it is fast", NEAR),
        ("Use Redis for the cache because it is fast", "Use Redis for the cache", DUPLICATE),
        ("Use Redis for the cache", "Use Redis for the cache in staging", NEAR),
        ("Use Redis for the cache in staging", "Use Redis for the cache", NEW),
        ("Use Redis for the cache", "Use Redis for sessions, not for the cache", SUPERSEDES),
        ("Use Redis for the cache", "Do not use Redis for the sessions", NEW),
        ("Use Redis for the cache", "Do not use Redis for the cache", SUPERSEDES),
        ("Use Redis for the cache", "We no longer use Redis for the cache", SUPERSEDES),
        ("Use Redis for the cache", "Redis is used for the cache", DUPLICATE),
        ("Use Redis for the cache", "For the cache use Redis", DUPLICATE),
        ("Use Redis for the cache", "Use Memcached for the cache", SUPERSEDES),
        ("Use Redis for the cache", "Use Memcached instead of Redis for the cache", SUPERSEDES),
        (
            "Use Redis for the cache",
            "We switched from Redis to Memcached for the cache",
            SUPERSEDES,
        ),
        ("Use Redis for the cache", "Use Redis for the queue", NEW),
        ("Use Redis for the cache", "The cache is cleared at midnight", NEW),
        (
            "Use tabs, not spaces, in Python files",
            "Use spaces, not tabs, in Python files",
            SUPERSEDES,
        ),
        ("Use tabs in Python, spaces in Makefiles", "Use spaces in Python, tabs in Makefiles", NEW),
        ("Never retry payments", "Retry payments", SUPERSEDES),
        ("Retry payments", "Never retry payments", SUPERSEDES),
        ("Do not deploy the shop on Friday", "Do deploy the shop on Friday", SUPERSEDES),
        ("Do not deploy the shop on Friday", "Don't deploy the shop on Fridays", DUPLICATE),
        ("Do not deploy the shop on Friday", "Do not deploy the shop on Monday", NEW),
        ("The retry limit is 3", "The retry limit is 5", SUPERSEDES),
        ("The retry limit is 3", "The retry limit is 3", DUPLICATE),
        ("The timeout is 30 seconds", "The timeout is 60 seconds", SUPERSEDES),
        ("Berth 1 belongs to ship 7", "Berth 2 belongs to ship 14", NEW),
        ("Berth 1 is blue", "Berth 2 is blue", NEW),
        ("We support Node 16", "We support Node 18", NEW),
        ("Run the linter before the tests", "Run the linter after the tests", SUPERSEDES),
        (
            "Enable the feature flag for beta users",
            "Disable the feature flag for beta users",
            SUPERSEDES,
        ),
        ("Turn the cache on in staging", "Turn the cache off in staging", SUPERSEDES),
        ("Run the linter before committing", "Run the tests before committing", NEW),
        (
            "The staging database is wiped every night",
            "The staging database is wiped every night at 02:00 UTC",
            NEAR,
        ),
        (
            "The staging database is wiped every night",
            "The production database is wiped every night",
            NEW,
        ),
        ("Deploys on Friday", "Deploys on Friday are forbidden", SUPERSEDES),
        (
            "Releases are signed on the CI machine",
            "Releases are signed on the CI machine only",
            NEAR,
        ),
        ("Ada owns the billing service", "Bob owns the billing service", NEW),
        ("Ada owns the billing service", "Ada owns the shipping service", NEW),
        (
            "We decided to use PostgreSQL for persistence because two workers write at once",
            "use PostgreSQL for persistence because two workers write at once",
            DUPLICATE,
        ),
        (
            "We decided to use PostgreSQL for persistence because two workers write at once",
            "We decided to use SQLite for persistence because one worker writes at once",
            SUPERSEDES,
        ),
        (
            "We decided to use PostgreSQL for persistence because two workers write at once",
            "Deploys happen on Tuesday mornings",
            NEW,
        ),
        ("Commit messages are in English", "Commit messages are in German", NEW),
        ("Prefer small functions", "Prefer small classes", NEW),
        ("Always run the formatter", "Run the formatter", DUPLICATE),
        ("Always run the formatter", "Never run the formatter", SUPERSEDES),
        ("Use uv for Python environments", "Always use uv for Python environments", DUPLICATE),
        ("Always use uv for Python environments", "use uv for Python", DUPLICATE),
        ("Use uv, not pip", "Use pip, not uv", SUPERSEDES),
        ("Use uv, not pip", "Use uv, not poetry", NEW),
        ("Invoices are immutable", "Invoices are mutable", SUPERSEDES),
        ("The API is rate-limited", "The API is not rate-limited", SUPERSEDES),
        ("The API is rate-limited", "The API is rate-limited to 10 requests per second", NEAR),
        (
            "The API is rate-limited to 10 requests per second",
            "The API is rate-limited to 20 requests per second",
            SUPERSEDES,
        ),
        ("Prices are stored in cents", "Prices are stored in euros", NEW),
        (
            "Prices are stored in cents as integers, never as floats",
            "Prices are stored as floats",
            NEW,
        ),
        ("Chose Kafka over RabbitMQ", "Chose RabbitMQ over Kafka", SUPERSEDES),
        ("Use four spaces for indentation", "Use two spaces for indentation", SUPERSEDES),
        (
            "Feature branches are merged with squash",
            "Feature branches are merged with a merge commit",
            NEW,
        ),
        ("Tests must pass before a merge", "Tests must pass before a release", NEW),
        (
            "QA signs off before each release",
            "QA signs off before each release. Product does too.",
            NEAR,
        ),
        (
            "QA signs off before each release\nSince the outage.",
            "QA signs off before each release",
            DUPLICATE,
        ),
        ("The queue is drained at night", "At night the queue is drained", DUPLICATE),
        ("Log in UTC", "Log in local time", NEW),
        ("Only Ada merges to main", "Ada merges to main", NEW),
        (DECISION, DECISION.upper() + "!!", DUPLICATE),
        (DECISION, "", NEW),
    ],
)
def test_what_a_text_is_to_a_known_one(known: str, text: str, verdict: str) -> None:
    """Another object, number, denial or order is never taken for the same."""
    assert judge(text, [Known("d", known)]).verdict == verdict


@pytest.mark.parametrize(
    ("known", "text", "is_sure"),
    [
        ("Redis for the cache", "Memcached, not Redis, for the cache", True),
        ("Never retry payments", "Retry payments", True),
        ("The retry limit is 3", "The retry limit is 5", True),
        ("Use Redis for the cache", "Use Memcached for the cache", False),
    ],
)
def test_only_what_denies_is_sure_to_reverse(known: str, text: str, is_sure: bool) -> None:
    """Another choice may be meant to stand beside the first."""
    found = judge(text, [Known("d", known)])

    assert (found.verdict, found.like, found.is_sure) == (SUPERSEDES, "d", is_sure)


def test_the_most_similar_one_counts() -> None:
    """It is the one to update."""
    known = [Known("far", "Nothing of the kind"), Known("near", DECISION)]

    assert judge("We use PostgreSQL for persistence; workers write", known).like == "near"


def test_nothing_known_means_new() -> None:
    """An empty ledger knows nothing."""
    assert judge(DECISION, []).verdict == NEW


def test_what_the_documents_say_is_not_news() -> None:
    """One sentence must say it; the words of a whole page prove nothing."""
    page = "# Rules\n\n- Always run the tests with pytest before a commit.\n- Be brief.\n"

    assert said_in("Always run tests with pytest before committing a commit", page) is False
    assert said_in("Run the tests with pytest before a commit", page)
    assert not said_in("Be brief with pytest rules", page)


@given(st.text())
def test_a_text_is_its_own_duplicate(text: str) -> None:
    """Any text; and its fingerprint does not depend on case or punctuation."""
    assert fingerprint(text) == fingerprint(f" {text} ")
    if judge(text, [Known("same", text)]).similarity:
        assert judge(text, [Known("same", text)]).verdict == DUPLICATE


_OBJECTS = st.sampled_from(
    ["cache", "queue", "sessions", "search", "mail", "billing", "exports", "uploads"]
)
_TOOLS = st.sampled_from(["Redis", "Memcached", "Kafka", "SQLite", "Postgres", "Elastic"])


@given(_TOOLS, _OBJECTS, _TOOLS, _OBJECTS)
def test_a_decision_is_known_only_with_its_tool_and_its_object(
    tool: str, what: str, other_tool: str, other: str
) -> None:
    """However alike two decisions look."""
    known = [Known("d", f"Use {tool} for the {what}")]
    found = judge(f"We use {other_tool} for the {other}", known)

    same = (tool, what) == (other_tool, other)
    assert (found.verdict == DUPLICATE) is same
    assert found.verdict != NEAR


@given(_TOOLS, _OBJECTS, st.sampled_from(["Do not use", "Never use", "We no longer use", "Avoid"]))
def test_a_denial_reverses(tool: str, what: str, denial: str) -> None:
    """In both directions."""
    one, other = f"Use {tool} for the {what}", f"{denial} {tool} for the {what}"

    assert judge(other, [Known("d", one)]).verdict == SUPERSEDES
    assert judge(one, [Known("d", other)]).verdict == SUPERSEDES


@given(st.integers(0, 999), st.integers(0, 999))
def test_another_number_is_never_the_same(one: int, other: int) -> None:
    """Nor is it a detail of the same memory."""
    found = judge(f"The pool has a size of {other}", [Known("d", f"The pool has a size of {one}")])

    assert found.verdict == (DUPLICATE if one == other else SUPERSEDES)


@given(_TOOLS, _OBJECTS, _OBJECTS)
def test_more_about_the_same_is_near(tool: str, what: str, reason: str) -> None:
    """A reason, for example; without it, there is nothing new."""
    short, long = f"Use {tool} for the {what}", f"Use {tool} for the {what} because of the {reason}"

    assert judge(long, [Known("d", short)]).verdict in (NEAR, DUPLICATE)
    assert judge(short, [Known("d", long)]).verdict == DUPLICATE

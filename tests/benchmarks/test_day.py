"""The working days are complete, and the score counts what it says it counts."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from benchmarks.day.acting import Agent
from benchmarks.day.history import make_history
from benchmarks.day.playing import Injected, PlayedDay, PlayedTurn, memories_in
from benchmarks.day.scoring import junk_reason, score_day
from benchmarks.day.scripts import HELD_OUT, TUNING, BadDay, Day, all_days, read_day
from tests.realclient.api import Request

DAYS = [read_day(path) for path in all_days()]
RESUMED = """
[project]
name = "small"
about = "Small."
[[session]]
about = "cache"
[[session.turn]]
user = "The cache is in Redis, in case anybody asks."
[[session]]
about = "cache"
resume = 1
[[session.turn]]
user = "Where is the cache?"
needs = ["redis"]
[fact.redis]
words = "redis"
said = "1.1"
"""
SMALL = """
[project]
name = "small"
about = "Small."
[[session]]
about = "cache"
[[session.turn]]
user = "The cache is in Redis."
[[session.turn]]
user = "Prices are cents, please remember."
[[session]]
about = "cache"
[[session.turn]]
user = "I changed my mind: the cache is in Memcached."
[fact.redis]
words = "redis"
said = "1.1"
until = "2.1"
draft = "The cache is in Redis"
[fact.cents]
words = "cents"
said = "1.2"
draft = "Prices are cents"
[fact.memcached]
words = "memcached"
said = "2.1"
[[wrong]]
words = "redis"
since = "2.1"
"""


@pytest.fixture
def small(tmp_path: Path) -> Day:
    """A day with a reversal."""
    path = tmp_path / "01-small.toml"
    path.write_text(SMALL)
    return read_day(path)


def test_days_are_numbered_and_in_two_halves() -> None:
    """No number is missing or used twice; there are days to tune on and days to judge with."""
    assert [day.number for day in DAYS] == list(range(1, len(DAYS) + 1))
    assert {day.split for day in DAYS} == {TUNING, HELD_OUT}


@pytest.mark.parametrize("day", DAYS, ids=lambda day: day.name)
def test_a_day_has_what_days_have(day: Day) -> None:
    """Sessions, wishes, needs, a failure with its fix, and something that nobody should keep."""
    turns = [turn for session in day.sessions for turn in session.turns]

    assert 2 <= len(day.sessions) <= 4
    assert sum(fact.is_wish for fact in day.facts) >= 2
    assert sum(len(turn.needs) for turn in turns) >= 4
    assert sum(turn.failures for turn in turns) >= 1
    assert day.never


def test_days_have_reversals_and_mishaps() -> None:
    """In each half somebody changes their mind, a client is killed, and there is a worktree."""
    for split in (TUNING, HELD_OUT):
        days = [day for day in DAYS if day.split == split]
        sessions = [session for day in days for session in day.sessions]
        assert any(fact.until for day in days for fact in day.facts)
        assert {"kill", "kill-in-turn"} <= {session.end for session in sessions}
        assert any(session.worktree for session in sessions)
        assert any(session.resume for session in sessions)


@pytest.mark.parametrize("day", DAYS, ids=lambda day: day.name)
def test_a_history_is_made(day: Day, tmp_path: Path) -> None:
    """Some twenty commits, the same each time, and the day's files are in the last one."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    heads = []
    for name in ("one", "two"):
        repo = tmp_path / name
        repo.mkdir()
        assert 15 <= make_history(repo, day.project, environment) <= 30
        heads.append(subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=repo))
        assert all((repo / path).exists() for path in day.project["files"])

    assert heads[0] == heads[1]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (('said = "2.1"\n[[wrong]]', 'said = "1.1"\n[[wrong]]'), "aren't in the turn"),
        (('draft = "Prices are cents"', 'draft = "Prices are euros"'), "aren't in its draft"),
        (('[[session.turn]]\nuser = "I', "[[session.turn]]\nneeds = ['x']\nuser = \"I"), "no fact"),
        (
            ('[[session.turn]]\nuser = "I', "[[session.turn]]\nneeds = ['redis']\nuser = \"I"),
            "isn't a fact of the past",
        ),
    ],
)
def test_a_wrong_day_is_refused(change: tuple[str, str], complaint: str, tmp_path: Path) -> None:
    """The file is named, and what is wrong in it."""
    path = tmp_path / "01-wrong.toml"
    path.write_text(SMALL.replace(*change))

    with pytest.raises(BadDay, match=complaint):
        read_day(path)


@pytest.mark.parametrize(
    ("kind", "text", "at", "reason"),
    [
        ("decisions", "Redis for the cache", (1, 2), ""),
        ("decisions", "Redis for the cache", (2, 1), "no longer true"),
        ("decisions", "Memcached, not Redis, for the cache", (2, 1), ""),
        ("decisions", "Write tests", (1, 2), "no fact of the day"),
        ("sessions", "We talked about the cache", (1, 2), ""),
        ("sessions", "We had tea", (1, 2), "a summary that says nothing true"),
        ("sessions", "Cache: Redis", (2, 1), "a summary that states what was corrected"),
    ],
)
def test_what_is_junk(kind: str, text: str, at: tuple[int, int], reason: str, small: Day) -> None:
    """What matches no fact, what is no longer true, and summaries that say neither."""
    assert junk_reason(small, Injected("x", kind, "", text), at) == reason


def test_memories_are_read_from_a_block() -> None:
    """With their status, which the frame says."""
    block = (
        '<memory-context source="recollect">\n'
        '<memory id="decisions:5fe23d1:0" kind="decisions" status="unconfirmed">\n'
        "> Prices are cents\n> since March\n</memory>\n</memory-context>"
    )

    assert memories_in(block) == [
        Injected("decisions:5fe23d1:0", "decisions", "unconfirmed", "Prices are cents\nsince March")
    ]


def test_the_agent_drafts_what_it_is_shown(small: Day, tmp_path: Path) -> None:
    """Once, and nothing about the other lines; without such a line, nothing."""
    agent = Agent(small, small.sessions[0], 1, tmp_path)
    agent.answers(2)

    def asked(text: str) -> str:
        body = {"messages": [{"role": "user", "content": f"{text}\nrecollect write drafts"}]}
        return str(agent.rest(Request("main", body)))

    first, again = asked('"prices are cents"\n"write tests"'), asked('"prices are cents"')

    assert "Prices are cents" in first
    assert "Redis" not in first
    assert "tests" not in first
    assert "Nothing in there" in again
    assert agent.asked == 2


@pytest.mark.parametrize(
    ("conversation", "met"),
    [
        ("The cache is in Redis, in case\nanybody asks.\nWhere is the cache?", 1),
        ("Summary: redis was mentioned.\nWhere is the cache?", 0),
        ("", 0),
    ],
)
def test_a_fact_counts_if_its_prompt_is_still_in_the_conversation(
    tmp_path: Path, conversation: str, met: int
) -> None:
    """Hooks don't repeat what the agent reads anyway; a word that is left of it doesn't count."""
    path = tmp_path / "01-small.toml"
    path.write_text(RESUMED)
    turns = [PlayedTurn(session, turn, 0.0) for session in (1, 2) for turn in (0, 1)]
    turns[-1].conversation = conversation
    played = PlayedDay(read_day(path), turns=turns)

    score = score_day(played)

    assert (score.needs, score.needs_met) == (1, met)

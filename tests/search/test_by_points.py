"""The match strategy `title_tags`: points, one of which is enough; kind and age break ties."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.errors import BadConfig
from tests.sandbox import Sandbox
from tests.support.agent import Agent

OLD = "2024-01-01T00:00:00Z"


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with one commit."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    return path


def _points(store: Recollect, query: str) -> list[tuple[str, float]]:
    hits = store.search(query, mode="title_tags")
    return [(hit.memory.summary, hit.score) for hit in hits]


def test_title_tags_gives_the_points_of_the_design(sandbox: Sandbox, repo: Path) -> None:
    """A tag 3, a title word 2, both together 5, a prefix of four letters 1; a recent change 1."""
    store = sandbox.open(repo)
    store.capture("notes", "Heron nests", created=OLD, tags=["heron"])
    store.capture("notes", "Heron eggs", created=OLD)
    store.capture("notes", "Reeds", created=OLD, tags=["herons-home"])
    store.capture("notes", "Heron pictures")

    assert _points(store, "heron") == [
        ("Heron nests", 5),
        ("Heron pictures", 3),
        ("Heron eggs", 2),
        ("Reeds", 1),
    ]
    assert _points(store, "her") == []  # too short for a prefix


def test_title_tags_breaks_ties_by_kind_then_by_age(sandbox: Sandbox, repo: Path) -> None:
    """Decisions, constraints, preferences, runbooks, technical debt, sessions, then the rest."""
    store = sandbox.open(repo)
    for kind in ("notes", "tech-debt", "preferences", "decisions", "constraints"):
        store.capture(kind, f"Bittern in {kind}", created=OLD)
    store.capture("decisions", "Bittern again", created="2025-01-01T00:00:00Z")

    assert [summary for summary, _ in _points(store, "bittern")] == [
        "Bittern again",
        "Bittern in decisions",
        "Bittern in constraints",
        "Bittern in preferences",
        "Bittern in tech-debt",
        "Bittern in notes",
    ]


def test_hooks_use_title_tags_too(sandbox: Sandbox, repo: Path) -> None:
    """One point is enough for a prompt; a word of the body gives none."""
    store = sandbox.open(repo)
    store.capture("decisions", "Ospreys nest on masts", "They like cormorants.")
    store.close()
    env = {"RECOLLECT_RECALL_MATCH_STRATEGY": "title_tags"}

    for session, prompt, has in (
        ("s1", "what about ospr", True),
        ("s2", "and the cormorants then?", False),
    ):
        said = Agent(repo, session).context("prompt", env, prompt=prompt)
        assert ("Ospreys nest on masts" in said) is has, prompt


def test_max_inject_is_0_to_20(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0 injects nothing; more than 20 is refused."""
    store = sandbox.open(repo)
    store.capture("decisions", "Ospreys nest on masts")
    store.close()
    env = {"RECOLLECT_RECALL_MATCH_STRATEGY": "title_tags"}
    nothing = {**env, "RECOLLECT_INJECT_PROMPT_MEMORIES": "0"}

    assert Agent(repo, "s1").context("prompt", nothing, prompt="ospreys") == ""
    assert "Ospreys" in Agent(repo, "s1").context("prompt", env, prompt="ospreys")
    monkeypatch.setenv("RECOLLECT_INJECT_PROMPT_MEMORIES", "21")
    with pytest.raises(BadConfig, match="from 0 to 20"):
        sandbox.open(repo)

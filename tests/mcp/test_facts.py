"""Facts as agents store and read them: what a result says is so, and a fact stays a fact."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.engine.server import Engine
from tests.mcp.calls import ask, refuse
from tests.sandbox import Sandbox

PORT: dict[str, Any] = {"subject": "web", "predicate": "port", "object": "80"}


@pytest.fixture
def engine(repo: Path) -> Iterator[Engine]:
    """An engine in a repository that knows nothing."""
    engine = Engine(repo, dict(os.environ))
    yield engine
    engine.stop()


def test_what_a_known_fact_does_not_take_is_told_and_the_way_works(engine: Engine) -> None:
    """Deleted and stored again, all of it is kept."""
    ask(engine, "store_fact", **PORT, confidence=0.5)
    more = ask(engine, "store_fact", **PORT, confidence=0.9)
    assert (more["done"], more["confidence"], more["added"]) == ("updated", 0.9, ["confidence"])
    less = ask(engine, "store_fact", **PORT, confidence=0.2, valid_until="2099-01-01")
    assert (less["done"], less["confidence"]) == ("known already", 0.9)
    for part in ("confidence=0.2", "valid_until=2099-01-01T00:00:00Z", "delete_memory(id)"):
        assert part in less["note"]

    ask(engine, "delete_memory", id=less["id"])
    again = ask(engine, "store_fact", **PORT, confidence=0.2, valid_until="2099-01-01")
    assert (again["done"], again["confidence"]) == ("stored", 0.2)
    assert "note" not in again


def test_a_mistaken_fact_deleted_leaves_what_it_closed(engine: Engine) -> None:
    """Queries and searches both find it."""
    ask(engine, "store_fact", **PORT, valid_from="2020-01-01")
    wrong = ask(engine, "store_fact", **{**PORT, "object": "8080"})
    assert [line["object"] for line in wrong["closed"]] == ["80"]
    ask(engine, "delete_memory", id=wrong["id"])

    assert [line["object"] for line in ask(engine, "query_facts")["facts"]] == ["80"]
    found = ask(engine, "search_memories", query="web port", kind="facts")["memories"]
    assert [line["summary"] for line in found] == ["web port 80"]


def test_few_of_many_closed_facts_are_listed(engine: Engine) -> None:
    """With how many there are; all of them are closed."""
    for number in range(12):
        ask(engine, "store_fact", **{**PORT, "object": str(number)}, replaces=False)
    final = ask(engine, "store_fact", **PORT, replaces=True)

    assert len(final["closed"]) == 10
    assert final["closed_total"] == 12
    assert ask(engine, "query_facts")["total"] == 1
    assert ask(engine, "query_facts", history=True)["total"] == 13


def test_the_words_of_a_fact_cannot_part_from_what_it_says(engine: Engine) -> None:
    """What search finds is what queries find; everything else about it may change."""
    fact = ask(engine, "store_fact", **PORT)
    name = {"id": fact["id"], "if_version": fact["version"]}
    for change in ({"summary": "web port 81"}, {"body": "It is 81."}):
        assert "store_fact" in refuse(engine, "update_memory", **name, **change)

    done = ask(engine, "update_memory", **name, summary="web port 80", tags=["network"])
    assert done["done"] == "updated"
    assert ask(engine, "get_memory", id=fact["id"])["tags"] == ["network"]


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("store_memory", {"summary": "web port 80"}),
        ("write_memory", {"document": {"title": "web port 80", "content": {}}}),
        ("find_candidate", {"new_info": "web port 80"}),
    ],
)
@pytest.mark.parametrize("kind", ["facts", "fact"])
def test_other_tools_lead_to_the_one_for_facts(
    engine: Engine, repo: Path, sandbox: Sandbox, kind: str, tool: str, more: dict[str, Any]
) -> None:
    """What they would store no query finds."""
    said = refuse(engine, tool, kind=kind, **more)

    assert "store_fact" in said
    assert "store_memory" not in said
    assert sandbox.open(repo).memories(kind="facts") == []


@pytest.mark.parametrize("since", ["1d", "2 weeks ago", "HEAD"])
def test_a_beginning_is_written_like_any_moment(engine: Engine, since: str) -> None:
    """What `at` takes, `valid_from` takes."""
    stored = ask(engine, "store_fact", **PORT, valid_from=since)

    assert stored["done"] == "stored"
    assert ask(engine, "query_facts")["total"] == 1
    assert "2026-08-23, 30d or HEAD~3" in refuse(
        engine, "store_fact", **PORT, valid_from="next tuesday"
    )


def test_boundaries_of_a_session_are_facts(engine: Engine) -> None:
    """They are found by their session or their predicate; no memory holds them."""
    engine.with_stores(
        lambda stores: stores.store.local.episodes.mark("s9", "auth login", 1_700_000_000.0, 4)
    )

    (fact,) = ask(engine, "query_facts", subject="session:s9")["facts"]
    assert (fact["predicate"], fact["object"]) == ("boundary_at", "2023-11-14T22:13:20Z auth login")
    assert "id" not in fact
    assert ask(engine, "query_facts", predicate="boundary_at")["total"] == 1
    assert ask(engine, "query_facts")["total"] == 0


def test_get_timeline_takes_a_project(engine: Engine, repo: Path, sandbox: Sandbox) -> None:
    """By its name or its path; your own memories belong to none."""
    ask(engine, "store_memory", kind="notes", summary="Of the project")
    with recollect.open(repo, mine=True) as mine:
        mine.capture("preferences", "Of the person")

    def summaries(**given: str) -> list[str]:
        return [one["summary"] for one in ask(engine, "get_timeline", **given)["memories"]]

    assert set(summaries()) == {"Of the project", "Of the person"}
    assert summaries(project=repo.name) == ["Of the project"]
    assert summaries(project=str(repo)) == ["Of the project"]
    assert summaries(project="another") == []


def test_redaction_is_told_to_an_agent(engine: Engine) -> None:
    """In the result of the tool that wrote."""
    token = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    said = ask(engine, "store_memory", kind="notes", summary=f"The token is {token}")

    assert said["warnings"] == ["Redacted or reported: github-token"]
    assert "warnings" not in ask(engine, "store_memory", kind="notes", summary="Nothing to see")

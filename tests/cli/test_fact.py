"""Facts on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recollect.api.recollect import Recollect
from recollect.cli import root
from tests.sandbox import Sandbox


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a commit."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    return path


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory."""
    return sandbox.open(repo)


def run(repo: Path, *args: str) -> str:
    """A command that must succeed; what it prints."""
    said = CliRunner().invoke(root, ["-C", str(repo), *args])
    assert said.exit_code == 0, said.output
    return said.stdout


def as_json(repo: Path, *args: str) -> Any:
    """What a command prints as JSON."""
    return json.loads(run(repo, *args, "--json"))


def test_fact_add_and_query(repo: Path, store: Recollect) -> None:
    """The same fact as that of the MCP tools and of Python, once."""
    first = run(repo, "fact", "add", "cart", "depends on", "redis", "--confidence", "0.9").strip()
    assert run(repo, "fact", "add", "Cart", "depends_on", "Redis").strip() == first
    run(repo, "fact", "add", "cart", "owner", "Ann")
    closed = as_json(repo, "fact", "add", "cart", "owner", "Bob")
    assert [one["object"] for one in closed["closed"]] == ["Ann"]

    assert [
        (f.fact.object, f.fact.memory.confidence) for f in store.query_facts("cart", "depends on")
    ] == [("redis", 0.9)]
    assert "cart owner Bob" in run(repo, "fact", "query", "--subject", "cart")
    assert "Ann" not in run(repo, "fact", "query", "--subject", "cart")
    assert "Ann" in run(repo, "fact", "query", "--predicate", "owner", "--history")
    assert [f["subject"] for f in as_json(repo, "fact", "query", "--object", "redis")] == ["cart"]
    assert as_json(repo, "fact", "query", "--object", "nothing") == []


def test_fact_graph(repo: Path, store: Recollect) -> None:
    """Subjects with what they lead to; around one of them, what is next to it."""
    for fact in (("shop", "has", "cart"), ("cart", "uses", "redis"), ("login", "uses", "ldap")):
        run(repo, "fact", "add", *fact)

    assert run(repo, "fact", "graph") == (
        "cart\n  uses → redis\nlogin\n  uses → ldap\nshop\n  has → cart\n"
    )
    assert as_json(repo, "fact", "graph", "--subject", "shop") == {
        "nodes": ["cart", "redis", "shop"],
        "edges": [
            {"from": "cart", "predicate": "uses", "to": "redis"},
            {"from": "shop", "predicate": "has", "to": "cart"},
        ],
    }


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("cart depends_on redis", ("cart", "depends_on", "redis")),
        ("the cart | depends on | Redis 7", ("the cart", "depends on", "Redis 7")),
    ],
)
def test_capture_facts_makes_the_same_fact(
    repo: Path, store: Recollect, text: str, parts: tuple[str, str, str]
) -> None:
    """Twice is once, whichever way it comes."""
    name = run(repo, "capture", "facts", text).strip()

    ((fact, _),) = store.query_facts(parts[0])
    assert (fact.subject, fact.predicate, fact.object) == parts
    assert run(repo, "fact", "add", *parts).strip() == name
    assert len(store.memories()) == 1


def test_a_sentence_that_is_no_fact_is_captured_as_it_is(repo: Path, store: Recollect) -> None:
    """Nobody can tell where its parts begin."""
    run(repo, "capture", "facts", "The cart depends on Redis for its locks")

    assert store.query_facts() == []
    assert [memory.kind for memory in store.memories()] == ["facts"]

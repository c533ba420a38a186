"""A client does what it was given, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recollect.cli import root
from recollect.engine.server import Engine
from recollect.errors import ValidationError
from recollect.mcp import resources
from recollect.mcp.tools import TOOLS, listing
from tests.mcp.calls import DECISION, ask, refuse
from tests.sandbox import Sandbox


@pytest.fixture
def engine(repo: Path) -> Iterator[Engine]:
    """An engine in a repository that knows nothing."""
    engine = Engine(repo, dict(os.environ))
    yield engine
    engine.stop()


WRITING: dict[str, dict[str, Any]] = {
    "store_memory": {"kind": "notes", "summary": "x"},
    "update_memory": {"id": "x", "if_version": "x"},
    "delete_memory": {"id": "x"},
    "store_fact": {"subject": "a", "predicate": "b", "object": "c"},
    "summarize_old": {},
    "write_memory": {"kind": "decisions", "document": DECISION},
    "set_status": {"id": "x", "status": "retired"},
    "purge_expired": {},
}


def test_a_client_that_may_only_read(engine: Engine, sandbox: Sandbox, repo: Path) -> None:
    """It sees the tools that read, and the others are refused before anything happens."""
    ask(engine, "store_memory", kind="notes", summary="The cart rounds half up")
    engine.allowed = frozenset({"read"})

    assert {tool["name"] for tool in listing(engine.allowed)} == TOOLS.keys() - WRITING.keys()
    assert ask(engine, "list_memories")["total"] == 1
    assert len(resources.list_resources(engine)) == 1
    for tool, given in WRITING.items():
        assert "was not given the capability" in refuse(engine, tool, **given)
    assert len(sandbox.open(repo).memories(status="all")) == 1


def test_private_is_a_capability_of_its_own(engine: Engine) -> None:
    """Neither a filter nor an id shows what is private."""
    stored = ask(
        engine, "store_memory", kind="notes", summary="Under the stairs", sensitivity="private"
    )
    assert ask(engine, "list_memories", sensitivity="private")["total"] == 1
    assert (
        ask(engine, "get_memory", id=stored["id"], sensitivity="private")["sensitivity"]
        == "private"
    )

    engine.allowed = frozenset({"read", "write"})

    assert "'private'" in refuse(engine, "list_memories", sensitivity="private")
    assert "'private'" in refuse(engine, "search_memories", query="stairs", sensitivity="secret")
    assert "'private'" in refuse(engine, "get_memory", id=stored["id"], sensitivity="private")
    with pytest.raises(ValidationError):
        resources.read_resource(engine, resources.PREFIX + stored["id"])
    assert ask(engine, "list_memories")["total"] == 0


def test_nothing_without_reading(engine: Engine) -> None:
    """A client that only writes cannot read by another way."""
    engine.allowed = frozenset({"write"})

    assert "'read'" in refuse(engine, "list_memories")
    for look in (
        lambda: resources.list_resources(engine),
        lambda: resources.get_prompt(engine, "recall", {"topic": "x"}),
    ):
        with pytest.raises(ValidationError):
            look()


def test_capabilities_are_shown() -> None:
    """As a table; a client cannot be given what the table does not have."""
    shown = CliRunner().invoke(root, ["capabilities"]).stdout
    assert [line.split()[0] for line in shown.splitlines()[1:]] == [
        *("read", "write", "erase", "private", "sync")
    ]

    refused = CliRunner().invoke(root, ["mcp", "--allow", "sync"])
    assert "cannot be given sync" in str(refused.exception)

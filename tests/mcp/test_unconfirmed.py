"""An agent sees what was noticed, may reject it, and confirms it only with the user's word."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.capture.unconfirmed import add
from recollect.capture.vouching import words_of
from recollect.engine.server import Engine
from tests.mcp.calls import ask, refuse
from tests.sandbox import Sandbox


@pytest.fixture
def engine(repo: Path, sandbox: Sandbox) -> Iterator[Engine]:
    """An engine in a repository in which two things were noticed."""
    store = sandbox.open(repo)
    known = store.capture("decisions", "Use Memcached for the cache")
    for summary, updates in (("Use Redis for the cache", known.uid), ("Deploy on Friday", None)):
        draft = {"kind": "decisions", "summary": summary, "body": ""}
        add(store, draft, confidence=0.8, why="test", updates=updates)
    store.close()
    engine = Engine(repo, dict(os.environ))
    yield engine
    engine.stop()


def test_what_was_noticed_is_listed_and_rejected(engine: Engine) -> None:
    """By the tools that there are."""
    listed = ask(engine, "list_memories", status="unconfirmed")["memories"]
    assert {line["summary"] for line in listed} == {"Use Redis for the cache", "Deploy on Friday"}
    assert {line["status"] for line in listed} == {"unconfirmed"}
    assert ask(engine, "why")["waiting_for_user"] == "2 unconfirmed memories"

    done = ask(engine, "delete_memory", id=listed[0]["id"])

    assert done["done"] == "retired"
    assert len(engine.with_stores(lambda s: s.store.local.noticed.rejections())) == 1


def test_only_the_words_of_the_user_confirm(engine: Engine) -> None:
    """Words that the user did not type are refused, with what to do."""
    found = ask(engine, "search_memories", query="Redis cache", status="unconfirmed")["memories"]
    line = next(one for one in found if "Redis" in one["summary"])
    for said in ({}, {"user_said": "yes, keep it"}):
        refused = refuse(engine, "set_status", id=line["id"], status="confirmed", **said)
        assert "user_said" in refused
    engine.with_stores(
        lambda s: s.store.local.noticed.note_prompt("s", words_of("Yes, keep it."), time.time() + 1)
    )

    done = ask(engine, "set_status", id=line["id"], status="confirmed", user_said="Yes, keep it")

    assert done["done"] == "confirmed"
    shown = ask(engine, "get_memory", id=done["id"])
    assert shown["status"] == "active"
    assert shown["provenance"]["confirmed"] == "accepted by user"
    assert ask(engine, "get_memory", id=done["archived"])["status"] == "archived"
    assert "not unconfirmed" in refuse(
        engine, "set_status", id=line["id"], status="confirmed", user_said="Yes, keep it"
    )

"""Upkeep through the tools: a result says what was done, and what waits for the user."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect.engine.server import Engine
from tests.mcp.calls import ask
from tests.sandbox import Sandbox


@pytest.fixture
def engine(repo: Path) -> Iterator[Engine]:
    """An engine in a repository that knows nothing."""
    engine = Engine(repo, dict(os.environ))
    yield engine
    engine.stop()


def test_summarize_old_tells_what_it_put_into_review(
    engine: Engine, sandbox: Sandbox, repo: Path
) -> None:
    """Decisions are not merged without the user's word; the result names what waits for it."""
    store = sandbox.open(repo)
    for days in (62, 61, 60):
        born = datetime.now(UTC) - timedelta(days=days)
        store.capture(
            "decisions",
            "Use PostgreSQL for orders",
            f"Two workers write at once. Part {days}",
            created=f"{born:%Y-%m-%dT%H:%M:%SZ}",
        )

    planned = ask(engine, "summarize_old", dry_run=True)
    assert len(planned["would_suggest"]) == 1
    assert store.suggestions() == []

    done = ask(engine, "summarize_old")

    assert done["merged"] == []
    (waiting,) = done["in_review"]
    assert len(waiting["sources"]) == 3
    assert "recollect review" in done["next"]
    assert len(store.suggestions()) == 1

"""What an engine with a model brings: also what was kept a moment ago."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.embedding import open_embedder
from recollect.engine.stores import StorePool
from tests.support.serving import Talk

CURE = "ModuleNotFoundError: No module named '{}' is cured with make {}"


@pytest.fixture
def engine() -> Iterator[StorePool]:
    """The stores of an engine that has loaded its model."""
    pool = StorePool()
    pool.share_embedder(open_embedder("default", threads=1))
    yield pool
    pool.close()


def test_a_cure_that_was_just_kept_comes_before_an_older_one(
    repo: Path, store: Recollect, engine: StorePool
) -> None:
    """It has no vector yet when the command fails, and needs one to be compared."""
    store.capture("solutions", CURE.format("pricelib", "vendor"))
    store.search("pricelib", mode="hybrid")  # makes its vector
    new = store.capture("solutions", CURE.format("taxlib", "taxes"))
    error = "Exit code 1\nModuleNotFoundError: No module named 'taxlib'"

    Talk(repo, pool=engine).hook(
        "tool-failure",
        tool_name="Bash",
        tool_input={"command": "python3 -c 'import taxlib'"},
        error=error,
    )

    (trace, *_) = store.local.sessions.traces(1, "s1")
    (step,) = (step for step in trace.steps if step["what"] == "injected")
    assert [one["uid"] for one in step["memories"]] == [new.uid]

"""What an engine with a model brings: also what was kept a moment ago."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.capture import changed_meaning
from recollect.capture.changed_meaning import Words
from recollect.embedding import open_embedder
from recollect.engine.stores import StorePool
from tests.support.serving import Talk

MOST_COMPARED = 4 + 4  # by words, and by meaning
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


def test_a_prompt_that_may_change_something_is_compared_with_few_memories(
    repo: Path, store: Recollect, engine: StorePool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person waits while the model reads each of them; what it read is not read again."""
    for number in range(30):
        store.capture("decisions", f"The {number}th import of the catalog runs at {number} o'clock")
    store.search("import of the catalog", mode="hybrid")  # makes the vectors
    read: list[str] = []
    as_ever = changed_meaning._words_of

    def watched(text: str, *found: Any) -> Words:
        read.append(text)
        return as_ever(text, *found)

    monkeypatch.setattr(changed_meaning, "_words_of", watched)
    talk = Talk(repo, pool=engine)
    talk.say("As of today, the import of the catalog runs at 7 in the evening.")
    first = len(read)
    talk.say("As of today the import of the catalog runs at 7 in the evening.")

    assert 1 < first <= 1 + MOST_COMPARED
    assert len(read) <= first + 3  # the prompt, and what the first one brought

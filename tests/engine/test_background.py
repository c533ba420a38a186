"""What the engine does while nobody asks, and that it gives way to who does."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from recollect.engine.background import Background
from recollect.engine.server import Engine
from recollect.engine.stores import Stores
from recollect.hosts.protocol import PROMPT
from tests.sandbox import Sandbox
from tests.support.agent import Agent
from tests.support.models import OneVector
from tests.support.server import wait_for


def test_the_model_rests_while_a_request_is_served(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes on when the request is done."""
    monkeypatch.setattr("recollect.engine.background._LONGEST_PAUSE", 60.0)
    engine = Engine(repo, os.environ)
    resting = threading.Thread(target=Background(engine, end=lambda: None)._give_way)

    def serve(_: Stores) -> bool:
        resting.start()
        resting.join(0.1)
        return resting.is_alive()

    try:
        assert engine.with_stores(serve)
        resting.join()
        assert not engine.is_serving
    finally:
        engine.stop()


def test_a_prompt_waits_for_a_model_that_loads(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who types at once is read with the model, too."""
    monkeypatch.setattr("recollect.engine.server._MODEL_WAIT", 60.0)
    engine = Engine(repo, os.environ)
    engine.is_up.set()
    engine.listen()
    asking = threading.Thread(target=lambda: Agent(repo).hook(PROMPT, prompt="Why cents?"))
    try:
        asking.start()
        wait_for(lambda: engine.is_serving)
        assert engine.served == 0
        model = OneVector("new@2")
        sharing = threading.Thread(target=engine.share_embedder, args=(model,))
        sharing.start()
        for one in (asking, sharing):
            one.join()

        assert engine.served == 1
        assert engine.with_stores(lambda stores: stores.store.indexing.loaded_embedder) is model
    finally:
        engine.stop()


def test_a_pass_ends_although_another_process_has_another_model(
    repo: Path, sandbox: Sandbox
) -> None:
    """One of an older version, which takes the vectors back whenever it finds ours."""
    store, other = sandbox.open(repo), sandbox.open(repo)
    store.capture_many([{"kind": "notes", "summary": f"Valve {n} is open"} for n in range(20)])
    other.indexing.share_embedder(OneVector("old@1"))
    other.reindex()
    vectors = {memory.uid: OneVector("old@1").embed([""]) for memory in other.memories()}
    calls = iter(range(10))

    def take_back() -> None:
        assert next(calls, None) is not None, "it goes on and on"
        other.indexing.fresh().store_vectors("old@1", vectors)

    engine = Engine(repo, os.environ)
    background = Background(engine, end=lambda: None)
    background._embedder = OneVector("new@2", before=take_back)
    store.indexing.share_embedder(background._embedder)
    try:
        for _ in background._steps(store):
            pass
    finally:
        engine.stop()

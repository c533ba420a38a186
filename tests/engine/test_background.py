"""What the engine does while nobody asks, and that it gives way to who does."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from recollect.engine.background import Background
from recollect.engine.server import Engine
from recollect.engine.stores import Stores


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

"""The stash: what it works out about an event is not worked out again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.hooks import marked, opening, received
from recollect.hooks.runner import serve
from recollect.hooks.stash import stash
from tests.support.serving import Answer, NoDeadline

MOMENT = 1_700_000_000_000


def test_marked_text_is_parsed_and_redacted_once(
    repo: Path, store: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stash reads, searches and redacts; the rest of the hook uses its results."""
    token = "ghp_" + "Ab3dE6gH9jK2" * 3
    text = f"[remember:notes] The sandbox has the token {token}"
    payload = {"session_id": "s1", "cwd": str(repo), "prompt": text}

    found = stash("prompt", MOMENT, json.dumps(payload).encode(), os.environ)

    assert found is not None
    assert found.config is not None
    assert not [clean for clean in found.redacted.values() if token in clean]

    def fail(*_: Any) -> None:
        raise AssertionError("done twice")

    monkeypatch.setattr(marked, "all_marked_in", fail)
    monkeypatch.setattr(opening, "read_config", fail)
    monkeypatch.setattr(received, "receive", fail)
    answer = Answer()
    serve(found, os.environ, NoDeadline("prompt", answer), moment=MOMENT)

    assert b"remembered notes:" in answer.text
    (memory,) = (one for one in store.memories(kind="notes") if "sandbox" in one.summary)
    assert token not in memory.summary
    assert "[REDACTED" in memory.summary


@pytest.mark.parametrize("given", [b"", b"{", b"[]", b'"[remember] x"'])
def test_input_that_is_no_event_is_no_error(given: bytes, isolated: None) -> None:
    """The runner reports it, if anything is to report."""
    found = stash("prompt", MOMENT, given, os.environ)

    assert found is None or not found.marked

"""A cold hook loads what its event needs: its modules are most of its time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.hosts.protocol import PROMPT, SESSION_END, SESSION_START

# Each module takes a hook about 0.2 ms. Before you raise a number, import where it is used.
MOST = {PROMPT: 168, SESSION_START: 148, SESSION_END: 152}
# They serve the person at a terminal, or write what few events write.
NEVER = {"click", "dataclasses", "inspect", "hashlib", "numpy", "recollect.index.sqlite.apply"}


def loaded_by(event: str, repo: Path) -> set[str]:
    """The modules that a hook imports without an engine."""
    given = {"session_id": "3f0c8a6e-52d1-4b7e-9a3c-0d1e2f3a4b5c", "cwd": str(repo)}
    more = {"prompt": "Why do we need the cache?", "source": "startup", "reason": "other"}
    said = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "recollect", "hook", event],
        input=json.dumps({**given, **more}),
        cwd=repo,
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    return set(re.findall(r"^import time:[^|]*\|[^|]*\|\s*(\S+)$", said, re.MULTILINE))


@pytest.mark.parametrize("event", MOST)
def test_a_cold_hook_loads_few_modules(event: str, repo: Path, store: Recollect) -> None:
    """The number of our modules is held; see the comment above before you raise it."""
    store.refresh()
    store.close()

    loaded_by(SESSION_START, repo)  # the first one of a day also sleeps
    loaded = loaded_by(event, repo)

    ours = {name for name in loaded if name.split(".")[0] == "recollect"}
    assert "recollect.hooks.pipelines" in ours
    assert len(ours) <= MOST[event], sorted(ours)
    assert not loaded & NEVER

"""A cold hook loads what its event needs: its modules are most of its time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.hosts.protocol import PROMPT, SESSION_END, SESSION_START, STOP, TOOL_POST
from tests.support.agent import git_behind

# Each module takes a hook about 0.2 ms. Before you raise a number, import where it is used.
MOST = {PROMPT: 175, TOOL_POST: 161, STOP: 166, SESSION_START: 160, SESSION_END: 165}
# Those of Python and of apsw. Most come with `typing`, `pathlib`, `re` and `json`.
MOST_OTHERS = 95
# Each process of git takes a hook about 5 ms, if nothing has changed since the last event. At the
# start of a session: the last commits, who the owner is, and whether there is a past to learn from.
MOST_PROCESSES = {PROMPT: 0, TOOL_POST: 0, STOP: 0, SESSION_START: 3, SESSION_END: 0}
# They serve the person at a terminal, or write what few events write.
NEVER = {"click", "dataclasses", "inspect", "hashlib", "numpy", "recollect.index.applying"}
WITHOUT_GIT = {"subprocess", "selectors", "tempfile"}


def loaded_by(event: str, repo: Path, env: Mapping[str, str] | None = None) -> set[str]:
    """The modules that a hook imports without an engine."""
    session = "3f0c8a6e-52d1-4b7e-9a3c-0d1e2f3a4b5c"
    given = {"session_id": session, "cwd": str(repo), "transcript_path": f"/none/{session}.jsonl"}
    more = {"prompt": "Why do we need the cache?", "source": "startup", "reason": "other"}
    said = subprocess.run(
        [sys.executable, "-v", "-m", "recollect", "hook", event, "claude-code"],
        input=json.dumps({**given, **more}),
        cwd=repo,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    # `-X importtime` would leave out what `importlib.import_module` loads, such as the hosts.
    return set(re.findall(r"^import '([\w.]+)' #", said, re.MULTILINE))


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
    assert len(loaded - ours) <= MOST_OTHERS, sorted(loaded - ours)
    assert not loaded & NEVER


@pytest.mark.parametrize("event", MOST_PROCESSES)
def test_a_cold_hook_asks_git_little(
    event: str, repo: Path, store: Recollect, tmp_path: Path
) -> None:
    """The number of processes is held; see the comment above before you raise it."""
    store.capture("decisions", "We need the cache for the tax tables")
    store.close()
    log = tmp_path / "asked"
    git = {"PATH": git_behind(tmp_path, f'echo "$*" >> {log}')}
    for first in (SESSION_START, PROMPT, event):
        loaded_by(first, repo)

    log.write_text("")
    loaded = loaded_by(event, repo, {**git, "RECOLLECT_HOOK_DEADLINE": "60000"})

    asked = log.read_text().splitlines()
    assert len(asked) <= MOST_PROCESSES[event], asked
    assert asked or not loaded & WITHOUT_GIT

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
from recollect.hosts.protocol import (
    PROMPT,
    SESSION_END,
    SESSION_START,
    STOP,
    TOOL_FAILURE,
    TOOL_POST,
)
from tests.support.agent import git_behind
from tests.support.server import ping, serving

# Each module takes a hook about 0.2 ms. Before you raise a number, import where it is used.
MOST = {
    PROMPT: 159,
    TOOL_POST: 146,
    TOOL_FAILURE: 150,
    STOP: 154,
    SESSION_START: 152,
    SESSION_END: 151,
}
# Those of Python and of apsw. Most come with `pathlib`, `re` and `json`. Since Python 3.13,
# `pathlib` is several modules.
MOST_OTHERS = 88 if sys.version_info < (3, 13) else 92
# Each process of git takes a hook about 5 ms, if nothing has changed since the last event. At the
# start of a session: the last commits, who the owner is, and whether there is a past to learn from.
MOST_PROCESSES = {
    PROMPT: 0,
    TOOL_POST: 0,
    TOOL_FAILURE: 0,
    STOP: 0,
    SESSION_START: 3,
    SESSION_END: 0,
}
# The client, the package, and what finds the engine.
MOST_BY_THE_ENGINE = 10
_TRIES = 20
# They serve type checkers or the person at a terminal, or write what few events write.
NEVER = {
    *("click", "dataclasses", "inspect", "hashlib", "numpy", "typing"),
    "recollect.index.applying",
}
WITHOUT_GIT = {"subprocess", "selectors", "tempfile"}


def loaded_by(event: str, repo: Path, env: Mapping[str, str] | None = None) -> set[str]:
    """The modules that a hook imports without an engine."""
    session = "3f0c8a6e-52d1-4b7e-9a3c-0d1e2f3a4b5c"
    given = {"session_id": session, "cwd": str(repo), "transcript_path": f"/none/{session}.jsonl"}
    more = {"prompt": "Why do we need the cache?", "source": "startup", "reason": "other"}
    if event == TOOL_FAILURE:
        more |= {"tool_name": "Bash", "error": "Exit code 1\nthe cache is cold"}
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
    allowed = {"hashlib"} if event == TOOL_FAILURE else set()  # a failure is known by its hash
    assert not (loaded & NEVER) - allowed, sorted(loaded & NEVER)
    assert event != PROMPT or "threading" not in loaded


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


@pytest.mark.parametrize("event", MOST)
def test_a_hook_by_the_engine_loads_next_to_nothing(event: str, repo: Path) -> None:
    """The engine does the work: its client has a few modules of ours, and no `json` or `re`."""
    deadline = {"RECOLLECT_HOOK_DEADLINE": "60000", "RECOLLECT_HOOK_SESSION_DEADLINE": "60000"}
    with serving(repo):
        for _ in range(_TRIES):  # a busy engine refuses, and the hook serves the event itself
            before = ping(repo)
            loaded = loaded_by(event, repo, deadline)
            after = ping(repo)
            if before and after and after[1] > before[1]:
                break
        else:
            pytest.fail("the engine served no event")

    ours = {name for name in loaded if name.split(".")[0] == "recollect"}
    assert len(ours) <= MOST_BY_THE_ENGINE, sorted(ours)
    assert not loaded & {"json", "re", "typing", "enum", "pathlib", "socket", *WITHOUT_GIT}

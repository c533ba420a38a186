"""A command loads and starts what it needs: on a search somebody waits."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sandbox import Sandbox
from tests.support.agent import git_behind

# Each module of ours takes about 0.2 ms. Before you raise it, import where it is used.
MOST_OF_OURS = 120
# What a search by words has no use for: git, the model, and what reads archives.
NEVER = {"subprocess", "shutil", "tempfile", "numpy", "mcp", "recollect.index.applying"}


def run(repo: Path, *words: str, options: tuple[str, ...] = (), **env: str) -> tuple[str, str, int]:
    """Run a command as a user does."""
    said = subprocess.run(
        [sys.executable, *options, "-m", "recollect", *words],
        cwd=repo,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    return said.stdout, said.stderr, said.returncode


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a memory, after a first search."""
    path = sandbox.init("shop")
    sandbox.commit(path)
    with sandbox.open(path) as store:
        store.capture("decisions", "We need the cache for the tax tables")
    run(path, "search", "--mode", "text", "cache")
    return path


def test_a_search_by_words_loads_little_and_asks_git_nothing(repo: Path, tmp_path: Path) -> None:
    """The numbers are held; see the comment above before you raise them."""
    log = tmp_path / "asked"
    log.write_text("")
    path = git_behind(tmp_path, f'echo "$*" >> {log}')

    out, err, code = run(
        repo, "search", "--mode", "text", "cache", options=("-X", "importtime"), PATH=path
    )

    assert "tax tables" in out
    assert code == 0
    assert log.read_text() == ""
    loaded = set(re.findall(r"^import time:[^|]*\|[^|]*\|\s*(\S+)$", err, re.MULTILINE))
    ours = {name for name in loaded if name.split(".")[0] == "recollect"}
    assert "recollect.search.search" in ours
    assert len(ours) <= MOST_OF_OURS, sorted(ours)
    assert not loaded & NEVER


def test_a_search_sees_what_git_changed(repo: Path, sandbox: Sandbox) -> None:
    """The refs are read from their files, and what plain git wrote is there at once."""
    for number in range(2):
        sandbox.git(
            repo, "notes", "--ref=mem/decisions", "append", "-m", f"Sharding by region {number}"
        )
        assert f"region {number}" in run(repo, "search", "--mode", "text", "sharding region")[0]
        sandbox.git(repo, "pack-refs", "--all")
        assert f"region {number}" in run(repo, "search", "--mode", "text", "sharding region")[0]


def test_the_end_of_a_command_is_as_usual(repo: Path) -> None:
    """Its output is complete, its exit code is right, and what is registered for the end runs."""
    assert run(repo, "show", "decisions:0000000:9")[2] == 61
    assert run(repo, "search", "cache", "--limit", "0")[2] == 2
    code = (
        "import atexit, sys; from recollect.__main__ import main\n"
        "atexit.register(print, 'the end', flush=True)\n"
        "sys.argv = ['recollect', '--version']; main()"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=repo
    )
    assert said.stdout.splitlines()[-1] == "the end"
    assert said.stdout.startswith("recollect, version")

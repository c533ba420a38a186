"""The command line as a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.sandbox import Sandbox


def run(repo: Path, *args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """The command line, as a process of its own; it must not end in a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "-C", str(repo), *args],
        input=stdin,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        cwd=repo,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def summaries(sandbox: Sandbox, repo: Path) -> list[str]:
    """What a new process remembers."""
    return sorted(memory.summary for memory in sandbox.open(repo).memories(status="all"))

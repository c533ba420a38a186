"""`recollect ui` as a person starts and ends it, and `recollect blame`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from tests.web.example import DECISION


def test_it_prints_one_line_serves_and_ends_with_ctrl_c(repo: Path) -> None:
    """The line is an address that opens the pages; Ctrl-C is no error, and leaves nothing."""
    process = subprocess.Popen(
        [sys.executable, "-m", "recollect", "-C", str(repo), "ui", "--no-open"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(address, timeout=60) as answer:
            assert answer.status == 200
        home = address.partition("/open?")[0]
        with opener.open(f"{home}/search?q=PostgreSQL", timeout=60) as answer:
            assert DECISION in answer.read().decode()
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, rest, errors) == (0, "", "")
    assert not list((repo / ".git" / "recollect").glob("ui-*"))


def test_blame_prints_lines_and_memories(repo: Path) -> None:
    """Also from another directory, and as JSON."""
    command = [sys.executable, "-m", "recollect", "blame", "store.py"]
    said = subprocess.run(command, cwd=repo / "shop", capture_output=True, text=True, check=True)
    data = subprocess.run(
        [*command, "--json"], cwd=repo / "shop", capture_output=True, text=True, check=True
    )

    assert said.stdout.startswith("Line 1, commit ")
    assert DECISION in said.stdout
    found = json.loads(data.stdout)
    assert found["path"] == "shop/store.py"
    assert found["lines"][0]["memories"][0]["summary"] == DECISION

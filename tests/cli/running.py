"""Run a command as a user does, in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from recollect.cli import root


def run(repo: Path, *args: str) -> Result:
    """Run a command in a repository; its exit code and what it printed."""
    return CliRunner().invoke(root, ["-C", str(repo), *args])


def says(repo: Path, *args: str) -> str:
    """Run a command that must succeed; return its standard output."""
    result = run(repo, *args)
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def gives(repo: Path, *args: str) -> Any:
    """Run a command with `--json`; return what it printed."""
    return json.loads(says(repo, *args, "--json"))

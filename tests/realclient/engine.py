"""The warm engine that the client's MCP server is for our hooks."""

from __future__ import annotations

from pathlib import Path

from recollect import hook_client
from tests.realclient.workplace import Workplace


def ping(place: Workplace, folder: Path | None = None) -> tuple[int, int] | None:
    """The process that serves the hooks, and how many events it has served."""
    variables = {**place.environment(), "CLAUDE_PROJECT_DIR": str(folder or place.repo)}
    return hook_client.ping(variables, 30)

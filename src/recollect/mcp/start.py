"""Starts `recollect mcp` in the order in which others wait for it.

First the answers to a client that connects, then the engine for hooks, then the SDK for calls.
"""

from __future__ import annotations

from recollect.core.capabilities import MCP, SURFACES
from recollect.mcp.greeting import Greeting


def main(directory: str | None = None, allowed: frozenset[str] = SURFACES[MCP]) -> None:
    """Serve until the agent ends; `allowed` is what the client may do."""
    greeting = Greeting(has_all_tools=allowed == SURFACES[MCP])
    greeting.start()
    from recollect.mcp.server import serve

    serve(greeting, directory, allowed)

"""The engine is tested in the server that it runs in."""

from __future__ import annotations

from tests.mcp.conftest import isolated, repo, sandbox, server

__all__ = ["isolated", "repo", "sandbox", "server"]

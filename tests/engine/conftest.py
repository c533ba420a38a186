"""Tests here run a server as an agent starts it, in a repository of its own."""

from __future__ import annotations

from tests.support.server_fixtures import repo, server

__all__ = ["repo", "server"]

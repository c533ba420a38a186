"""OpenCode: a plugin of ours hands its events to the hooks, and offers it our MCP server."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.hosts.lazy_host import LazyHost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _detects(payload: Mapping[str, Any], _environment: Mapping[str, str]) -> bool:
    """Whether our plugin for OpenCode runs the hook: it says so."""
    return payload.get("host") == "opencode"


HOST = LazyHost(
    __name__,
    title="OpenCode",
    program="opencode",
    tested="1.18.33",
    detects=_detects,
    variables=("OPENCODE_",),
    instructions=("AGENTS.md", "CLAUDE.md"),
    review="/recollect-review",
    learn="/recollect-learn",
)

"""Codex: it runs hooks with input in the format of Claude Code, from its own settings."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.hosts.lazy_host import LazyHost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The prefix of Codex's transcript files. Its events within a turn also have a `turn_id`.
_TRANSCRIPT = "rollout-"


def _detects(payload: Mapping[str, Any], _environment: Mapping[str, str]) -> bool:
    """Whether Codex runs the hook."""
    path = payload.get("transcript_path")
    named = isinstance(path, str) and path.replace("\\", "/").rpartition("/")[2].startswith(
        _TRANSCRIPT
    )
    return named or "turn_id" in payload


HOST = LazyHost(
    __name__,
    ("events", "setup", "transcript", "past"),
    title="Codex",
    program="codex",
    tested="0.166.0",
    detects=_detects,
    variables=("CLAUDE_", "CODEX_"),
)

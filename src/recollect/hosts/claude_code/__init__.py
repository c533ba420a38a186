"""Claude Code: its events, replies, transcripts and installation."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.hosts.lazy_host import LazyHost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _detects(payload: Mapping[str, Any], _environment: Mapping[str, str]) -> bool:
    """Whether Claude Code runs the hook: others name their transcripts otherwise, or themselves."""
    path, session = payload.get("transcript_path"), payload.get("session_id")
    if "cursor_version" in payload:
        return False
    if not isinstance(path, str) or not isinstance(session, str) or not session:
        return False
    return path.endswith((f"/{session}.jsonl", f"\\{session}.jsonl"))


HOST = LazyHost(
    __name__,
    ("events", "setup", "transcript", "past"),
    title="Claude Code",
    program="claude",
    tested="2.1.325",
    detects=_detects,
    variables=("CLAUDE_",),
    instructions=("CLAUDE.md", "AGENTS.md"),
    review="/recollect:review",
    learn="/recollect:learn",
)

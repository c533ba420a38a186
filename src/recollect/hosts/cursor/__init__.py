"""Cursor: it runs hooks of its own format, and beside them those of Claude Code."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.hosts.lazy_host import LazyHost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Where it keeps transcripts: ~/.cursor/projects/<project>/agent-transcripts/<id>/<id>.jsonl
_FOLDER = "/agent-transcripts/"


def _detects(payload: Mapping[str, Any], _environment: Mapping[str, str]) -> bool:
    """Whether a transcript is one of Cursor's.

    The input of a hook doesn't tell: the hooks of Claude Code get the same, and must do nothing.
    Only the name in the command counts there.
    """
    path = payload.get("transcript_path")
    if not isinstance(path, str) or "cursor_version" in payload:
        return False
    return _FOLDER in path.replace("\\", "/")


HOST = LazyHost(
    __name__,
    ("events", "setup", "transcript"),
    title="Cursor",
    program="cursor-agent",
    detects=_detects,
    project_variable="CURSOR_PROJECT_DIR",
    variables=("CURSOR_",),
)

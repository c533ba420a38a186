"""GitHub Copilot CLI: it runs hooks of its own format, and beside them those of Claude Code."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.hosts.environment import COPILOT_VARIABLE
from recollect.hosts.lazy_host import LazyHost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Where it keeps transcripts, in its folder: session-state/<session>/events.jsonl
_FOLDER, _FILE = "/session-state/", "/events.jsonl"


def _detects(payload: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    """Whether Copilot runs the hook.

    Its variable alone doesn't tell: a Claude Code that is started in its shell inherits it, and
    always names a transcript. Copilot does so only at a stop.
    """
    if isinstance(payload.get("sessionId"), str):
        return True
    path = payload.get("transcript_path")
    if isinstance(path, str) and path:
        path = path.replace("\\", "/")
        return _FOLDER in path and path.endswith(_FILE)
    return bool(environment.get(COPILOT_VARIABLE)) and "timestamp" in payload


HOST = LazyHost(
    __name__,
    ("events", "setup", "transcript"),
    title="GitHub Copilot CLI",
    program="copilot",
    tested="1.0.102",
    detects=_detects,
    project_variable="COPILOT_PROJECT_DIR",
    variables=("COPILOT_",),
)

"""Qwen Code: it runs hooks of an extension, with the events of Claude Code and its own tools."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.hosts.lazy_host import LazyHost, is_its_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Where it keeps transcripts, in the home directory.
_FOLDER = "/.qwen/"


def _detects(payload: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    """Whether Qwen Code runs the hook."""
    return is_its_session(payload, environment, _FOLDER, "QWEN_CODE_SESSION_ID")


HOST = LazyHost(
    __name__,
    ("events", "setup", "transcript"),
    title="Qwen Code",
    program="qwen",
    tested="0.24.4",
    detects=_detects,
    project_variable="QWEN_PROJECT_DIR",
    variables=("QWEN_",),
    instructions=("QWEN.md",),
    review="/recollect:review",
    learn="/recollect:learn",
)

"""Gemini CLI: it runs hooks of an extension, with events and tools of its own."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.hosts.lazy_host import LazyHost, is_its_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The events that only this host has. It shares the names of the other two with Claude Code.
_OWN_EVENTS = ("BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool")
# Where it keeps transcripts, in the home directory.
_FOLDER = "/.gemini/tmp/"


def _detects(payload: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    """Whether Gemini CLI runs the hook."""
    if payload.get("hook_event_name") in _OWN_EVENTS:
        return True
    return is_its_session(payload, environment, _FOLDER, "GEMINI_SESSION_ID")


HOST = LazyHost(
    __name__,
    ("events", "setup", "transcript"),
    title="Gemini CLI",
    program="gemini",
    tested="0.61.0",
    detects=_detects,
    project_variable="GEMINI_PROJECT_DIR",
    variables=("GEMINI_",),
    instructions=("GEMINI.md",),
    review="/recollect:review",
    learn="/recollect:learn",
)

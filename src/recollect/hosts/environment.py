"""Environment variables that hosts set, for code that has no time to load a host.

A test checks that they match what the hosts declare.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# The variables that hold the directory of the project, one per host. The engine sets the first.
PROJECT_VARIABLES = (
    "CLAUDE_PROJECT_DIR",
    "GEMINI_PROJECT_DIR",
    "QWEN_PROJECT_DIR",
    "COPILOT_PROJECT_DIR",
    "CURSOR_PROJECT_DIR",
)
# Cursor also runs the hooks of Claude Code, and sets this variable.
CURSOR_VARIABLE = "CURSOR_VERSION"
# GitHub Copilot CLI does, too. It sets the first one; the second one names its folder.
COPILOT_VARIABLE, COPILOT_HOME_VARIABLE = "COPILOT_CLI", "COPILOT_HOME"
# How Claude Code was started, and whether somebody follows its session.
ENTRYPOINT_VARIABLE, ATTENDED_VARIABLE = "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ATTENDED"
# What a hook sends to the engine besides its own settings.
FORWARDED = (
    *(*PROJECT_VARIABLES, CURSOR_VARIABLE, ENTRYPOINT_VARIABLE, ATTENDED_VARIABLE),
    *("GEMINI_SESSION_ID", "QWEN_CODE_SESSION_ID", COPILOT_VARIABLE, COPILOT_HOME_VARIABLE),
)
# Variables that belong to a hook's agent. The engine uses the hook's values, not its own.
PREFIXES = ("CLAUDE_", "CODEX_", "COPILOT_", "CURSOR_", "GEMINI_", "OPENCODE_", "QWEN_")


def project_in(environment: Mapping[str, str]) -> str:
    """Return the directory of the project that a host set; empty if there is none."""
    return next((environment[name] for name in PROJECT_VARIABLES if environment.get(name)), "")

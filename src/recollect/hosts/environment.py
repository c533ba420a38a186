"""Environment variables that hosts set, for code that has no time to load a host.

A test checks that they match what the hosts declare.
"""

from __future__ import annotations

# Holds the directory of the project.
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
# Cursor also runs the hooks of Claude Code, and sets this variable.
CURSOR_VARIABLE = "CURSOR_VERSION"
# What a hook sends to the engine besides its own settings.
FORWARDED = (PROJECT_VARIABLE, CURSOR_VARIABLE)
# Variables that belong to a hook's agent. The engine uses the hook's values, not its own.
PREFIXES = ("CLAUDE_", "CODEX_", "CURSOR_")

"""What hosts set in the environment, for code that has no time to load a host.

A test holds it equal to what the hosts say.
"""

from __future__ import annotations

# Where a host says which project it works in.
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
# Cursor runs the hooks of Claude Code, too, and tells by a variable that it does.
PREFIXES = ("CLAUDE_", "CODEX_", "CURSOR_")

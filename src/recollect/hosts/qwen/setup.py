"""How Qwen Code is set up: its hooks, with which timeout, and commands in Markdown."""

from __future__ import annotations

from recollect.hosts import protocol as events
from recollect.hosts.command_files import markdown_commands
from recollect.hosts.extensions import ExtensionHost, Hook

_WRITING = "^(write_file|edit|notebook_edit)$"
_TOOLS = "^(read_file|write_file|edit|notebook_edit|run_shell_command|web_fetch|agent)$"

QWEN = ExtensionHost(
    name="qwen",
    title="Qwen Code",
    hooks=(
        Hook("SessionStart", events.SESSION_START),
        Hook("UserPromptSubmit", events.PROMPT),
        Hook("PreToolUse", events.TOOL_PRE, _WRITING),
        Hook("PostToolUse", events.TOOL_POST, _TOOLS),
        Hook("PostToolUseFailure", events.TOOL_FAILURE),
        Hook("PreCompact", events.PRE_COMPACT),
        Hook("SubagentStop", events.SUBAGENT_STOP),
        Hook("Stop", events.STOP),
        Hook("SessionEnd", events.SESSION_END),
    ),
    timeout=5,  # seconds
    commands=markdown_commands,
)
installation, is_here = QWEN.installation, QWEN.is_here

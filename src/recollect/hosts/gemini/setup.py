"""How Gemini CLI is set up: its hooks, with which timeout, and commands in TOML."""

from __future__ import annotations

from recollect.hosts import protocol as events
from recollect.hosts.command_files import toml_commands
from recollect.hosts.extensions import ExtensionHost, Hook

_WRITING = "write_file|replace"
_TOOLS = f"read_file|read_many_files|{_WRITING}|run_shell_command|web_fetch"

GEMINI = ExtensionHost(
    name="gemini",
    title="Gemini CLI",
    # `PreCompress` is not served: it runs before every request to the model, also where nothing is
    # compressed.
    hooks=(
        Hook("SessionStart", events.SESSION_START),
        Hook("BeforeAgent", events.PROMPT),
        Hook("BeforeTool", events.TOOL_PRE, _WRITING),
        Hook("AfterTool", events.TOOL_POST, _TOOLS),
        Hook("AfterAgent", events.STOP),
        Hook("SessionEnd", events.SESSION_END),
    ),
    timeout=5_000,  # milliseconds
    commands=toml_commands,
)
installation, is_here = GEMINI.installation, GEMINI.is_here

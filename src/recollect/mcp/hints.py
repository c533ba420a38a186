"""What to do about an error, for an agent: the tool where people type a command.

Errors are raised by code that does not know who asks, and most people ask at a command line. Where
no tool does it, it is the user's to do.
"""

from __future__ import annotations

import re

_TOOLS = tuple(
    (re.compile(command), tool)
    for command, tool in (
        (
            r"`recollect list --status all` shows every id",
            "list_memories(status=all) shows the ids of all that is public",
        ),
        (r"`?recollect list --status all`?", "list_memories(status=all)"),
        (r"`?recollect show ([^\s`)]+)(?: --json)?`?", r"get_memory(id=\1)"),
        (r"`?recollect restore ([^\s`]+)`?", r"set_status(id=\1, status=restored)"),
        (r"`?recollect write (?:un\w+|restore) ([^\s`]+)`?", r"set_status(id=\1, status=restored)"),
        (r"`recollect write retire` and `archive` change", "set_status changes"),
        (r"`recollect capture[^`]*`", "store_memory"),
        (r"restore and update that one", "set_status(id, status=restored) and update that one"),
        (r", or, if the user asks for it now, add --by-user", ""),
        (
            r"Capture it again with --sensitivity (\w+), then purge this one",
            r"Use store_memory with sensitivity=\1; only the user can purge this one",
        ),
        (r"--if-version (\w+)", r"if_version=\1"),
        (r"--if-version", "if_version"),
    )
)
# What changes more than memories is for the user to decide.
_COMMAND = re.compile(r"\b(?:recollect [a-z]|git config |pip install )")
_ASK = "Ask the user"


def for_agents(hint: str) -> str:
    """A hint as an agent can follow it."""
    if hint.startswith(_ASK):
        return hint
    for command, tool in _TOOLS:
        hint = command.sub(tool, hint)
    return f"{_ASK}: {hint}" if _COMMAND.search(hint) else hint

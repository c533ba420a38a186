"""Hints of errors, rewritten for agents: the tool to call where a person would type a command.

The code that raises an error does not know who called it, so its hint names a command. Where no
tool does the same, the hint says to ask the user.
"""

from __future__ import annotations

import re

_TOOLS = tuple(
    (re.compile(command), tool)
    for command, tool in (
        (
            r"`recollect list --status all` shows every id",
            "list_memories(status=all) lists the ids of all public memories",
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
        (
            r"`?recollect review accept ([^\s`]+)`?",
            r"set_status(id=\1, status=confirmed, user_said=the user's exact words)",
        ),
        (r"with --user-said", "as user_said"),
        (r"--if-version (\w+)", r"if_version=\1"),
        (r"--if-version", "if_version"),
    )
)
# Only the user decides about what changes more than memories.
_COMMAND = re.compile(r"\b(?:recollect [a-z]|git config |pip install )")
_ASK = "Ask the user"


def for_agents(hint: str) -> str:
    """Rewrite a hint so that an agent can follow it."""
    if hint.startswith(_ASK):
        return hint
    for command, tool in _TOOLS:
        hint = command.sub(tool, hint)
    return f"{_ASK}: {hint}" if _COMMAND.search(hint) else hint

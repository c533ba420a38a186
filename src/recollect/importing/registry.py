"""The sources that memories can be imported from, by name.

A source is imported when it is used. To add one, write a module with a `SOURCE` (see `source`), and
add its name and module here, in the order in which users see them.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Final

from recollect.errors import ValidationError
from recollect.importing.source import Source

# Name → module. `recollect learn` reads those that find something, in this order.
SOURCES: Final[Mapping[str, str]] = {
    "instructions": "instructions",
    "docs": "documents",
    "git": "commits",
    "transcripts": "transcripts",
    "claude-native": "claude_native",
    "git-notes-memory": "git_notes",
    "letsgo": "letsgo",
    "claude-mem": "claude_mem",
    "basic-memory": "basic_memory",
    "mcp-memory": "mcp_memory",
    "mempalace": "mempalace",
    "mem0": "mem0",
    "agentmemory": "agentmemory",
}


def source_named(name: str) -> Source:
    """Return the source with a name; raise an error if there is none."""
    module = SOURCES.get(name)
    if module is None:
        raise ValidationError(
            f"There is no source {name[:60]!r}.", "To see all sources, run: recollect import --list"
        )
    found: Source = importlib.import_module(f"recollect.importing.{module}").SOURCE
    return found


def all_sources() -> list[Source]:
    """Return every source, in order."""
    return [source_named(name) for name in SOURCES]

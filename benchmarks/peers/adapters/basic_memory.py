"""Basic Memory: the tools that its MCP server gives to an agent."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import sys
from typing import Any

from benchmarks.peers.driver import Request, Search, title_of

_PROJECT = "project"


def remember(request: Request) -> Search:
    """Write a note for each memory."""
    os.environ.update(
        BASIC_MEMORY_HOME=f"{request.folder}/notes",
        BASIC_MEMORY_CONFIG_DIR=f"{request.folder}/config",
        BASIC_MEMORY_NO_PROMOS="1",
    )
    if request.endpoint:
        os.environ.update(
            BASIC_MEMORY_SEMANTIC_EMBEDDING_PROVIDER="litellm",
            BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL=f"openai/{request.model}",
            BASIC_MEMORY_SEMANTIC_EMBEDDING_API_BASE=request.endpoint,
            BASIC_MEMORY_SEMANTIC_EMBEDDING_API_KEY="none",
            BASIC_MEMORY_SEMANTIC_EMBEDDING_DIMENSIONS=str(request.dimensions),
            # Its threshold is for the cosines of its own model.
            BASIC_MEMORY_SEMANTIC_MIN_SIMILARITY="0",
        )
    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        # Some builds of Python can't load sqlite-vec; this package can.
        sys.modules["sqlite3"] = __import__("pysqlite3")
    from basic_memory.mcp.tools import create_memory_project, search_notes, write_note

    runner = asyncio.Runner()
    runner.run(create_memory_project(_PROJECT, f"{request.folder}/notes", set_default=True))
    names = {}
    for name, text in request.memories.items():
        title = title_of(text)
        written: Any = runner.run(
            write_note(
                title, text.removeprefix(title).strip(), "memories", _PROJECT, output_format="json"
            )
        )
        names[written["permalink"]] = name

    def search(question: str) -> list[str]:
        found: Any = runner.run(
            search_notes(
                query=question, project=_PROJECT, page_size=request.limit, output_format="json"
            )
        )
        return [names[hit["permalink"]] for hit in found["results"]]

    return search

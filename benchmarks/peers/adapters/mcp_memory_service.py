"""mcp-memory-service: its interface for Python, with the default SQLite store."""

from __future__ import annotations

import os

from benchmarks.peers.driver import Request, Search


def remember(request: Request) -> Search:
    """Store each text; what comes back is the beginning of a hash."""
    os.environ["MCP_MEMORY_BASE_DIR"] = request.folder
    # By default, it refuses a memory that is similar to another one of the last day.
    os.environ["MCP_SEMANTIC_DEDUP_ENABLED"] = "false"
    if request.endpoint:
        os.environ["MCP_EXTERNAL_EMBEDDING_URL"] = f"{request.endpoint}/embeddings"
        os.environ["MCP_EXTERNAL_EMBEDDING_MODEL"] = request.model
    from mcp_memory_service.api import search as find
    from mcp_memory_service.api import store

    ids = {store(text): name for name, text in request.memories.items()}

    def search(question: str) -> list[str]:
        return [ids[hit.hash] for hit in find(question, limit=request.limit).memories]

    return search

"""MemPalace: the tools that its MCP server gives to an agent."""

from __future__ import annotations

import os

from benchmarks.peers.driver import Request, Search


def remember(request: Request) -> Search:
    """One drawer for each memory, all in one room."""
    os.environ["MEMPALACE_PALACE_PATH"] = request.folder
    if request.endpoint:
        os.environ["MEMPALACE_EMBEDDING_MODEL"] = "openai-compat"
        os.environ["MEMPALACE_EMBEDDING_API_URL"] = request.endpoint
        os.environ["MEMPALACE_EMBEDDING_API_MODEL"] = request.model
    from mempalace.mcp_server import tool_add_drawer, tool_search

    ids = {}
    for name, text in request.memories.items():
        added = tool_add_drawer("project", "memories", text)
        if not added.get("success"):
            raise RuntimeError(added.get("error", "the drawer was not added"))
        ids[added["drawer_id"]] = name
    texts = request.ids_by_text()

    def search(question: str) -> list[str]:
        found = tool_search(question, limit=request.limit)
        if "results" not in found:
            raise RuntimeError(found.get("error", "no results"))
        return [
            ids.get(hit.get("drawer_id", "")) or texts[hit["text"].strip()]
            for hit in found["results"]
        ]

    return search

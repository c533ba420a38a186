"""OMEGA as a library: its documented `store`, and `query` with structured results."""

from __future__ import annotations

import os

from benchmarks.peers.driver import Request, Search


def remember(request: Request) -> Search:
    """Store each text as a memory."""
    os.environ["OMEGA_HOME"] = request.folder
    from omega import query_structured, store

    for name, text in request.memories.items():
        store(text, "memory", metadata={"name": name})
    texts = request.ids_by_text()

    def search(question: str) -> list[str]:
        found = query_structured(question, limit=request.limit)
        return [texts[hit["content"]] for hit in found if hit["content"] in texts]

    return search

"""mem0 without a language model: texts are kept as they are (`infer=False`)."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.peers.driver import Request, Search

_USER = "developer"


def remember(request: Request) -> Search:
    """Add each text with an id of ours in its metadata."""
    folder = Path(request.folder)
    os.environ.update(MEM0_DIR=str(folder), MEM0_TELEMETRY="False")
    # The client of the language model wants a key even if it is never called.
    os.environ.setdefault("OPENAI_API_KEY", "none")
    from mem0 import Memory

    memory = Memory.from_config(
        {
            "embedder": {
                "provider": "openai",
                "config": {
                    "model": request.model,
                    "openai_base_url": request.endpoint,
                    "embedding_dims": request.dimensions,
                },
            },
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "path": str(folder / "qdrant"),
                    "embedding_model_dims": request.dimensions,
                },
            },
            "history_db_path": str(folder / "history.db"),
        }
        if request.endpoint
        else {}
    )
    for name, text in request.memories.items():
        memory.add(text, user_id=_USER, metadata={"name": name}, infer=False)

    def search(question: str) -> list[str]:
        # Its threshold is for the cosines of its own model.
        options = {"threshold": 0.0} if request.endpoint else {}
        found = memory.search(question, filters={"user_id": _USER}, top_k=request.limit, **options)
        return [hit["metadata"]["name"] for hit in found["results"]]

    return search

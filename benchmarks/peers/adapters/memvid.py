"""Memvid: one file; keyword search by default, and vectors if you bring an embedder.

By words, `find` returns only texts that have all of them, so questions go to `ask`, without a
language model.
"""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.peers.driver import Request, Search, title_of


def remember(request: Request) -> Search:
    """Put all texts at once, with their titles."""
    os.environ["MEMVID_TELEMETRY"] = "0"
    from memvid_sdk import create
    from memvid_sdk.embeddings import NvidiaEmbeddings

    # The one of its embedders that takes the address of any OpenAI-compatible server.
    embedder = request.endpoint and NvidiaEmbeddings(
        api_key="none", base_url=request.endpoint.removesuffix("/v1"), model=request.model
    )
    memory = create(str(Path(request.folder) / "memory.mv2"), enable_vec=bool(embedder))
    names = {f"mv2://memories/{number}": name for number, name in enumerate(request.memories)}
    memory.put_many(
        [
            {"title": title_of(text), "label": "memory", "text": text, "uri": uri}
            for uri, text in zip(names, request.memories.values(), strict=True)
        ],
        embeddings=embedder.embed_documents(list(request.memories.values())) if embedder else None,
    )

    def search(question: str) -> list[str]:
        if embedder:
            vector = embedder.embed_query(question)
            found = memory.find(question, k=request.limit, query_embedding=vector)
        else:
            found = memory.ask(question, k=request.limit, context_only=True)
        return [names[hit["uri"].partition("#")[0]] for hit in found["hits"]]

    return search

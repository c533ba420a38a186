"""memsearch: a folder of Markdown files, one for each memory."""

from __future__ import annotations

import asyncio
from pathlib import Path

from memsearch import MemSearch

from benchmarks.peers.driver import Request, Search, title_of


def remember(request: Request) -> Search:
    """Write the files and index them; the title is a heading, as in its documentation."""
    notes = Path(request.folder) / "memory"
    notes.mkdir()
    names = {}
    for number, (name, text) in enumerate(request.memories.items()):
        file = notes / f"{number:03}.md"
        title = title_of(text)
        file.write_text(f"# {title}\n{text.removeprefix(title)}\n", "utf-8")
        names[str(file.resolve())] = name
    # Without a server: its offline provider, which the documentation names for local use.
    embedding = (
        {
            "embedding_provider": "openai",
            "embedding_model": request.model,
            "embedding_base_url": request.endpoint,
            "embedding_api_key": "none",
        }
        if request.endpoint
        else {"embedding_provider": "onnx"}
    )
    memory = MemSearch(
        paths=[str(notes)], milvus_uri=str(Path(request.folder) / "milvus.db"), **embedding
    )
    runner = asyncio.Runner()
    runner.run(memory.index())

    def search(question: str) -> list[str]:
        found = runner.run(memory.search(question, top_k=request.limit))
        return [names[str(Path(hit["source"]).resolve())] for hit in found]

    return search

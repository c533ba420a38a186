"""Runs in the environment of a peer: read a request, let the adapter answer it, write the answers.

python -m benchmarks.peers.driver ADAPTER REQUEST ANSWER

An adapter has a function `remember`: it stores all memories of a request and returns a function
that searches. This module and the adapters need the standard library and the peer, nothing else.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

# What an adapter returns: it takes a question and gives the ids of memories, best first.
Search = Callable[[str], Iterable[str]]


@dataclass(frozen=True)
class Request:
    """What a peer has to remember, what it is asked, and how it gets vectors."""

    # An empty folder for the store.
    folder: str
    # Id → text; the first line of a text is its title.
    memories: dict[str, str]
    questions: list[str]
    limit: int
    # An OpenAI-compatible server on this machine, the model that it has, and the length of its
    # vectors; an empty address means the peer's own default.
    endpoint: str = ""
    model: str = ""
    dimensions: int = 0

    def ids_by_text(self) -> dict[str, str]:
        """For peers that return the text and no key of ours."""
        return {text: name for name, text in self.memories.items()}


def title_of(text: str) -> str:
    """The first line."""
    return text.partition("\n")[0]


def first_distinct(names: Iterable[str], limit: int) -> list[str]:
    """At most so many ids, each once: a peer that splits texts may find a memory twice."""
    return list(dict.fromkeys(names))[:limit]


def main() -> None:
    """Answer one request."""
    adapter, asked, answer = sys.argv[1:]
    request = Request(**json.loads(Path(asked).read_text("utf-8")))
    module = importlib.import_module(f"benchmarks.peers.adapters.{adapter}")
    search: Search = module.remember(request)
    rankings = [first_distinct(search(one), request.limit) for one in request.questions]
    Path(answer).write_text(json.dumps(rankings), "utf-8")
    sys.stdout.flush()
    # Some peers leave threads behind that never end.
    os._exit(0)


if __name__ == "__main__":
    main()

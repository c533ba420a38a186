"""What our search is compared with: bare keyword search, a bare embedder, and both by rank."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from benchmarks.datasets import Corpus, Item, Query
from recollect.embedding import Embedder

DEPTH = 100
RRF_K = 60
BATCH = 256
REPORT = 1000
_WORD = re.compile(r"\w+")


class System(Protocol):
    """Something that remembers a corpus and answers queries about it."""

    name: str

    def build(self, corpus: Corpus) -> None:
        """Take in all items."""

    def search(self, query: Query, limit: int) -> list[str]:
        """The ids of the best items, best first."""


class Fts:
    """Plain FTS5: Porter stems, BM25 as it comes, any of the words of the query."""

    name = "fts"

    def __init__(self) -> None:
        self._groups: dict[str, tuple[list[Item], sqlite3.Connection]] = {}

    def build(self, corpus: Corpus) -> None:
        """One table for every group, so that each has its own word statistics."""
        self._groups = {}
        for group, items in corpus.groups().items():
            oldest_first = sorted(items, key=lambda item: item.time)
            self._groups[group] = oldest_first, _table(oldest_first)

    def search(self, query: Query, limit: int) -> list[str]:
        """The best matches by BM25."""
        words = " OR ".join(f'"{word}"' for word in _WORD.findall(query.text))
        items, table = self._groups[query.group]
        older = len(items)
        if query.time is not None:
            older = bisect_left(items, query.time, key=lambda item: item.time)
        if not words or not older:
            return []
        rows = table.execute(
            "SELECT rowid FROM item WHERE item MATCH ? AND rowid <= ? ORDER BY rank LIMIT ?",
            (words, older, limit),
        )
        return [items[row[0] - 1].id for row in rows]


def _table(items: Iterable[Item]) -> sqlite3.Connection:
    """The texts; the first row is 1."""
    database = sqlite3.connect(":memory:")
    database.execute(
        "CREATE VIRTUAL TABLE item USING fts5 (text, tokenize='porter unicode61', content='')"
    )
    database.executemany(
        "INSERT INTO item (rowid, text) VALUES (?, ?)",
        ((number, item.text) for number, item in enumerate(items, start=1)),
    )
    return database


class CachedEmbedder:
    """An embedder that keeps its vectors in a file, by the name of the model and the text."""

    # Whether the vector of a single text, which is a query, is kept too: not where time counts.
    keeps_queries = False

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self.embedder = embedder
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"vectors-{re.sub(r'[^A-Za-z0-9.-]+', '_', embedder.name)}.sqlite"
        self._database = sqlite3.connect(self.path, timeout=60, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID"
        )

    @property
    def name(self) -> str:
        """The model's name."""
        return self.embedder.name

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return self.embedder.dimensions

    @property
    def window(self) -> int:
        """Tokens of a text that are seen."""
        return self.embedder.window

    def count_tokens(self, text: str) -> int:
        """How much of the window a text takes."""
        return self.embedder.count_tokens(text)

    def embed(self, texts: Sequence[str], pause: object = None) -> list[bytes]:  # noqa: ARG002
        """The vectors of the texts, from the file as far as it has them."""
        if len(texts) == 1 and not self.keeps_queries:
            return self.embedder.embed(texts)
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        found: dict[bytes, bytes] = {}
        for key in keys:
            row = self._database.execute("SELECT value FROM vector WHERE key = ?", (key,))
            found.update((key, value) for (value,) in row)
        unknown = {k: t for k, t in zip(keys, texts, strict=True) if k not in found}
        ordered = sorted(unknown.items(), key=lambda pair: len(pair[1]))
        for start in range(0, len(ordered), BATCH):
            batch = ordered[start : start + BATCH]
            vectors = self.embedder.embed([text for _, text in batch])
            fresh = dict(zip((key for key, _ in batch), vectors, strict=True))
            with self._database:
                self._database.executemany(
                    "INSERT OR IGNORE INTO vector VALUES (?, ?)", fresh.items()
                )
            found |= fresh
            if len(texts) > REPORT:
                print(f"embedded {start + len(batch)}/{len(ordered)}", file=sys.stderr)
        return [found[key] for key in keys]


class Vectors:
    """The embedder alone: one vector for a whole text, as far as the model reads, by cosine."""

    name = "embedder"

    def __init__(self, embedder: Embedder | CachedEmbedder) -> None:
        self.embedder = embedder
        self._groups: dict[str, tuple[list[Item], Any]] = {}

    def build(self, corpus: Corpus) -> None:
        """Embed every item."""
        self._groups = {
            group: (items, _matrix(self.embedder.embed([item.text for item in items])))
            for group, items in corpus.groups().items()
        }

    def search(self, query: Query, limit: int) -> list[str]:
        """The nearest items."""
        items, matrix = self._groups[query.group]
        (vector,) = self.embedder.embed([query.text])
        found = []
        for at in _nearest(matrix, vector):
            if query.time is None or items[at].time < query.time:
                found.append(items[at].id)
                if len(found) == limit:
                    break
        return found


def _matrix(vectors: Sequence[bytes]) -> Any:
    import numpy

    return numpy.frombuffer(b"".join(vectors), dtype="float32").reshape(len(vectors), -1)


def _nearest(matrix: Any, vector: bytes) -> Iterator[int]:
    """The rows by falling cosine; equal ones in their order."""
    import numpy

    products = matrix @ numpy.frombuffer(vector, dtype="float32")
    yield from map(int, numpy.argsort(-products, kind="stable"))


class EqualRrf:
    """Reciprocal rank fusion of two systems with equal votes."""

    name = "rrf"

    def __init__(self, one: System, other: System) -> None:
        self.halves = one, other

    def build(self, corpus: Corpus) -> None:
        """Nothing to do: both halves have been built."""

    def search(self, query: Query, limit: int) -> list[str]:
        """The items that both halves like best together."""
        return fuse_ranks([half.search(query, DEPTH) for half in self.halves])[:limit]


def fuse_ranks(rankings: Iterable[Sequence[str]]) -> list[str]:
    """The union of some rankings, by the sum of 1 / (60 + rank)."""
    votes: dict[str, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            votes[item] = votes.get(item, 0.0) + 1 / (RRF_K + rank)
    return sorted(votes, key=lambda item: -votes[item])

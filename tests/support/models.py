"""A stand-in for an embedding model, so that a test can have several."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence


class OneVector:
    """An embedder for which every text means the same; it remembers the texts it was given."""

    dimensions = 2
    window = 256

    def __init__(self, name: str, before: Callable[[], None] = lambda: None) -> None:
        self.name = name
        self.texts: list[str] = []
        self._before = before

    def embed(self, texts: Sequence[str], pause: Callable[[], None] | None = None) -> list[bytes]:
        """The same vector for each text."""
        self._before()
        self.texts += texts
        return [struct.pack("<2f", 1.0, 0.0) for _ in texts]

    def count_tokens(self, text: str) -> int:
        """About a token for each word."""
        return len(text.split())

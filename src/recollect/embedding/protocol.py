"""What an embedder is: text to vectors, and a name under which vectors may be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """A model that turns texts into vectors of length one, so that their product is the cosine."""

    @property
    def name(self) -> str:
        """Model and weights, `model@hash`; vectors of two names are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        ...

    @property
    def window(self) -> int:
        """Tokens of a text that are seen; what follows them is not."""
        ...

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector for each text: float32, little endian, length one."""
        ...

    def count_tokens(self, text: str) -> int:
        """How much of the window a text takes."""
        ...

"""The embedder protocol: text to vectors, and a name that says which vectors are comparable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol


class Embedder(Protocol):
    """A model that turns texts into unit vectors, so that their dot product is the cosine."""

    @property
    def name(self) -> str:
        """Model and weights, `model@hash`; vectors with different names are never compared."""
        ...

    @property
    def dimensions(self) -> int:
        """The number of dimensions of a vector."""
        ...

    @property
    def window(self) -> int:
        """How many tokens of a text the model reads; it ignores the rest."""
        ...

    def embed(self, texts: Sequence[str], pause: Callable[[], None] | None = None) -> list[bytes]:
        """Return one vector per text: float32, little endian, unit length.

        It calls `pause` every few milliseconds, so that other work can go first.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of the window a text takes."""
        ...


def hash_in(name: str) -> str:
    """Return the hash in the name of a model: that of its weights, whatever else is tuned."""
    return name.partition("@")[2]

"""Text to vectors, offline: a real model in plain numpy, its weights from the package registry.

Importing this package costs nothing: numpy and the model are loaded by `open_embedder`, because a
hook that searches by keyword must not pay for them. Every way in which a model can be unusable is
an `EmbeddingError`, and whoever catches it goes on with keyword search.
"""

from recollect.embedding.chunking import chunks
from recollect.embedding.protocol import Embedder
from recollect.embedding.registry import CHOICES, open_embedder

__all__ = ["CHOICES", "Embedder", "chunks", "open_embedder"]

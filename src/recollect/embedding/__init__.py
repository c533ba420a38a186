"""Text to vectors, offline: a real model in plain numpy, its weights from the package registry.

Importing this package is cheap: `open_embedder` loads numpy and the model, because a hook that
searches by keyword must not pay for them. Every reason why a model is unusable is an
`EmbeddingError`; callers catch it and continue with keyword search.
"""

from recollect.embedding.chunking import chunks
from recollect.embedding.protocol import Embedder
from recollect.embedding.registry import CHOICES, open_embedder

__all__ = ["CHOICES", "Embedder", "chunks", "open_embedder"]

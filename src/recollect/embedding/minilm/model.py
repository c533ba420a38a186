"""all-MiniLM-L6-v2: where its weights are in the files that have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.embedding.transformer import (
    DIMENSIONS,
    LAYERS,
    WIDE,
    WINDOW,
    Affine,
    Layer,
    Network,
    Transformer,
    attending,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.embedding.minilm.weights import Tensors
    from recollect.embedding.minilm.wordpiece import WordPiece

    Floats = NDArray[np.float32]

_MATRICES = (
    ("attention.self.query", DIMENSIONS, DIMENSIONS),
    ("attention.self.key", DIMENSIONS, DIMENSIONS),
    ("attention.self.value", DIMENSIONS, DIMENSIONS),
    ("attention.output.dense", DIMENSIONS, DIMENSIONS),
    ("intermediate.dense", DIMENSIONS, WIDE),
    ("output.dense", WIDE, DIMENSIONS),
)


def minilm(name: str, words: WordPiece, tensors: Tensors, threads: int = 1) -> Transformer:
    """Make the embedder; raise `ValueError` if the tensors are not as expected."""
    import numpy as np

    source = _Source(tensors)
    table, table_scales = source.table("embeddings.word_embeddings.weight")
    if len(table) != len(words):
        raise ValueError(f"it has {len(table)} words and its vocabulary {len(words)}")
    rows, scales = source.table("embeddings.position_embeddings.weight")
    kinds = source.floats("embeddings.token_type_embeddings.weight")
    positions = np.multiply(rows[: WINDOW + 2], scales[: WINDOW + 2], dtype=np.float32)
    positions += kinds[0]
    network = Network(
        table,
        table_scales,
        positions,
        source.norm("embeddings.LayerNorm"),
        [source.layer(n) for n in range(LAYERS)],
    )
    return Transformer(name, words, network, threads=threads)


class _Source:
    """Tensors by the names of the published model, from either file format.

    The ONNX export kept the names of vectors and tables but lost those of the matrices, which are
    in layer order, transposed, as int8 with one scale per column.
    """

    def __init__(self, tensors: Tensors) -> None:
        self._tensors = tensors
        self._prefix = "inner." if any(name.startswith("inner.") for name in tensors) else ""
        self._unnamed = [
            name.removesuffix("_q")
            for name in tensors
            if name.endswith("_q") and not name.startswith(self._prefix or "embeddings.")
        ]

    def floats(self, name: str, *shape: int) -> Floats:
        """Return a tensor that is stored as it is used."""
        found = self._tensors.get(self._prefix + name)
        if found is None or found.dtype != "<f4" or (shape and found.shape != shape):
            raise ValueError(f"{name} is missing or has an unexpected shape")
        return found

    def norm(self, name: str) -> Affine:
        """Return scale and shift of a layer normalisation."""
        return Affine(
            self.floats(f"{name}.weight", DIMENSIONS), self.floats(f"{name}.bias", DIMENSIONS)
        )

    def table(self, name: str) -> tuple[NDArray[Any], Floats]:
        """Return the stored rows of a table, and the scale of each row."""
        import numpy as np

        rows = self._tensors.get(f"{self._prefix}{name}_q")
        if rows is None:
            rows = self.floats(name)
            scales = np.ones((len(rows), 1), dtype=np.float32)
        else:
            scales = self.floats(f"{name}_scale", len(rows), 1)
        if rows.shape[1:] != (DIMENSIONS,):
            raise ValueError(f"{name} has an unexpected shape")
        return rows, scales

    def layer(self, number: int) -> Layer:
        """Return one layer, widened to float32."""
        prefix = f"encoder.layer.{number}."
        parts = [
            Affine(self._matrix(number, place), self.floats(f"{prefix}{name}.bias", size))
            for place, (name, _, size) in enumerate(_MATRICES)
        ]
        query, key, value, join, widen, narrow = parts
        attend = attending(query, key, value)
        join_norm = self.norm(f"{prefix}attention.output.LayerNorm")
        return Layer(attend, join, join_norm, widen, narrow, self.norm(f"{prefix}output.LayerNorm"))

    def _matrix(self, number: int, place: int) -> Floats:
        import numpy as np

        name, rows, columns = _MATRICES[place]
        if not self._unnamed:
            stored = self.floats(f"encoder.layer.{number}.{name}.weight", columns, rows)
            return np.ascontiguousarray(stored.T)
        if len(self._unnamed) != LAYERS * len(_MATRICES):
            raise ValueError(f"it has {len(self._unnamed)} matrices")
        key = self._unnamed[number * len(_MATRICES) + place]
        narrow, scale = self._tensors[f"{key}_q"], self._tensors.get(f"{key}_scale")
        if narrow.shape != (rows, columns) or scale is None or scale.shape != (1, columns):
            raise ValueError(f"{key} has an unexpected shape")
        return np.multiply(narrow, scale, dtype=np.float32)

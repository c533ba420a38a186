"""all-MiniLM-L6-v2 in plain numpy: six transformer layers, mean pooling, unit length.

The weights stay in the mapped file as int8 until they are used: the layers are widened once at
load, and of the word table only the rows that a text needs. So it starts faster than a runtime that
widens everything, and it needs nothing but numpy. The vector of a text does not depend on the other
texts in a call, except for floating-point rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recollect.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from recollect.embedding.minilm.weights import Tensors
    from recollect.embedding.minilm.wordpiece import WordPiece

    Floats = NDArray[np.float32]

LAYERS, HEADS, DIMENSIONS, WIDE = 6, 12, 384, 1536
# The published model reads 256 tokens; the markers at both ends are two of them.
WINDOW = 256 - 2
# Tokens in one pass, padding included: with more, the wide layer does not fit the cache.
_PASS = 512
_EPSILON = 1e-12
_MATRICES = (
    ("attention.self.query", DIMENSIONS, DIMENSIONS),
    ("attention.self.key", DIMENSIONS, DIMENSIONS),
    ("attention.self.value", DIMENSIONS, DIMENSIONS),
    ("attention.output.dense", DIMENSIONS, DIMENSIONS),
    ("intermediate.dense", DIMENSIONS, WIDE),
    ("output.dense", WIDE, DIMENSIONS),
)


@dataclass(frozen=True, slots=True)
class _Affine:
    """A matrix and a bias; or a scale and a shift, for a norm."""

    weight: Floats
    bias: Floats


@dataclass(frozen=True, slots=True)
class _Layer:
    """One transformer layer; query, key and value are one matrix, for one large product."""

    attend: _Affine
    join: _Affine
    join_norm: _Affine
    widen: _Affine
    narrow: _Affine
    narrow_norm: _Affine


class MiniLM:
    """The embedder. It is safe to share between threads.

    Several stores embed the same query one after the other, so the last one is cached.
    """

    dimensions = DIMENSIONS
    window = WINDOW

    def __init__(self, name: str, words: WordPiece, tensors: Tensors, threads: int = 1) -> None:
        """Widen the layers; raise `ValueError` if the tensors are not as expected."""
        import numpy as np

        source = _Source(tensors)
        self.name = name
        self._words = words
        self._last: tuple[Sequence[str], list[bytes]] = ((), [])
        self._threads = threads
        self._rows, self._row_scales = source.table("embeddings.word_embeddings.weight")
        if len(self._rows) != len(words):
            raise ValueError(f"it has {len(self._rows)} words and its vocabulary {len(words)}")
        rows, scales = source.table("embeddings.position_embeddings.weight")
        kinds = source.floats("embeddings.token_type_embeddings.weight")
        self._positions = np.multiply(rows[: WINDOW + 2], scales[: WINDOW + 2], dtype=np.float32)
        self._positions += kinds[0]
        self._norm = source.norm("embeddings.LayerNorm")
        self._layers = [source.layer(n) for n in range(LAYERS)]

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of the window a text takes."""
        return len(self._words.encode(text))

    def embed(self, texts: Sequence[str], pause: Callable[[], None] | None = None) -> list[bytes]:
        """Return one vector per text: float32, little endian, unit length.

        It calls `pause` twice in each layer, so that other work can go first.
        """
        asked, known = self._last
        if len(texts) == 1 and list(asked) == list(texts):
            return list(known)
        vectors = self._embed(texts, pause or _go_on)
        if len(texts) == 1:
            self._last = list(texts), vectors
        return list(vectors)

    def _embed(self, texts: Sequence[str], pause: Callable[[], None]) -> list[bytes]:
        words = self._words
        tokens = [[words.first, *words.encode(text)[:WINDOW], words.last] for text in texts]
        passes = list(_passes([len(ids) for ids in tokens]))
        vectors: list[bytes] = [b""] * len(texts)

        def run(chosen: list[int]) -> None:
            found = self._run([tokens[n] for n in chosen], pause)
            for n, vector in zip(chosen, found, strict=True):
                vectors[n] = vector.astype("<f4").tobytes()

        workers = min(self._threads, len(passes))
        try:
            if workers < 2:
                for chosen in passes:
                    run(chosen)
            else:
                from concurrent.futures import ThreadPoolExecutor

                with ThreadPoolExecutor(workers) as pool:
                    list(pool.map(run, passes))
        except MemoryError as error:
            raise EmbeddingError(
                "There is not enough memory to run the embedding model.",
                "Close other programs, or choose `none` as the embedder.",
            ) from error
        return vectors

    def _run(self, batch: list[list[int]], pause: Callable[[], None]) -> Floats:
        """Run one pass. Shorter texts are padded, and attention ignores the padding."""
        import numpy as np

        longest = max(map(len, batch))
        ids = np.zeros((len(batch), longest), dtype=np.intp)
        for row, tokens in zip(ids, batch, strict=True):
            row[: len(tokens)] = tokens
        lengths = np.array([[len(tokens)] for tokens in batch])
        real = (np.arange(longest) < lengths).astype(np.float32)
        hidden_from = (real - 1)[:, None, None, :] * np.float32(1e9)

        x = np.multiply(self._rows[ids], self._row_scales[ids], dtype=np.float32)
        x += self._positions[:longest]
        x = x.reshape(-1, DIMENSIONS)
        _normalise(x, self._norm)
        for layer in self._layers:
            pause()
            heads = _apply(x, layer.attend).reshape(len(batch), longest, 3, HEADS, -1)
            x += _apply(_attention(heads, hidden_from), layer.join)
            _normalise(x, layer.join_norm)
            pause()
            x += _apply(_gelu(_apply(x, layer.widen)), layer.narrow)
            _normalise(x, layer.narrow_norm)
        sums: Floats = (real[:, None, :] @ x.reshape(len(batch), longest, -1))[:, 0]
        sums /= np.sqrt(np.einsum("ij,ij->i", sums, sums))[:, None]
        return sums


def _go_on() -> None:
    """Pause for nobody."""


def _passes(lengths: list[int]) -> Iterator[list[int]]:
    """Group texts of similar length, as many as one pass takes, longest first."""
    chosen: list[int] = []
    for n in sorted(range(len(lengths)), key=lambda n: -lengths[n]):
        if chosen and lengths[chosen[0]] * (len(chosen) + 1) > _PASS:
            yield chosen
            chosen = []
        chosen.append(n)
    if chosen:
        yield chosen


def _apply(x: Floats, affine: _Affine) -> Floats:
    y = x @ affine.weight
    y += affine.bias
    return y


def _normalise(x: Floats, norm: _Affine) -> None:
    """Layer normalisation, in place."""
    import numpy as np

    x -= x.mean(axis=-1, keepdims=True)
    variance = np.einsum("ij,ij->i", x, x) / DIMENSIONS
    x /= np.sqrt(variance + np.float32(_EPSILON))[:, None]
    x *= norm.weight
    x += norm.bias


def _attention(heads: Floats, hidden_from: Floats) -> Floats:
    """Return each token's mean of the values, weighted by how well its query matches their keys."""
    import numpy as np

    query = heads[:, :, 0].transpose(0, 2, 1, 3)
    key = heads[:, :, 1].transpose(0, 2, 3, 1)
    value = heads[:, :, 2].transpose(0, 2, 1, 3)
    weights: Floats = query @ key
    weights += hidden_from
    weights -= weights.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    means: Floats = weights @ value
    means /= weights.sum(axis=-1, keepdims=True)
    return means.transpose(0, 2, 1, 3).reshape(-1, DIMENSIONS)


def _gelu(x: Floats) -> Floats:
    """The usual approximation of x · Φ(x): `x / (1 + exp(-1.5958 (x + 0.044715 x³)))`."""
    import numpy as np

    y = x * x
    y *= np.float32(-2 * math.sqrt(2 / math.pi) * 0.044715)
    y -= np.float32(2 * math.sqrt(2 / math.pi))
    y *= x
    with np.errstate(over="ignore"):  # a large number below acts as infinity
        np.exp(y, out=y)
    y += np.float32(1)
    np.divide(x, y, out=y)
    return y


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

    def norm(self, name: str) -> _Affine:
        """Return scale and shift of a layer normalisation."""
        return _Affine(
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

    def layer(self, number: int) -> _Layer:
        """Return one layer, widened to float32. The attention scale is folded into the query."""
        import numpy as np

        prefix = f"encoder.layer.{number}."
        parts = [
            _Affine(self._matrix(number, place), self.floats(f"{prefix}{name}.bias", size))
            for place, (name, _, size) in enumerate(_MATRICES)
        ]
        query, key, value, join, widen, narrow = parts
        scale = np.float32(1 / math.sqrt(DIMENSIONS // HEADS))
        attend = _Affine(
            np.concatenate([query.weight * scale, key.weight, value.weight], axis=1),
            np.concatenate([query.bias * scale, key.bias, value.bias]),
        )
        join_norm = self.norm(f"{prefix}attention.output.LayerNorm")
        return _Layer(
            attend, join, join_norm, widen, narrow, self.norm(f"{prefix}output.LayerNorm")
        )

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

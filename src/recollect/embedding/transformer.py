"""A transformer encoder in plain numpy: six layers, one vector of unit length for each text.

The weights stay in the mapped file as int8 until they are used: the layers are widened once at
load, and of the word table only the rows that a text needs. So it starts faster than a runtime that
widens everything, and it needs nothing but numpy. The vector of a text does not depend on the other
texts in a call, except for floating-point rounding.
"""

from __future__ import annotations

import math
import os
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from recollect.core.named_tuple import NamedTuple
from recollect.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

LAYERS, HEADS, DIMENSIONS, WIDE = 6, 12, 384, 1536
_HEAD = DIMENSIONS // HEADS
# Tokens of a text that are read; the markers at both ends come on top.
WINDOW = 256 - 2
# Texts that were embedded alone whose vectors are cached.
_CACHED = 4
# Tokens in one pass, padding included: with more, the wide layer does not fit the cache.
_PASS = 512
# The shortest text of a pass, as a share of the longest, because it is padded: 0.5 to 0.7 are
# equally good.
_LEAST_SHARE = 0.6
_EPSILON = 1e-12
# The multiplications of a product that OpenBLAS does in place, if it has 512-bit vectors.
_IN_PLACE = 1_000_000
# What OpenBLAS may be told to be, if it is told anything, to use them.
_WIDE_CORES = ("", "SKYLAKEX", "COOPERLAKE", "SAPPHIRERAPIDS")


class Tokenizer(Protocol):
    """Converts texts to token ids, and knows the markers at their ends."""

    first: int
    last: int

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without the markers at its ends."""


class Affine(NamedTuple):
    """A matrix and a bias; or a scale and a shift, for a norm.

    The matrix may be cut into blocks of columns, one after the other: see `block_width`. An update
    is two narrow matrices, whose product is added to the matrix without being made.
    """

    weight: Floats
    bias: Floats
    update: tuple[Floats, Floats] | None = None


class Layer(NamedTuple):
    """One transformer layer; query, key and value are one matrix, for one large product."""

    attend: Affine
    join: Affine
    join_norm: Affine
    widen: Affine
    narrow: Affine
    narrow_norm: Affine


class Network(NamedTuple):
    """What a model learned."""

    # The rows of the word table, and their scales: one for a row, or one for each part of it.
    words: NDArray[Any]
    scales: Floats
    positions: Floats
    norm: Affine
    layers: Sequence[Layer]


@cache
def block_width(rows: int) -> int:
    """Return how many columns each block of a matrix with so many rows has; 0 for no blocks.

    Before each product, OpenBLAS copies both matrices, which for a short text takes as long as the
    product. With 512-bit vectors, it multiplies small matrices in place: see `_IN_PLACE`. Without
    such vectors blocks are slower, also if it was only told to do without them.
    """
    import numpy as np

    config: Any = np.show_config(mode="dicts")
    found = config.get("SIMD Extensions", {}).get("found", [])
    told = os.environ.get("OPENBLAS_CORETYPE", "").upper()
    is_wide = not {"AVX512_SKX", "X86_V4"}.isdisjoint(found) and told in _WIDE_CORES
    return (64 if rows <= DIMENSIONS else 32) if is_wide else 0


def query_scale() -> np.float32:
    """Return the attention scale, which is folded into the query."""
    import numpy as np

    return np.float32(1 / math.sqrt(_HEAD))


def attending(query: Affine, key: Affine, value: Affine) -> Affine:
    """Return the three as one matrix. The attention scale is folded into the query."""
    import numpy as np

    scale = query_scale()
    return Affine(
        np.concatenate([query.weight * scale, key.weight, value.weight], axis=1),
        np.concatenate([query.bias * scale, key.bias, value.bias]),
    )


class Transformer:
    """An embedder. It is safe to share between threads.

    Several stores embed the same query one after the other, some without the words that are common
    there, and then again. So the last few are cached.
    """

    dimensions = DIMENSIONS
    window = WINDOW

    def __init__(
        self,
        name: str,
        words: Tokenizer,
        network: Network,
        *,
        threads: int = 1,
        centre: Floats | None = None,
    ) -> None:
        """Without a `centre`, a text is the mean of its tokens.

        With one, it is its first token, a marker that has read the others, seen from the centre.
        """
        self.name = name
        self._words = words
        self._network = network
        self._threads = threads
        self._centre = centre
        self._last: dict[str, bytes] = {}

    def count_tokens(self, text: str) -> int:
        """Return how many tokens of the window a text takes."""
        return len(self._words.encode(text))

    def embed(self, texts: Sequence[str], pause: Callable[[], None] | None = None) -> list[bytes]:
        """Return one vector per text: float32, little endian, unit length.

        It calls `pause` twice in each layer, so that other work can go first.
        """
        if len(texts) == 1 and texts[0] in (last := self._last):
            return [last[texts[0]]]
        vectors = self._embed(texts, pause or go_on)
        if len(texts) == 1:
            last = {**self._last, texts[0]: vectors[0]}
            self._last = dict([*last.items()][-_CACHED:])
        return vectors

    def _embed(self, texts: Sequence[str], pause: Callable[[], None]) -> list[bytes]:
        words = self._words
        tokens = [[words.first, *words.encode(text)[:WINDOW], words.last] for text in texts]
        passes = list(passes_of([len(ids) for ids in tokens]))
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
        """Run one pass, and return the vectors of the texts."""
        import numpy as np

        if self._centre is None:
            *_, x = self._states(batch, pause)
            lengths = np.array([[len(tokens)] for tokens in batch])
            real = (np.arange(x.shape[1]) < lengths).astype(np.float32)
            return _of_unit_length((real[:, None, :] @ x)[:, 0])
        x = self._first_tokens(batch, pause)
        return _of_unit_length(_of_unit_length(x) - self._centre)

    def _first_tokens(self, batch: list[list[int]], pause: Callable[[], None]) -> Floats:
        """Return the first token of each text after all layers."""
        *_, x = self._states(batch, pause, only_first=True)
        return x[:, 0]

    def _states(
        self,
        batch: list[list[int]],
        pause: Callable[[], None],
        layers: Sequence[Layer] | None = None,
        *,
        only_first: bool = False,
        updated: int | None = None,
    ) -> Iterator[Floats]:
        """Yield the tokens of texts after each layer: the same array, which the next one changes.

        Shorter texts are padded, and attention ignores the padding. `layers`: others than its own.
        Their updates count for the first texts only, if `updated` says for how many. With
        `only_first`, the last layer makes the first token of each text only: that saves most of its
        work.
        """
        import numpy as np

        longest = max(map(len, batch))
        ids = np.zeros((len(batch), longest), dtype=np.intp)
        for row, tokens in zip(ids, batch, strict=True):
            row[: len(tokens)] = tokens
        lengths = np.array([[len(tokens)] for tokens in batch])
        real = (np.arange(longest) < lengths).astype(np.float32)
        hidden_from = (real - 1)[:, None, None, :] * np.float32(1e9)

        net = self._network
        scales = net.scales[ids]
        parts = net.words[ids].reshape(*scales.shape, -1)
        x = np.multiply(parts, scales[..., None], dtype=np.float32)
        x = x.reshape(*ids.shape, DIMENSIONS)
        x += net.positions[:longest]
        x = x.reshape(-1, DIMENSIONS)
        _normalise(x, net.norm)
        layers = net.layers if layers is None else layers
        rows = None if updated is None else updated * longest
        for number, layer in enumerate(layers, 1):
            pause()
            if only_first and number == len(layers):
                key, value = _heads(x, _columns(layer.attend, DIMENSIONS, 3 * DIMENSIONS), batch)
                x = x.reshape(len(batch), longest, DIMENSIONS)[:, 0].copy()
                (query,) = _heads(x, _columns(layer.attend, 0, DIMENSIONS), batch)
            else:
                query, key, value = _heads(x, layer.attend, batch, rows)
            x += _apply(_attention(query, key, value, hidden_from), layer.join, rows)
            _normalise(x, layer.join_norm)
            pause()
            x += _apply(_gelu(_apply(x, layer.widen, rows)), layer.narrow, rows)
            _normalise(x, layer.narrow_norm)
            yield x.reshape(len(batch), -1, DIMENSIONS)


def _of_unit_length(vectors: Floats) -> Floats:
    import numpy as np

    lengths: Floats = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    unit: Floats = vectors / lengths[:, None]
    return unit


def go_on() -> None:
    """Pause for nobody."""


def passes_of(lengths: list[int]) -> Iterator[list[int]]:
    """Group texts of similar length, as many as one pass takes, longest first."""
    chosen: list[int] = []
    for n in sorted(range(len(lengths)), key=lambda n: -lengths[n]):
        longest = lengths[chosen[0]] if chosen else 0
        if longest * (len(chosen) + 1) > _PASS or lengths[n] < _LEAST_SHARE * longest:
            yield chosen
            chosen = []
        chosen.append(n)
    if chosen:
        yield chosen


def _apply(x: Floats, affine: Affine, updated: int | None = None) -> Floats:
    """Multiply rows; an update counts for all, or for the first ones only."""
    import numpy as np

    weight = affine.weight
    if weight.ndim == 2:
        y = x @ weight
    else:
        blocks, rows, width = weight.shape
        y = np.empty((len(x), blocks * width), dtype=np.float32)
        by_block = y.reshape(len(x), blocks, width).transpose(1, 0, 2)
        # A long text goes part by part, none larger than what is multiplied in place.
        parts = -(-len(x) * rows * width // _IN_PLACE)
        ends = [len(x) * part // parts for part in range(parts + 1)]
        for start, end in pairwise(ends):
            np.matmul(x[start:end], weight, out=by_block[:, start:end])
    if affine.update is not None:
        narrow, wide = affine.update
        y[:updated] += (x[:updated] @ narrow) @ wide
    y += affine.bias
    return y


def _normalise(x: Floats, norm: Affine) -> None:
    """Layer normalisation, in place."""
    import numpy as np

    # The method `mean` is Python code, which takes longer than the mean of a short text.
    x -= np.add.reduce(x, axis=1, keepdims=True) / np.float32(DIMENSIONS)
    variance = np.einsum("ij,ij->i", x, x)
    variance /= np.float32(DIMENSIONS)
    variance += np.float32(_EPSILON)
    x /= np.sqrt(variance)[:, None]
    x *= norm.weight
    x += norm.bias


def _columns(affine: Affine, start: int, end: int) -> Affine:
    """Return some columns of a matrix, at the edges of its blocks, without a copy."""
    weight, update = affine.weight, affine.update
    if weight.ndim == 2:
        weight = weight[:, start:end]
    else:
        weight = weight[start // weight.shape[-1] : end // weight.shape[-1]]
    if update is not None:
        update = update[0], update[1][:, start:end]
    return Affine(weight, affine.bias[start:end], update)


def _heads(
    x: Floats, affine: Affine, batch: Sequence[object], updated: int | None = None
) -> Iterator[Floats]:
    """Yield what a matrix makes of the tokens of texts, one of query, key and value at a time."""
    made = _apply(x, affine, updated)
    parts = made.reshape(len(batch), -1, affine.bias.size // DIMENSIONS, HEADS, _HEAD)
    yield from parts.transpose(2, 0, 3, 1, 4)


def _attention(query: Floats, key: Floats, value: Floats, hidden_from: Floats) -> Floats:
    """Return each token's mean of the values, weighted by how well its query matches their keys."""
    import numpy as np

    weights: Floats = query @ key.swapaxes(-1, -2)
    weights += hidden_from
    weights -= np.maximum.reduce(weights, axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    means: Floats = weights @ value
    means /= np.add.reduce(weights, axis=-1, keepdims=True)
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

"""granite-embedding-30m-english: read from the file of the package with its weights.

The file begins with a mark, the length of a JSON header, and the header. The tokenizer follows,
then the tensors: float32, or int8 with one float32 scale for each group of numbers, after all of
them.

All vectors of this model lie in one direction: two texts that have nothing in common have a cosine
of about 0.5. Their mean, the centre, is taken off, which spreads them around 0 and finds more
(`python -m benchmarks.centre` has the figures).

The last layers are tuned for what developers ask about a project's past: an adapter, which
`benchmarks/embedding` makes, is added to their matrices. It is a pair of thin matrices for each,
whose product is the change. The first layers stay as they are, because `Granite.read` is for them.
"""

from __future__ import annotations

import json
import math
from itertools import islice
from operator import is_
from typing import TYPE_CHECKING, Any

from recollect.core.meanwhile import meanwhile
from recollect.embedding.granite.byte_pairs import BytePairs
from recollect.embedding.transformer import (
    DIMENSIONS,
    LAYERS,
    WIDE,
    WINDOW,
    Affine,
    Layer,
    Network,
    Transformer,
    block_width,
    go_on,
    passes_of,
    query_scale,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

ADAPTER_MARK = b"recollect adapter 1\n"
# Layers before this one are not tuned.
TUNED = 3
_MARK = b"HMSEMB01"
# The first positions of the table stand for padding.
_FIRST_POSITION = 2
# Rows and columns of the matrices of a layer.
_SHAPES = (
    (DIMENSIONS, 3 * DIMENSIONS),
    (DIMENSIONS, DIMENSIONS),
    (DIMENSIONS, WIDE),
    (WIDE, DIMENSIONS),
)


class Granite(Transformer):
    """The embedder, which can also tell what each word of a text means in it."""

    _words: BytePairs
    # The tokens of the last text that was embedded alone, and what the early layers made of them:
    # a prompt is also read.
    _kept: tuple[Sequence[int], Floats | None] = ((), None)

    def first(self, count: int) -> Sequence[Layer]:
        """Return the first layers as they are."""
        return self._network.layers[:count]

    def updated(self, updates: Sequence[tuple[Floats, Floats]]) -> list[Layer]:
        """Return the first layers with updates: four for each, one for each of its matrices.

        They share the weights of the model, so they take hardly any memory.
        """
        found = []
        for layer, start in zip(self._network.layers, range(0, len(updates), 4), strict=False):
            attend, join, widen, narrow = updates[start : start + 4]
            found.append(
                layer._replace(
                    attend=layer.attend._replace(update=attend),
                    join=layer.join._replace(update=join),
                    widen=layer.widen._replace(update=widen),
                    narrow=layer.narrow._replace(update=narrow),
                )
            )
        return found

    def read(
        self, text: str, layers: Sequence[Layer], beside: str = ""
    ) -> tuple[list[tuple[int, int]], Floats]:
        """Return where the word of each token stands, and a row for each token.

        A row is what each of the layers (see `first`, `updated`) makes of the token, one after
        the other.
        The early ones know what a word does in its sentence, which the last one of the model gives
        up for what the text is about.

        `beside`: the text that is read next, by the first layers as they are. It is read with this
        one, if it is about as long: then each matrix is loaded once for both.
        """
        import numpy as np

        ids, next_ids = self._ids(text), self._ids(beside) if beside else []
        kept, rows = self._kept
        if kept != ids or rows is None or not self._are_early(layers):
            is_more = kept != next_ids and len(layers) == TUNED
            batch = [ids, next_ids] if is_more and _are_alike(ids, next_ids) else [ids]
            states = self._states(batch, go_on, layers, updated=1)
            made = np.concatenate([state.copy() for state in states], axis=2)
            rows = made[0, : len(ids)]
            if len(batch) > 1:
                self._kept = next_ids, made[1, : len(next_ids)]
        return self._words.places(text)[:WINDOW], rows[1:-1]

    def read_all(
        self, texts: Sequence[str], layers: Sequence[Layer]
    ) -> list[tuple[list[tuple[int, int]], Floats]]:
        """Return the same for several texts, which takes less time than one after the other."""
        import numpy as np

        ids = [self._ids(text) for text in texts]
        rows: dict[int, Floats] = {}
        for chosen in passes_of([len(one) for one in ids]):
            states = self._states([ids[n] for n in chosen], go_on, layers)
            made = np.concatenate([state.copy() for state in states], axis=2)
            rows |= {n: own[1 : len(ids[n]) - 1] for n, own in zip(chosen, made, strict=True)}
        return [(self._words.places(text)[:WINDOW], rows[n]) for n, text in enumerate(texts)]

    def _ids(self, text: str) -> list[int]:
        """Return the tokens of a text that are read, between the markers."""
        words = self._words
        return [words.first, *words.encode(text)[:WINDOW], words.last]

    def _are_early(self, layers: Sequence[Layer]) -> bool:
        """Return whether these are the layers whose states are kept, as they are."""
        early = self._network.layers[:TUNED]
        return len(layers) == len(early) and all(map(is_, layers, early))

    def _first_tokens(self, batch: list[list[int]], pause: Callable[[], None]) -> Floats:
        """Return the first token of each text; keep the early states of a text on its own."""
        if len(batch) > 1:
            return super()._first_tokens(batch, pause)
        import numpy as np

        states = self._states(batch, pause, only_first=True)
        early = [state[0].copy() for state in islice(states, TUNED)]
        self._kept = batch[0], np.concatenate(early, axis=1)
        *_, x = states
        return x[:, 0]


def _are_alike(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two texts are about as long: the shorter one is padded."""
    return abs(len(one) - len(other)) <= min(len(one), len(other)) // 4


def granite(
    name: str, centre: str, data: memoryview, adapter: bytes = b"", threads: int = 1
) -> Granite:
    """Make the embedder; raise `ValueError` or `KeyError` if the file is not as expected."""
    pack = _Pack(data)

    def widen() -> list[Layer]:
        layers = pack.layers()
        if adapter:
            _adapt(layers[TUNED:], adapter)
        return layers

    layers = meanwhile(widen, "layers")  # numpy lets other threads run
    words = BytePairs(pack.tokenizer)
    table, scales = pack.grouped("word_emb", len(words), DIMENSIONS)
    last = _FIRST_POSITION + WINDOW + 2
    positions = pack.floats("pos_emb")[_FIRST_POSITION:last] + pack.floats("type_emb")[0]
    network = Network(table, scales, positions, pack.norm("emb_ln"), layers())
    return Granite(name, words, network, threads=threads, centre=read_centre(centre))


def read_centre(text: str) -> Floats:
    """Read the numbers of the centre; raise `ValueError` if they are not as many as expected."""
    import numpy as np

    numbers = np.array(text.split(), dtype=np.float32)
    if numbers.shape != (DIMENSIONS,):
        raise ValueError(f"its centre has {len(numbers)} numbers")
    return numbers


def tuned_matrices(layer: Layer) -> tuple[Floats, ...]:
    """Return the matrices of a layer that an adapter changes, in the order of its file."""
    return layer.attend.weight, layer.join.weight, layer.widen.weight, layer.narrow.weight


def _adapt(layers: Sequence[Layer], adapter: bytes) -> None:
    """Add the products of the thin matrices, which are float16, one after the other."""
    import numpy as np

    shapes = [_shape(matrix) for layer in layers for matrix in tuned_matrices(layer)]
    numbers = np.frombuffer(adapter, dtype="<f2", offset=len(ADAPTER_MARK)).astype(np.float32)
    rank, rest = divmod(len(numbers), sum(map(sum, shapes)))
    if not adapter.startswith(ADAPTER_MARK) or rest or not rank:
        raise ValueError("its adapter is for another model")
    at = 0
    for matrix in (matrix for layer in layers for matrix in tuned_matrices(layer)):
        rows, columns = _shape(matrix)
        middle, end = at + rows * rank, at + (rows + columns) * rank
        narrow, wide = numbers[at:middle].reshape(rows, rank), numbers[middle:end]
        wide = wide.reshape(rank, columns)
        if matrix.ndim == 2:
            matrix += narrow @ wide
        else:
            for block, part in zip(matrix, np.split(wide, len(matrix), axis=1), strict=True):
                block += narrow @ part
        at = end


def _shape(matrix: Floats) -> tuple[int, int]:
    """Return rows and columns of a matrix, which may be cut into blocks of columns."""
    rows = matrix.shape[-2]
    return rows, matrix.size // rows


class _Pack:
    """Tensors by their name in the file, and the tokenizer."""

    def __init__(self, data: memoryview) -> None:
        if data[:8] != _MARK:
            raise ValueError("it begins with another mark")
        start = 16 + int.from_bytes(data[8:16], "little")
        header: dict[str, Any] = json.loads(bytes(data[16:start]))
        self.tokenizer = bytes(data[start : start + header["tokenizer_len"]])
        at = start + header["tokenizer_len"]
        self._tensors: dict[str, tuple[memoryview, list[int], int]] = {}
        for entry in header["tensors"]:
            raw = data[at : at + entry["len"]]
            self._tensors[entry["name"]] = raw, entry["shape"], entry["group"]
            at += entry["len"]
        if at != len(data):
            raise ValueError(f"it has {len(data)} bytes, its header says {at}")

    def floats(self, name: str, *shape: int) -> Floats:
        """Return a tensor that is stored as it is used."""
        import numpy as np

        raw, given, _ = self._tensors[name]
        if math.prod(given) * 4 != len(raw) or (shape and tuple(given) != shape):
            raise ValueError(f"{name} has an unexpected shape")
        return np.frombuffer(raw, dtype="<f4").reshape(given)

    def grouped(self, name: str, rows: int, columns: int) -> tuple[NDArray[Any], Floats]:
        """Return the stored rows of a matrix, and the scales of each row."""
        import numpy as np

        raw, shape, group = self._tensors[name]
        count = rows * columns
        if shape != [rows, columns] or not group or columns % group:
            raise ValueError(f"{name} has an unexpected shape")
        if len(raw) != count + 4 * (count // group):
            raise ValueError(f"{name} has {len(raw)} bytes, its shape says otherwise")
        narrow = np.frombuffer(raw[:count], dtype=np.int8).reshape(rows, columns)
        return narrow, np.frombuffer(raw[count:], dtype="<f4").reshape(rows, columns // group)

    def norm(self, name: str) -> Affine:
        """Return scale and shift of a layer normalisation."""
        return Affine(self.floats(f"{name}.w", DIMENSIONS), self.floats(f"{name}.b", DIMENSIONS))

    def layers(self) -> list[Layer]:
        """Return all layers, widened to float32, in one piece of memory.

        The system gives a large piece in large pages, which takes a third less time in all.
        """
        import numpy as np

        room = np.empty(LAYERS * sum(rows * columns for rows, columns in _SHAPES), dtype=np.float32)
        each = np.split(room, LAYERS)
        return [self._layer(number, own) for number, own in enumerate(each)]

    def _layer(self, number: int, room: Floats) -> Layer:
        import numpy as np

        prefix = f"l{number}."
        ends = np.cumsum([rows * columns for rows, columns in _SHAPES])
        rooms = np.split(room, ends[:-1])
        three = self._affine(f"{prefix}qkv", *_SHAPES[0], rooms[0])
        # Query, key and value are side by side already, in blocks of columns or in one.
        if three.weight.ndim == 2:
            three.weight[:, :DIMENSIONS] *= query_scale()
        else:
            three.weight[: DIMENSIONS // three.weight.shape[-1]] *= query_scale()
        bias = three.bias.copy()
        bias[:DIMENSIONS] *= query_scale()
        return Layer(
            Affine(three.weight, bias),
            self._affine(f"{prefix}ao", *_SHAPES[1], rooms[1]),
            self.norm(f"{prefix}aln"),
            self._affine(f"{prefix}f1", *_SHAPES[2], rooms[2]),
            self._affine(f"{prefix}f2", *_SHAPES[3], rooms[3]),
            self.norm(f"{prefix}fln"),
        )

    def _affine(self, name: str, rows: int, columns: int, room: Floats) -> Affine:
        """Return a matrix, which is stored transposed, and its bias. The matrix gets the room.

        It is written once, in the order that it is used in: new pages of memory take most of the
        time, and a copy that is transposed afterwards would need them twice.
        """
        import numpy as np

        narrow, scales = self.grouped(f"{name}.w", columns, rows)
        groups, width = scales.shape[1], block_width(rows) or columns
        parts = narrow.reshape(-1, width, groups, rows // groups).transpose(0, 2, 3, 1)
        of_parts = scales.reshape(-1, width, groups).transpose(0, 2, 1)[:, :, None, :]
        wide = room.reshape(parts.shape)
        np.multiply(parts, of_parts, out=wide, dtype=np.float32)
        weight = wide.reshape(-1, rows, width)
        bias = self.floats(f"{name}.b", columns)
        return Affine(weight if width < columns else weight[0], bias)

"""granite-embedding-30m-english: read from the file of the package with its weights.

All vectors of this model lie in one direction: two texts that have nothing in common have a cosine
of about 0.5. Their mean, the centre, is taken off, which spreads them around 0 and finds more
(`python -m benchmarks.centre` has the figures).

The last layers are tuned for what developers ask about a project's past: an adapter, which
`benchmarks/embedding` makes, is added to their matrices. It is a pair of thin matrices for each,
whose product is the change. The first layers stay as they are, because `Granite.read` is for them.
"""

from __future__ import annotations

from itertools import islice
from operator import is_
from typing import TYPE_CHECKING

from recollect.embedding.granite.byte_pairs import BytePairs
from recollect.embedding.granite.layers import Layers
from recollect.embedding.granite.pack import SHAPES, Pack, widened
from recollect.embedding.granite.vocabulary import Table, Tokenizer
from recollect.embedding.transformer import (
    DIMENSIONS,
    LAYERS,
    WINDOW,
    Layer,
    Network,
    Transformer,
    go_on,
    passes_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

ADAPTER_MARK = b"recollect adapter 1\n"
# Layers before this one are not tuned.
TUNED = 3
# The first positions of the table stand for padding.
_FIRST_POSITION = 2


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
    name: str,
    centre: str,
    data: memoryview,
    adapter: bytes = b"",
    words: bytes = b"",
    *,
    threads: int = 1,
    once: bool = False,
) -> Granite:
    """Make the embedder; raise `ValueError` or `KeyError` if the file is not as expected.

    `words` is the table of its tokenizer, if there is one: see `vocabulary.py`. `once` says that it
    will probably embed one text.
    """
    pack = Pack(data)
    stored = [pack.layer(number) for number in range(LAYERS)]
    changes = _changes(adapter) if adapter else []

    def widen(number: int, room: Floats) -> Layer:
        layer = widened(stored[number], room)
        if changes and number >= TUNED:
            _adapt(layer, changes[number - TUNED])
        return layer

    # A search looks for words meanwhile, and its vector needs one layer after the other.
    layers = Layers(widen, once=once)
    vocabulary = Table(words) if words else Tokenizer(bytes(pack.tokenizer))
    table, scales = pack.grouped("word_emb", len(vocabulary), DIMENSIONS)
    last = _FIRST_POSITION + WINDOW + 2
    positions = pack.floats("pos_emb")[_FIRST_POSITION:last] + pack.floats("type_emb")[0]
    network = Network(table, scales, positions, pack.norm("emb_ln"), layers)
    return Granite(
        name, BytePairs(vocabulary), network, threads=threads, centre=read_centre(centre)
    )


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


def _changes(adapter: bytes) -> list[NDArray[np.float16]]:
    """Return the numbers of an adapter for each layer that is tuned."""
    import numpy as np

    numbers = np.frombuffer(adapter, dtype="<f2", offset=len(ADAPTER_MARK))
    tuned = LAYERS - TUNED
    rank, rest = divmod(len(numbers), tuned * sum(map(sum, SHAPES)))
    if not adapter.startswith(ADAPTER_MARK) or rest or not rank:
        raise ValueError("its adapter is for another model")
    return np.split(numbers, tuned)


def _adapt(layer: Layer, change: NDArray[np.float16]) -> None:
    """Add the products of the thin matrices, one after the other."""
    import numpy as np

    numbers, rank, at = change.astype(np.float32), len(change) // sum(map(sum, SHAPES)), 0
    for matrix, (rows, columns) in zip(tuned_matrices(layer), SHAPES, strict=True):
        middle, end = at + rows * rank, at + (rows + columns) * rank
        narrow, wide = numbers[at:middle].reshape(rows, rank), numbers[middle:end]
        wide = wide.reshape(rank, columns)
        if matrix.ndim == 2:
            matrix += narrow @ wide
        else:
            for block, part in zip(matrix, np.split(wide, len(matrix), axis=1), strict=True):
                block += narrow @ part
        at = end

"""What the sentences of a prompt ask for, by what their words mean: to keep something, or not to.

The wish model (`capture/wish_model.py`) knows words. "Let that be settled" has none of those that
people usually ask with. Here, the first layers of the embedder read the prompt, tuned for that by
updates of low rank, and a small network rates each word in its place: does it ask to keep
something, does it ask not to, is it part of what to keep? A sentence is rated by the soft maximum
of its words. It needs a loaded embedder, so the engine runs it.

`python -m benchmarks.capture.train_meaning` makes the weights in `wish_meaning.bin` beside this
module. They are for one embedder; with another one, there is no rating.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from recollect.core.named_tuple import NamedTuple

if TYPE_CHECKING:
    from recollect.embedding import Embedder
    from recollect.embedding.granite.model import Granite

FILE: Final = Path(__file__).with_name("wish_meaning.bin")
MAGIC: Final = b"recollect meant wishes 3\n"
LAYERS: Final = 3  # of the embedder; with more, the words are less and the topic more
RANK: Final = 16  # of the updates
HIDDEN: Final = 32
OUTPUTS: Final = 3  # asks to keep, asks not to, is to be kept
# The sentences that are read together, so that each is understood beside the others. A person waits
# for this: a full window takes about 60 ms.
_MOST_CHARACTERS: Final = 900
_MOST_WINDOWS: Final = 3
_NEVER: Final = -20.0
_OWN: Final = 4  # arrays of the network itself; the others are updates
_SHOWN: Final = 3  # words that the trace names


class Word(NamedTuple):
    """Where a word stands in its sentence, and the log odds that it is part of what to keep."""

    start: int
    end: int
    kept: float


class Meant(NamedTuple):
    """The log odds that a sentence asks to keep something, and that it asks not to; its words.

    `asking` and `hushing` are the words that decided most.
    """

    asks: float
    unkept: float
    words: Sequence[Word] = ()
    asking: str = ""
    hushing: str = ""


UNREAD: Final = Meant(_NEVER, _NEVER)

# The sentences of a prompt → what each means.
Read = Callable[[Sequence[str]], list[Meant]]


def reader_with(embedder: Embedder | None, beside: Callable[[], str] = lambda: "") -> Read | None:
    """Return how to read prompts, if the weights are for this embedder.

    The hash in its name is enough: the label also names what changes only its last layers.
    `beside` returns the text that the embedder reads next, as it is: both are read together.
    """
    from recollect.embedding.protocol import hash_in

    if embedder is None or hash_in(embedder.name) != hash_in(_weights().embedder):
        return None
    from recollect.embedding.granite.model import Granite

    model = embedder
    return (lambda said: _read(said, model, beside())) if isinstance(model, Granite) else None


def windows(said: Sequence[str]) -> Iterator[range]:
    """Yield the numbers of the sentences that are read together, the first and the last ones."""
    found: list[range] = []
    start = size = 0
    for at, one in enumerate(said):
        if at > start and size + len(one) > _MOST_CHARACTERS:
            found.append(range(start, at))
            start, size = at, 0
        size += len(one) + 1
    found += [range(start, len(said))] if said else []
    # Who pastes a long text asks before it or after it.
    yield from found if len(found) <= _MOST_WINDOWS else (found[0], *found[1 - _MOST_WINDOWS :])


def placed(said: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where each sentence stands in all of them, joined by a space."""
    start = 0
    for one in said:
        yield start, start + len(one)
        start += len(one) + 1


def _read(said: Sequence[str], model: Granite, beside: str = "") -> list[Meant]:
    found = [UNREAD] * len(said)
    known = _weights()
    layers = model.updated(known.updates)
    for numbers in windows(said):
        texts = [said[at] for at in numbers]
        places, rows = model.read(" ".join(texts), layers, beside)
        beside = ""
        rated = rate(rows, known.values).tolist()
        for number, (start, end) in zip(numbers, placed(texts), strict=True):
            own = [
                (max(0, first - start), last - start, one)
                for (first, last), one in zip(places, rated, strict=True)
                if start < last <= end
            ]
            if own:
                found[number] = _meant(said[number], own)
    return found


def _meant(text: str, rated: Sequence[tuple[int, int, Sequence[float]]]) -> Meant:
    """Return what a sentence means, from the ratings of its words."""

    def deciding(output: int) -> str:
        best = sorted(rated, key=lambda one: -one[2][output])[:_SHOWN]
        said = (text[start:end].strip(" ,;:.!?()\"'").lower() for start, end, _ in sorted(best))
        return " ".join(dict.fromkeys(filter(None, said)))

    return Meant(
        soft_maximum([one[0] for *_, one in rated]),
        soft_maximum([one[1] for *_, one in rated]),
        [Word(start, end, one[2]) for start, end, one in rated],
        deciding(0),
        deciding(1),
    )


def rate(rows: Any, weights: Sequence[Any]) -> Any:
    """Return the outputs of the network for each row."""
    import numpy as np

    first, first_bias, second, second_bias = weights
    return np.maximum(rows @ first + first_bias, 0) @ second + second_bias


def soft_maximum(values: Sequence[float]) -> float:
    """Return the logarithm of the sum of the exponentials."""
    most = max(values)
    return most + math.log(math.fsum(math.exp(value - most) for value in values))


class _Weights(NamedTuple):
    """The network's own weights, and the updates of the layers below it."""

    embedder: str
    values: Sequence[Any]
    updates: Sequence[tuple[Any, Any]]


@cache
def _weights() -> _Weights:
    import numpy as np

    data = FILE.read_bytes()
    start = len(MAGIC) + 4
    end = start + int.from_bytes(data[len(MAGIC) : start])
    header = json.loads(data[start:end])
    values = []
    for shape in header["shapes"]:
        size = 2 * math.prod(shape)
        part = np.frombuffer(data[end : end + size], "<f2").reshape(shape)
        values.append(part.astype(np.float32))
        end += size
    updates = list(zip(values[_OWN::2], values[_OWN + 1 :: 2], strict=True))
    return _Weights(header["embedder"], values[:_OWN], updates)

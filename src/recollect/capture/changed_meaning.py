"""Tells by what words mean whether a person changes their mind about something that is known.

"We're on pnpm as of today" names what holds now, and not npm. So the words of the prompt and of
each known text are read in their places by the first layers of the embedder. Three things count:
whether the prompt tells a change at all, how near the text is to it compared with the other texts,
and whether a word that the text lacks stands where one of its own words stood. It needs a loaded
embedder, so the engine runs it; a cold hook has `capture/changed_minds.py`, whose features are
among these.

`python -m benchmarks.capture.changes --write` makes the weights in `changed_meaning.bin` beside
this module. They are for one embedder; with another one, there is no rating.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from recollect.capture.changed_minds import Change, Find, choose, features, says_same, told
from recollect.capture.statements import FILLER, TOKEN
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

if TYPE_CHECKING:
    from recollect.embedding import Embedder
    from recollect.embedding.granite.model import Granite

# "Also no crates" stands beside "no unsafe blocks", and not in its place.
_ADDS = pattern(
    r"\W{0,3}(?:(?:and|oh|ah|ok|okay|btw)[ ,]{1,2})?(?:also|another one)\b", re.IGNORECASE
)
FILE: Final = Path(__file__).with_name("changed_meaning.bin")
MAGIC: Final = b"recollect changed minds 1\n"
LAYERS: Final = 3  # of the embedder, as for wishes
LIKELY: Final = 0.6
ALSO_LIKELY: Final = 0.75
# The log odds of a change below which no known text is read. Two in three prompts are.
TELLS: Final = -2.5
# Characters that are read. What a text says first is what it is about, and a person waits for this:
# a known text of this length takes about 5 ms.
MOST_PROMPT: Final = 900
MOST_KNOWN: Final = 120
_KEPT: Final = 64  # known texts that are not read again: a session is about a few things
_LEAST_WORD: Final = 2


class Words(NamedTuple):
    """The words of a text that say what it is about, where they begin, and a row for each."""

    words: Sequence[str]
    places: Sequence[int]
    rows: Any  # of unit length, after the last of the layers
    mean: Any  # of all tokens, likewise
    layers: Any  # the mean of all tokens in all layers


# A prompt → how to find what it takes back; None if it tells no change.
Look = Callable[[str], Find | None]


def finder_with(embedder: Embedder | None) -> Look | None:
    """Return how to find changes of mind, if the weights are for the first layers of this embedder.

    The hash in its name is enough: the label also names what changes only its last layers.
    """
    from recollect.embedding.protocol import hash_in

    if embedder is None or hash_in(embedder.name) != hash_in(weights().embedder):
        return None
    from recollect.embedding.granite.model import Granite

    model = embedder
    return (lambda prompt: _look(prompt, model)) if isinstance(model, Granite) else None


def read_of(prompt: str) -> str:
    """Return what is read of a prompt; nothing if it cannot tell a change."""
    text = prompt[:MOST_PROMPT]
    return text if text.strip() and not _ADDS.match(text) else ""


def _look(prompt: str, model: Granite) -> Find | None:
    text = read_of(prompt)
    if not text:
        return None
    read = read_words(text, model, weights().centre)
    tells = tells_change(read)
    if tells < TELLS:
        return None
    return lambda known: _find(text, read, tells, known, model)


def _find(
    prompt: str, read: Words, tells: float, known: Sequence[str], model: Granite
) -> list[Change]:
    others = _read_known([one[:MOST_KNOWN] for one in known], model)
    rows = features_of(prompt, read, tells, known, others)
    chances = [_chance(row) for row in rows]
    chosen = choose(chances, known, LIKELY, ALSO_LIKELY)
    return [Change(at, aligned(others[at], read).place) for at in chosen]


def _read_known(texts: Sequence[str], model: Granite) -> list[Words]:
    """Read known texts, together those that were not read lately."""
    kept = _read_lately(model)
    missing = [text for text in dict.fromkeys(texts) if text not in kept]
    kept.update(zip(missing, read_all(missing, model, weights().centre), strict=True))
    for text in texts:
        kept[text] = kept.pop(text)  # the last ones are the latest
    found = [kept[text] for text in texts]
    for text in list(kept)[:-_KEPT]:
        del kept[text]
    return found


@lru_cache(1)
def _read_lately(_: Granite) -> dict[str, Words]:
    return {}


def read_all(texts: Sequence[str], model: Granite, centre: Any) -> list[Words]:
    """Read the words of several texts, which takes less time than one after the other."""
    read = model.read_all(texts, model.first(LAYERS))
    return [_words_of(text, *one, centre) for text, one in zip(texts, read, strict=True)]


def read_words(text: str, model: Granite, centre: Any) -> Words:
    """Read the words of a text in their places."""
    return _words_of(text, *model.read(text, model.first(LAYERS)), centre)


def _words_of(text: str, places: Sequence[tuple[int, int]], rows: Any, centre: Any) -> Words:
    """Return the words of a text from what the layers make of its tokens."""
    import numpy as np

    rows = rows[: len(places)] - centre
    size = rows.shape[1] // LAYERS
    words, at, made = [], [], []
    for found in TOKEN.finditer(text):
        word = found[0].lower().replace("’", "'")
        if word in FILLER or (len(word) < _LEAST_WORD and not word.isdigit()):
            continue
        own = [
            n
            for n, (start, end) in enumerate(places)
            if start < found.end() and found.start() < end
        ]
        if own:
            words.append(word)
            at.append(found.start())
            made.append(rows[own, -size:].mean(0))
    layers = rows.mean(0) if len(rows) else np.zeros(rows.shape[1])
    alone = np.array(made) if made else np.zeros((0, size))
    return Words(words, at, _unit(alone), _unit(layers[-size:]), layers)


def tells_change(read: Words) -> float:
    """Return the log odds that a prompt tells a change."""
    own = weights()
    return float(read.layers @ own.change + own.bias)


class Aligned(NamedTuple):
    """How well the words of a known text have their like in a prompt."""

    # The most alike of two different words, and where the one in the prompt begins.
    swap: float
    place: int
    # The mean over the words of the known text of the word most like it.
    mean: float


def aligned(known: Words, prompt: Words) -> Aligned:
    """Compare the words of a known text with those of a prompt."""
    if not known.words or not prompt.words:
        return Aligned(0.0, 0, 0.0)
    alike = known.rows @ prompt.rows.T
    mean = float(alike.max(1).mean())
    for at, word in enumerate(known.words):
        for other, said in enumerate(prompt.words):
            if word == said:
                alike[at, other] = -1.0
    best = int(alike.argmax()) % len(prompt.words)
    return Aligned(float(alike.max()), prompt.places[best], mean)


def features_of(
    prompt: str, read: Words, tells: float, known: Sequence[str], others: Sequence[Words]
) -> list[list[float]]:
    """Return the features of a prompt with each known text."""
    given = told(prompt)
    plain = [list(features(given, text).values()) for text in known]
    near = [float(read.mean @ one.mean) for one in others]
    pairs = [aligned(one, read) for one in others]
    swaps, means = [one.swap for one in pairs], [one.mean for one in pairs]
    length = -math.log1p(len(prompt.split()))
    rows = []
    for at in range(len(known)):
        rivals = [n for n in range(len(known)) if n != at and not says_same(known[n], known[at])]

        def ahead(values: Sequence[float], at: int = at, rivals: list[int] = rivals) -> float:
            return values[at] - max((values[n] for n in rivals), default=0.0)

        lead = ahead(near)
        rows.append(
            [
                *plain[at],
                *(near[at], lead, min(lead, 0.0), length),
                *(tells, tells * near[at], tells * lead, tells * (lead > 0)),
                *(swaps[at], means[at], ahead(swaps), ahead(means)),
            ]
        )
    return rows


def _chance(row: Sequence[float]) -> float:
    score = math.fsum(a * b for a, b in zip(row, weights().coefficients, strict=True))
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score))))


def _unit(rows: Any) -> Any:
    import numpy as np

    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)


class Weights(NamedTuple):
    """What the fit found."""

    embedder: str
    bias: float
    coefficients: Sequence[float]
    centre: Any  # the mean row of a token
    change: Any  # for each number of a mean row: how much it tells a change


@cache
def weights() -> Weights:
    """Return the weights, read once."""
    import numpy as np

    data = FILE.read_bytes()
    start = len(MAGIC) + 4
    end = start + int.from_bytes(data[len(MAGIC) : start])
    header = json.loads(data[start:end])
    centre, change = np.frombuffer(data[end:], "<f2").astype(np.float32).reshape(2, -1)
    return Weights(header["embedder"], header["bias"], header["coefficients"], centre, change)


def write(made: Weights, trained_on: str) -> None:
    """Write the weights."""
    import numpy as np

    header = {
        "made by": "python -m benchmarks.capture.changes --write",
        "trained on": trained_on,
        "embedder": made.embedder,
        "bias": round(float(made.bias), 4),
        "coefficients": [round(float(one), 4) for one in made.coefficients],
    }
    head = json.dumps(header).encode()
    values = np.stack([made.centre, made.change]).astype("<f2").tobytes()
    FILE.write_bytes(MAGIC + len(head).to_bytes(4) + head + values)
    weights.cache_clear()

"""The detection model: how likely a sentence is worth keeping, and as which kind.

Two linear models over the same features (`capture/features.py`). The first says whether a careful
reader would keep the sentence, as a calibrated probability. The second says which kind it is, if it
is worth keeping; the score of a kind is the product of both. `python -m benchmarks.capture.train`
makes the weights, one byte each, in `model.bin` beside this module.

This is plain Python, because a cold hook has no time to import numpy. The file is read once, at
the first sentence.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from recollect.capture.features import NAMED, SHOWN, Said, Vector, bucket, vector
from recollect.core.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

FILE: Final = Path(__file__).with_name("model.bin")
MAGIC: Final = b"recollect model 1\n"
MAX_SIZE: Final = 300_000  # bytes
_FEWEST = 0.02  # below this probability, the kind does not matter
_MOST_NAMED = 4
_UNKNOWN = "notes"


class Scores(NamedTuple):
    """What the model says about a sentence, and the features that decided, strongest first."""

    kind: str
    score: float
    by_kind: Mapping[str, float]
    deciding: tuple[str, ...] = ()


class BadModel(Exception):
    """The model file is not one that this version can read."""


class Model:
    """The weights of a model file."""

    def __init__(self, data: bytes) -> None:
        if not data.startswith(MAGIC) or len(data) > MAX_SIZE:
            raise BadModel("This is not a detection model.")
        start = len(MAGIC) + 4
        end = start + int.from_bytes(data[len(MAGIC) : start])
        self.header: dict[str, Any] = json.loads(data[start:end])
        if self.header["features"] != list(NAMED):
            raise BadModel("The detection model has other features.")
        self.kinds: tuple[str, ...] = tuple(self.header["kinds"])
        self._size, self._kind_size = self.header["sizes"]
        self._slope, self._offset = self.header["calibration"]
        weights = memoryview(data)[end:].cast("b")
        self._worth = _Head(weights, 0, self._size, self.header["worth"])
        at = 2 * self._size
        self._heads = []
        for fields in self.header["of kinds"]:
            self._heads.append(_Head(weights, at, self._kind_size, fields))
            at += 2 * self._kind_size
        self._phrases = data[end + at :]

    def worth(self, features: Vector, shift: float = 0.0) -> float:
        """Return the probability that a sentence is worth keeping. `shift`: learned locally."""
        raw = self._worth.score(_hashed(features, self._size))
        return _sigmoid(self._slope * raw + self._offset + shift)

    def score(self, features: Vector, shift: float = 0.0) -> Scores:
        """Return all that the model says, without the features that decided."""
        worth = self.worth(features, shift)
        if worth < _FEWEST:
            return Scores(_UNKNOWN, worth, {})
        chances = self.chances(features)
        kind = max(chances, key=chances.__getitem__)
        return Scores(kind, worth, {name: worth * chance for name, chance in chances.items()})

    def chances(self, features: Vector) -> dict[str, float]:
        """Return the probability of each kind, given that the sentence is worth keeping."""
        hashed = _hashed(features, self._kind_size)
        raw = [head.score(hashed) for head in self._heads]
        most = max(raw)
        raised = [math.exp(value - most) for value in raw]
        total = sum(raised)
        return {kind: value / total for kind, value in zip(self.kinds, raised, strict=True)}

    def deciding(self, features: Vector) -> tuple[str, ...]:
        """Return the features that decided about a sentence, strongest first.

        Words are named only if they are in the file: the trace must not hold what people say.
        """
        named = [
            (weight * value, name)
            for name, weight, value in zip(NAMED, self._worth.named, features.named, strict=True)
        ]
        known = self.phrases()
        named += [
            (self._worth.weight(word, len(features.words)), f"“{shown(word)}”")
            for word in features.words
            if word in known
        ]
        strongest = sorted((one for one in named if one[0]), key=lambda one: (-abs(one[0]), one[1]))
        return tuple(
            f"{name} {value * self._slope:+.1f}" for value, name in strongest[:_MOST_NAMED]
        )

    @cache  # noqa: B019 - there is one model
    def phrases(self) -> frozenset[str]:
        """Return the words and pairs of words that may be named."""
        return frozenset(self._phrases.decode("utf-8").split("\n")) - {""}


class _Head:
    """One linear model: weights of words and of characters, in bytes, and of named features."""

    def __init__(
        self, weights: memoryview, start: int, size: int, fields: Mapping[str, Any]
    ) -> None:
        self.named: list[float] = fields["named"]
        self._bias: float = fields["bias"]
        self._scales: list[float] = fields["scales"]
        self._words = weights[start : start + size]
        self._characters = weights[start + size : start + 2 * size]

    def score(self, hashed: _Hashed) -> float:
        total = self._bias
        for weights, grams, scale in (
            (self._words, hashed.words, self._scales[0]),
            (self._characters, hashed.characters, self._scales[1]),
        ):
            if grams:
                total += scale * sum([weights[at] for at in grams]) / math.sqrt(len(grams))
        return total + sum([self.named[at] * value for at, value in hashed.named])

    def weight(self, word: str, count: int) -> float:
        """Return how much one of `count` words adds."""
        at = bucket(word, len(self._words))
        return self._scales[0] * self._words[at] / math.sqrt(count)


class _Hashed(NamedTuple):
    words: Sequence[int]
    characters: Sequence[int]
    named: Sequence[tuple[int, float]]


def _hashed(features: Vector, size: int) -> _Hashed:
    return _Hashed(
        [bucket(word, size) for word in features.words],
        [bucket(gram, size) for gram in features.characters],
        [(at, value) for at, value in enumerate(features.named) if value],
    )


@cache
def model() -> Model:
    """Return the model that comes with Recollect."""
    return Model(FILE.read_bytes())


def score(said: Said, shift: Callable[[Vector], float] | None = None) -> Scores:
    """Return what the model says about a sentence, with the features that decided."""
    features = vector(said)
    found = model().score(features, shift(features) if shift else 0.0)
    if found.score < _FEWEST:
        return found
    return found._replace(deciding=model().deciding(features))


def shown(word: str) -> str:
    """Return an n-gram as people can read it."""
    for mark, name in SHOWN.items():
        word = word.replace(mark, name)
    return word.replace("^ ", "").replace(" $", "")


def _sigmoid(value: float) -> float:
    return 0.5 * (1 + math.tanh(0.5 * value))

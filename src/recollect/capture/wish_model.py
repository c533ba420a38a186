"""How likely a sentence asks the agent to remember something, or not to, in words no rule has.

Two linear models over hashed words, sequences of words, and classes of words
(`capture/wish_words.py`). `python -m benchmarks.capture.train_wishes` makes the weights, one byte
each, in `wish_model.bin` beside this module. Because the model is linear, each word's share of the
score is known: `Wish.weights` tells the words that ask from those that say what to keep.

A prompt hook runs this before anything else, so it is plain Python and reads one small file.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from zlib import crc32

from recollect.capture.sentences import CODE, NAME, NUMBER, QUOTED
from recollect.capture.wish_words import classes
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

FILE: Final = Path(__file__).with_name("wish_model.bin")
MAGIC: Final = b"recollect wishes 2\n"
SIZE: Final = 1 << 16  # weights of each model
MAX_LENGTH: Final = 600  # characters of a sentence that count
_LONG = 24  # words and punctuation that are rated together
_ENDS = frozenset(",;:—–()")
_LONGEST = 8  # the highest class of length
_PER_LENGTH = 4  # words

# What stands in code, quotations, paths, names and numbers is different every time.
_MASKED = ((CODE, "\x01"), (QUOTED, "\x02"), (NAME, "\x03"), (NUMBER, "\x04"))
_TOKEN = pattern(r"[^\W\d_]{1,40}(?:'[^\W\d_]{1,5})?|[\x01-\x04]|[?!:;,()]|[—–-]")
_SHOWN = 3  # words that the trace names


class Token(NamedTuple):
    """A word of a sentence, in lower case or as a mark, and where it stands."""

    text: str
    start: int
    end: int


class Gram(NamedTuple):
    """A feature, and the numbers of the words that it comes from; none for the whole sentence."""

    text: str
    at: tuple[int, ...] = ()


class Wish(NamedTuple):
    """How likely a sentence asks, its words, and the share that each has in it.

    `unkept`: how likely it asks not to keep something.
    """

    chance: float
    tokens: Sequence[Token]
    weights: Sequence[float]
    unkept: float = 0.0

    @property
    def deciding(self) -> str:
        """Return the words that decided, strongest first."""
        known = [
            (weight, token.text)
            for token, weight in zip(self.tokens, self.weights, strict=True)
            if weight > 0 and token.text in classes()
        ]
        return " ".join(dict.fromkeys(text for _, text in sorted(known, reverse=True)[:_SHOWN]))


def tokens(text: str) -> list[Token]:
    """Split a sentence into words, punctuation and marks, each with its place."""
    text = text[:MAX_LENGTH].replace("’", "'")
    for masked, mark in _MASKED:
        text = _blanked(masked, mark, text)
    return [Token(one[0].lower(), one.start(), one.end()) for one in _TOKEN.finditer(text)]


def _blanked(masked: re.Pattern[str], mark: str, text: str) -> str:
    """Replace what a pattern finds by a mark, at the same length."""
    return masked.sub(lambda found: mark.ljust(len(found[0]), "\x00"), text)


def grams(said: Sequence[Token], place: int, total: int) -> Iterator[Gram]:
    """Yield the features of a sentence, the `place`th of `total` in its prompt."""
    words = ["^", *(one.text for one in said), "$"]
    count, last = len(said), len(words) - 1

    def inner(*numbers: int) -> tuple[int, ...]:
        return tuple(number - 1 for number in numbers if 0 < number < last)

    for at in range(1, last):
        yield Gram(words[at], inner(at))
    for at in range(last):
        yield Gram(f"{words[at]} {words[at + 1]}", inner(at, at + 1))
    for at in range(last - 1):
        one, two, three = words[at : at + 3]
        yield Gram(f"{one} {two} {three}", inner(at, at + 1, at + 2))
        yield Gram(f"{one} _ {three}", inner(at, at + 2))
    known = classes()
    named = {
        at: known.get(word) or word
        for at, word in enumerate(words)
        if word in known or word in (":", "?")
    }
    for at, name in named.items():
        yield Gram(f"%{name}", inner(at))
        yield Gram(f"%{name} {words[at + 1]}", inner(at))
        yield Gram(f"{words[at - 1]} %{name}", inner(at))
    places = list(named)
    for number, at in enumerate(places):
        near = places[number + 1 : number + 3]
        if near:
            yield Gram(f"%{named[at]}>{named[near[0]]}", inner(at, near[0]))
        if len(near) > 1:
            yield Gram(f"%{named[at]}>{named[near[0]]}>{named[near[1]]}", inner(at, *near))
    kinds = sorted(set(named.values()))
    for number, name in enumerate(kinds):
        for other in kinds[number + 1 :]:
            yield Gram(f"%{name}&{other}")
    for is_true, name in (
        (total == 1, "only"),
        (place == 0, "first"),
        (place == total - 1, "last"),
    ):
        if is_true:
            yield Gram(f"@{name}")
    yield Gram(f"@length {min(_LONGEST, count // _PER_LENGTH)}")


def bucket(gram: str) -> int:
    """Return the number of the weight that a feature has."""
    return crc32(gram.encode("utf-8", "surrogatepass")) & (SIZE - 1)


def rate(sentence: str, place: int = 0, total: int = 1) -> Wish:
    """Return how likely a sentence asks to remember something, and which of its words ask.

    The clause that asks is a small part of a long sentence, so its clauses are rated.
    """
    said = tokens(sentence)
    rated = [_rate(said, start, end, place, total) for start, end in spans(said)]
    unkept = max(one.unkept for one in rated)
    return max(rated, key=lambda one: one.chance)._replace(unkept=unkept)


def spans(said: Sequence[Token]) -> list[tuple[int, int]]:
    """Return the parts of a sentence that are rated: all of it, or from each clause on a part."""
    if len(said) <= _LONG:
        return [(0, len(said))]
    ends = [at + 1 for at, one in enumerate(said[:-1]) if one.text in _ENDS]
    found = []
    for start in (0, *ends):
        most = start + _LONG
        whole = [end for end in (*ends, len(said)) if start < end <= most]
        found.append((start, max(whole, default=most)))  # of a clause of 60 words, the beginning
    return found


def _rate(said: Sequence[Token], start: int, end: int, place: int, total: int) -> Wish:
    """Rate a part of a sentence."""
    (weights, scale, bias), (against, least, base) = _weights()
    distinct = {one.text: one for one in grams(said[start:end], place, total)}
    root = math.sqrt(len(distinct)) or 1.0
    score, shares, unkept = bias, [0.0] * len(said), 0
    for gram in distinct.values():
        number = bucket(gram.text)
        unkept += against[number]
        value = scale * weights[number] / root
        score += value
        for at in gram.at:
            shares[start + at] += value / len(gram.at)
    return Wish(_chance(score), said, shares, _chance(base + least * unkept / root))


def _chance(score: float) -> float:
    return 0.5 * (1 + math.tanh(0.5 * score))


def log_odds(chance: float) -> float:
    """Return the log odds of a chance; a chance of 0 or 1 is nearly that."""
    chance = min(max(chance, 1e-6), 1 - 1e-6)
    return math.log(chance / (1 - chance))


@cache
def _weights() -> list[tuple[memoryview, float, float]]:
    """Return the weights of each model, what to multiply them with, and the bias."""
    data = FILE.read_bytes()
    start = len(MAGIC) + 4
    end = start + int.from_bytes(data[len(MAGIC) : start])
    header = json.loads(data[start:end])
    values = memoryview(data)[end:].cast("b")
    both = enumerate(zip(header["scales"], header["biases"], strict=True))
    return [(values[at * SIZE : (at + 1) * SIZE], scale, bias) for at, (scale, bias) in both]

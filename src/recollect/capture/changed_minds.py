"""Tells how likely a person changes their mind about something that is known.

"Postgres is overkill, let's use SQLite after all", "the twenty minutes are too slow, make it four",
"14 daily → 10": people take back what they decided in words that no list of denials has. So this is
a linear model of a few named features: does the prompt tell a change, and is it about the known
text. `python -m benchmarks.capture.changes` fits the coefficients and measures them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from recollect.capture.hearsay import is_task
from recollect.capture.leads import (
    MAY_CHANGE,
    TAKES_BACK,
    asks_now,
    tells_change,
    without_filler,
)
from recollect.capture.statements import FILLER, STATEMENT, TOKEN, stem_of, stems_of
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

# From this chance on, the prompt takes the known text's place; a second one needs more, because a
# prompt that changes one thing often names others that stay.
LIKELY: Final = 0.3
ALSO_LIKELY: Final = 0.6
_LOOKED_AT: Final = 2000
_MOST_BACK, _MOST_MAYBE, _MOST_COMMON = 2, 3, 4
# Fewer words than these are too few for a share.
_FEWEST, _FEWEST_MAIN = 3, 2

# Words near what no longer holds.
_DENIES = pattern(
    r"\b(?:not?|never|without|drop(?:ped)?|dead|out|forget|ditch(?:ed)?|kill(?:ed)?|too|overkill"
    r"|mistake|wrong|scrap(?:ped)?|undo|instead of|rather than|obsolete|away|can[’']?t|cannot"
    r"|loses?|crashes|slow|locked|off|back)\b",
    re.IGNORECASE,
)
_SENTENCE_END = pattern(r"(?<=[.!?])\s+|\n")
_NUMBER = pattern(r"\d{1,20}(?:[.,]\d{1,20})?")
_UP_TO_TWENTY: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_COUNTED: Final[Mapping[str, str]] = {
    **{word: str(number) for number, word in enumerate(_UP_TO_TWENTY.split())},
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "hundred": "100",
}

# What the fit found; `python -m benchmarks.capture.changes` prints these lines.
COEFFICIENTS: Final[Mapping[str, float]] = {
    "nothing": -5.721,
    "takes back": 0.809,
    "may change": 0.384,
    "asks": -1.439,
    "names of it": 3.131,
    "names of its main part": 2.269,
    "words in common": 0.109,
    "names its main part": 0.995,
    "its number": 0.535,
    "another number": 0.437,
    "another number, told as a change": 0.690,
    "denies a part of it": -0.270,
    "denies it": 0.409,
    "takes back near it": 0.662,
    "takes back its main part": 0.826,
}


class Change(NamedTuple):
    """A known text that a prompt takes back: its number, and where the prompt speaks of it.

    The place is -1 if no word there decided.
    """

    number: int
    place: int = -1


# Known texts → those that a prompt takes back, the likeliest first.
Find = Callable[[Sequence[str]], list[Change]]


class Told(NamedTuple):
    """A prompt as it is compared with what is known."""

    stems: frozenset[str]
    numbers: Mapping[str, frozenset[str]]
    strong: int
    weak: int
    is_question: bool
    # The words of the sentences that deny something, and those around words that take it back.
    denied: frozenset[str]
    around: frozenset[str]


def told(prompt: str) -> Told:
    """Read a prompt once, for all that it is compared with."""
    text = prompt[:_LOOKED_AT]
    said = [one for one in _SENTENCE_END.split(text) if one.strip()]
    around: set[str] = set()
    for at, sentence in enumerate(said):
        if TAKES_BACK.search(sentence):
            around.update(_stems(" ".join(said[max(0, at - 1) : at + 2])))
    denied = (part for part in STATEMENT.split(text) if part and _DENIES.search(part))
    return Told(
        frozenset(_stems(text)),
        _numbers(text),
        min(_MOST_BACK, sum(1 for _ in TAKES_BACK.finditer(text))),
        min(_MOST_MAYBE, sum(1 for _ in MAY_CHANGE.finditer(text))),
        text.rstrip().endswith("?"),
        frozenset(stem for part in denied for stem in _stems(part)),
        frozenset(around),
    )


def features(prompt: Told, known: str) -> dict[str, float]:
    """Return the named features of a prompt and a known text."""
    text = known[:_LOOKED_AT]
    everything, main = frozenset(_stems(text)), _main(text)
    common, named = everything & prompt.stems, main & prompt.stems
    share = len(named) / max(_FEWEST_MAIN, len(main))
    mine, theirs = prompt.numbers, _numbers(text)
    changed = any(
        number not in theirs and units & theirs[old]
        for old in theirs
        for number, units in mine.items()
    )
    cue = prompt.strong or prompt.weak
    denied = bool(main & prompt.denied)
    return {
        "nothing": 1.0,
        "takes back": prompt.strong,
        "may change": prompt.weak,
        "asks": float(prompt.is_question),
        "names of it": len(common) / max(_FEWEST, len(everything)),
        "names of its main part": share,
        "words in common": min(_MOST_COMMON, len(common)),
        "names its main part": float(bool(named)),
        "its number": float(not mine.keys().isdisjoint(theirs)),
        "another number": float(changed),
        "another number, told as a change": float(bool(changed and cue)),
        "denies a part of it": float(denied),
        "denies it": denied * share,
        "takes back near it": float(not everything.isdisjoint(prompt.around)),
        "takes back its main part": (prompt.strong > 0) * share,
    }


def chance(prompt: Told, known: str) -> float:
    """Return how likely a prompt takes back a known text."""
    found = features(prompt, known)
    score = sum(COEFFICIENTS.get(name, 0.0) * value for name, value in found.items())
    return 1.0 / (1.0 + math.exp(-score))


def changed_by(prompt: str, known: Sequence[str]) -> list[int]:
    """Return the positions of the known texts that a prompt takes back, the likeliest first."""
    if not known or not tells_change(prompt):
        return []
    read = told(prompt)
    return choose([chance(read, text) for text in known], known)


def choose(
    chances: Sequence[float],
    known: Sequence[str],
    likely: float = LIKELY,
    also: float = ALSO_LIKELY,
) -> list[int]:
    """Return the positions of the best one, of what says the same, and of sure ones."""
    best = sorted(range(len(known)), key=lambda at: -chances[at])
    enough = [at for at in best if chances[at] >= likely]
    return [at for at in enough if chances[at] >= also or says_same(known[enough[0]], known[at])]


def says_same(text: str, other: str) -> bool:
    """Return whether two known texts are about the same, such as a draft and its sentence."""
    mine, theirs = _main(text), _main(other)
    return 2 * len(mine & theirs) >= len(mine | theirs)


def carries(text: str, known: str) -> bool:
    """Return whether a sentence of such a prompt is the one about a known text."""
    return TAKES_BACK.search(text) is not None or not frozenset(_stems(text)).isdisjoint(
        _stems(known)
    )


def change_in(prompt: str, known: str, place: int = -1) -> str:
    """Return the part of a prompt that says what holds instead of a known text; may be empty.

    It begins where the prompt tells a change, or speaks about the known text: what holds now is
    said after that. Tasks and plain questions at its end stay out. If nothing else is left, it is
    the sentence at `place`.
    """
    about = frozenset(_stems(known[:_LOOKED_AT]))
    text = prompt[:_LOOKED_AT]
    said = [one.strip() for one in _SENTENCE_END.split(text) if one.strip()]

    def tells(one: str) -> bool:
        return tells_change(one) or not about.isdisjoint(_stems(one))

    def ends(one: str) -> bool:
        return is_task(one) or asks_now(one) or (one.endswith("?") and not tells(one))

    first = next((at for at, one in enumerate(said) if tells(one) and not ends(one)), len(said))
    kept = said[first:]
    while kept and ends(kept[-1]):
        kept.pop()
    if not kept and place >= 0:
        before = text[:place]
        at = len([one for one in _SENTENCE_END.split(before + "x") if one.strip()]) - 1
        kept = said[at : at + 1]
    return without_filler(" ".join(kept))


def _main(text: str) -> frozenset[str]:
    """Return the stems of what a text says first: that is what it is about."""
    first = next(iter(STATEMENT.split(text[:_LOOKED_AT])), "")
    return frozenset(_stems(first)) or frozenset(_stems(text))


def _words(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in TOKEN.findall(text)]


def _stems(text: str) -> Iterator[str]:
    """Yield the stems of the words that say what a text is about; numbers as digits."""
    for word in _words(text):
        if word not in FILLER and (len(word) > 1 or word.isdigit()):
            yield from stems_of(_COUNTED.get(word, word))


def _numbers(text: str) -> dict[str, frozenset[str]]:
    """Return the numbers in a text, each with the words beside it, such as its unit."""
    words = _words(text)
    found: dict[str, frozenset[str]] = {}
    for at, word in enumerate(words):
        number = _NUMBER.match(_COUNTED.get(word, word))
        if number is None:
            continue
        beside = [*words[max(0, at - 2) : at], *words[at + 1 : at + 3], word[number.end() :]]
        units = {stem_of(one) for one in beside if one and one not in FILLER}
        found[number[0]] = found.get(number[0], frozenset()) | units
    return found

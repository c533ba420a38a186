"""Compares a text with memories, pending and rejected suggestions, and the docs.

The same words in any order or case are the same (by fingerprint). Most of the same words make a
duplicate. Many of the same words are near, and then the known memory is the one to change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from recollect.core.patterns import pattern
from recollect.index.text import STOP_WORDS, denials, query_terms

NEW: Final = "new"
NEAR: Final = "near"
DUPLICATE: Final = "duplicate"

# The shares of common words from which two texts are near, or duplicates.
_NEAR, _SAME = 0.5, 0.8
# A document counts if one of its sentences contains nearly all of the words.
_SAID = 0.85
_FEWEST = 3
# Endings that do not change the meaning.
_ENDING = pattern(r"(?:ing|ed|es|s|e)\Z")
_WORD = pattern(r"[^\W_]+")
_DOC_SENTENCE = pattern(r"[.!?]\s+|\n\s*\n|\n\s*[-*#|]|\n\s*\d+[.)]\s")


class Known(NamedTuple):
    """A known text, and what it is."""

    name: str
    text: str


class Novelty(NamedTuple):
    """How new a text is, and the most similar known text."""

    verdict: str
    like: str = ""
    similarity: float = 0.0


def fingerprint(text: str) -> str:
    """Return a value that is equal for the same words, whatever case, order and punctuation."""
    import hashlib

    words = " ".join(sorted(_stems(text)))
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def judge(text: str, known: Iterable[Known]) -> Novelty:
    """Compare a text with what is known; the most similar one counts."""
    mine = _stems(text)
    best, best_text = Novelty(NEW), ""
    for other in known:
        theirs = _stems(other.text)
        similarity = _similarity(mine, theirs)
        if similarity > best.similarity:
            best, best_text = Novelty(NEW, other.name, similarity), other.text
    if best.similarity >= _SAME:
        # "Tabs, not spaces" and "spaces, not tabs" have the same words and opposite meanings.
        same = _says_the_same(text, best_text)
        return best._replace(verdict=DUPLICATE if same else NEAR)
    if best.similarity >= _NEAR:
        return best._replace(verdict=NEAR)
    return best


def said_in(text: str, document: str) -> bool:
    """Return whether one sentence of a document already says it."""
    mine = _stems(text)
    if len(mine) < _FEWEST:
        return False
    for sentence in _DOC_SENTENCE.split(document):
        theirs = _stems(sentence)
        if len(mine & theirs) >= _SAID * len(mine):
            return True
    return False


def _similarity(mine: frozenset[str], theirs: frozenset[str]) -> float:
    """Return common words over all words; if one contains the other, nearly 1."""
    if not mine or not theirs:
        return 1.0 if mine == theirs else 0.0
    common = len(mine & theirs)
    jaccard = common / len(mine | theirs)
    smaller = min(len(mine), len(theirs))
    if smaller >= _FEWEST and common == smaller:
        return max(jaccard, _SAME)
    return jaccard


def _says_the_same(one: str, other: str) -> bool:
    """Return whether two texts with the same words have as many denials and the same order."""
    if denials(one) != denials(other):
        return False
    mine, theirs = _sequence(one), _sequence(other)
    common = set(mine) & set(theirs)
    return [s for s in mine if s in common] == [s for s in theirs if s in common]


def _sequence(text: str) -> list[str]:
    """Return the stems of a text in order of first occurrence."""
    return list(dict.fromkeys(_stem(word) for word in _words(text)))


def _words(text: str) -> list[str]:
    """Return the meaningful words; names such as `PostgreSQL` count once, not by their parts."""
    words = _WORD.findall(text.lower()) if text.isascii() else query_terms(text)
    return [word for word in words if word not in STOP_WORDS]


def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in _words(text))


def _stem(term: str) -> str:
    return _ENDING.sub("", term) if len(term) > 4 else term

"""Meaning without the model: a query's vector as the sum of the vectors of its words.

A hook has no time to load a model, but the vectors of the memories are in the index, and what the
model makes of single words is in a file. A word is one bit for each dimension there: whether it is
above the mean of all words. That is nearly as good as numbers: on the tuning questions, the right
memory is among the first twelve for 63 instead of 64 % of the paraphrases.

The file has rows of 64 bytes: first the name of the model, then the words in order, each as its
letters and its bits. `python -m scripts.word_vectors` makes it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).with_suffix(".bin")
LONGEST_WORD, _BITS = 16, 48
_ROW = LONGEST_WORD + _BITS
# Each word takes time while somebody waits: of a long text, those that are worth most count.
_MOST_WORDS = 40


def title(model: str) -> bytes:
    """Return the first row of the file."""
    return model.encode().ljust(_ROW, b"\0")


def record(word: str, bits: bytes) -> bytes:
    """Return the row of a word."""
    return word.encode().ljust(LONGEST_WORD, b"\0") + bits


def query_vector(worth: Mapping[str, float], model: str, file: Path = FILE) -> bytes | None:
    """Return the vector of a query, from its words and what each is worth.

    There is none if the vectors of the index are of another model than those of the words, or if
    none of the words is known.
    """
    try:
        data = file.read_bytes()
    except OSError:
        return None
    if data[:_ROW] != title(model):
        return None
    most = sorted(worth, key=lambda word: -worth[word])[:_MOST_WORDS]
    found = [(bits, worth[word]) for word in most if (bits := _look_up(data, word)) is not None]
    if not found:
        return None
    sums = [0.0] * (8 * _BITS)
    for bits, weight in found:
        digits = f"{int.from_bytes(bits):0{8 * _BITS}b}"
        sums = [
            total + weight if digit == "1" else total - weight
            for total, digit in zip(sums, digits, strict=True)
        ]
    return struct.pack(f"<{len(sums)}f", *sums)


def _look_up(data: bytes, word: str) -> bytes | None:
    """Return the bits of a word, or None if it is unknown."""
    wanted = word.encode("utf-8", "replace")
    if len(wanted) > LONGEST_WORD:
        return None
    wanted = wanted.ljust(LONGEST_WORD, b"\0")
    low, high = 1, len(data) // _ROW
    while low < high:
        middle = (low + high) // 2
        at = middle * _ROW
        found = data[at : at + LONGEST_WORD]
        if found == wanted:
            return data[at + LONGEST_WORD : at + _ROW]
        if found < wanted:
            low = middle + 1
        else:
            high = middle
    return None

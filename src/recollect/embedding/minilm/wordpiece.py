"""The word-piece tokenizer of uncased BERT models, in the standard library.

The published `tokenizers` package gives the same tokens but depends on fifteen packages. This one
was compared with it over every code point and over large texts; the decision record has the
figures. One difference is intended: `[MASK]` and the like, written in a text, are plain words here.
"""

from __future__ import annotations

import unicodedata

CLS, SEP, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
LONGEST_WORD = 100
_REMEMBERED_WORDS = 50_000

_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class _Plain(dict[int, str]):
    """What each character becomes, computed on first use."""

    def __missing__(self, code: int) -> str:
        plain = self[code] = _plain(chr(code))
        return plain


_TABLE = _Plain()


class WordPiece:
    """Converts texts to token ids. It caches words, because texts repeat them."""

    def __init__(self, vocabulary: str) -> None:
        self._ids = {piece: n for n, piece in enumerate(vocabulary.split("\n")) if piece}
        self.first = self._ids[CLS]
        self.last = self._ids[SEP]
        self._unknown = [self._ids[UNKNOWN]]
        self._cuts: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._ids)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without the markers at its ends."""
        ids: list[int] = []
        cuts = self._cuts
        for word in words(text):
            cut = cuts.get(word)
            if cut is None:
                cut = self._cut(word)
                if len(cuts) >= _REMEMBERED_WORDS:
                    cuts.clear()
                cuts[word] = cut
            ids += cut
        return ids

    def _cut(self, word: str) -> list[int]:
        """Split greedily into the longest known pieces; an unknown piece makes it unknown."""
        if len(word) > LONGEST_WORD:
            return self._unknown
        ids: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                found = self._ids.get(prefix + word[start:end])
                if found is not None:
                    ids.append(found)
                    start = end
                    break
            else:
                return self._unknown
        return ids


def words(text: str) -> list[str]:
    """Return lower-case words without accents; a punctuation mark or an ideograph is a word."""
    return text.translate(_TABLE).split()


def _plain(char: str) -> str:
    """Return one character as the model knows it: nothing, a space, or letters and marks."""
    category = unicodedata.category(char)
    if char in "\t\n\r" or category[0] == "Z":
        return " "
    if category in ("Cc", "Cf", "Co", "Cs") or char == "\ufffd":
        return ""
    letters = "".join(
        f" {part} " if _is_punctuation(part) else part
        for whole in unicodedata.normalize("NFD", char)
        if unicodedata.category(whole) != "Mn"
        for part in whole.lower()
    )
    code = ord(char)
    return f" {letters} " if any(a <= code <= b for a, b in _IDEOGRAPHS) else letters


def _is_punctuation(char: str) -> bool:
    return char in _ASCII_PUNCTUATION or unicodedata.category(char)[0] == "P"

"""The byte-pair tokenizer of RoBERTa models, in the standard library.

The published `tokenizers` package gives the same tokens, except for a word of more than 64
characters, which is cut here first: to join the pairs of a word takes time that grows with the
square of its length, and a text may be one long word.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from recollect.core.patterns import pattern
from recollect.embedding.granite.vocabulary import NEVER, Vocabulary

FIRST, LAST, UNKNOWN = "<s>", "</s>", "<unk>"
_REMEMBERED_WORDS = 50_000
# Contractions, words, numbers, signs, each with the space before it, and the space that is left.
_PIECES = pattern(
    r"'(?:[stmd]|re|ve|ll)| ?[^\W\d_]{1,64}| ?\d{1,64}| ?(?:[^\s\w]|_){1,64}"
    r"|\s{1,64}(?!\S)|\s{1,64}"
)


class BytePairs:
    """Converts texts to token ids. It caches words, because texts repeat them."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Raise `KeyError` if a marker is missing."""
        self._vocabulary = vocabulary
        self.first, self.last, self._unknown = map(self._marker, (FIRST, LAST, UNKNOWN))
        self._cuts: dict[str, list[int]] = {}

    def _marker(self, token: str) -> int:
        found = self._vocabulary.number(token)
        if found is None:
            raise KeyError(token)
        return found

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, without the markers at its ends."""
        ids: list[int] = []
        for word in _PIECES.findall(text):
            ids += self._known(word)
        return ids

    def places(self, text: str) -> list[tuple[int, int]]:
        """Return where the word of each token stands: the start and the end, for each id."""
        return [piece.span() for piece in _PIECES.finditer(text) for _ in self._known(piece[0])]

    def _known(self, word: str) -> list[int]:
        cut = self._cuts.get(word)
        if cut is None:
            cut = self._cut(word)
            if len(self._cuts) >= _REMEMBERED_WORDS:
                self._cuts.clear()
            self._cuts[word] = cut
        return cut

    def _cut(self, word: str) -> list[int]:
        """Join the pair that was learned first, until there is none."""
        letters = _letters()
        number, rank = self._vocabulary.number, self._vocabulary.rank
        parts = [letters[byte] for byte in word.encode("utf-8", "surrogatepass")]
        whole = number("".join(parts))
        if whole is not None:  # most words
            return [whole]
        while len(parts) > 1:
            ranks = [rank(one, two) for one, two in pairwise(parts)]
            best = min(ranks)
            if best == NEVER:
                break
            at = ranks.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        found = [number(part) for part in parts]
        return [self._unknown if one is None else one for one in found]


@lru_cache(maxsize=1)
def _letters() -> list[str]:
    """Return the letter that stands for each byte: itself if it can be seen, else a later one."""
    seen = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    later = iter(range(0x100, 0x200))
    return [chr(byte if byte in seen else next(later)) for byte in range(0x100)]

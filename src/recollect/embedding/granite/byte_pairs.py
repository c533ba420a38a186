"""The byte-pair tokenizer of RoBERTa models, in the standard library.

It reads the `tokenizer.json` that the model comes with. The published `tokenizers` package gives
the same tokens, except for a word of more than 64 characters, which is cut here first: to join the
pairs of a word takes time that grows with the square of its length, and a text may be one long
word.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import pairwise
from typing import Any

from recollect.core.patterns import pattern

FIRST, LAST, UNKNOWN = "<s>", "</s>", "<unk>"
_REMEMBERED_WORDS = 50_000
# Contractions, words, numbers, signs, each with the space before it, and the space that is left.
_PIECES = pattern(
    r"'(?:[stmd]|re|ve|ll)| ?[^\W\d_]{1,64}| ?\d{1,64}| ?(?:[^\s\w]|_){1,64}"
    r"|\s{1,64}(?!\S)|\s{1,64}"
)


class BytePairs:
    """Converts texts to token ids. It caches words, because texts repeat them."""

    def __init__(self, tokenizer: bytes) -> None:
        """Read a `tokenizer.json`; raise `KeyError` or `ValueError` if it is not one."""
        model: dict[str, Any] = json.loads(tokenizer)["model"]
        self._ids: dict[str, int] = model["vocab"]
        merges = model["merges"]
        self._ranks: dict[str, int] = dict(zip(merges, range(len(merges)), strict=True))
        self.first, self.last = self._ids[FIRST], self._ids[LAST]
        self._unknown = self._ids[UNKNOWN]
        self._cuts: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._ids)

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
        parts = [letters[byte] for byte in word.encode("utf-8", "surrogatepass")]
        whole = self._ids.get("".join(parts))
        if whole is not None:  # most words
            return [whole]
        never = len(self._ranks)
        while len(parts) > 1:
            ranks = [self._ranks.get(f"{one} {two}", never) for one, two in pairwise(parts)]
            best = min(ranks)
            if best == never:
                break
            at = ranks.index(best)
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return [self._ids.get(part, self._unknown) for part in parts]


@lru_cache(maxsize=1)
def _letters() -> list[str]:
    """Return the letter that stands for each byte: itself if it can be seen, else a later one."""
    seen = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    later = iter(range(0x100, 0x200))
    return [chr(byte if byte in seen else next(later)) for byte in range(0x100)]

"""Estimates the number of tokens in a text, from above.

Agents do not publish their tokenizers, and loading one would take longer than a hook may take. The
estimate splits a text into pieces of at most four letters; every digit and sign counts, and every
byte of other scripts. Compared with the one tokenizer that Anthropic published, it was too low for
3 of 883 texts (by 4 % for two lists of hashes, by 29 % for an invented word), and a third too high
on average.
"""

from __future__ import annotations

from recollect.core.patterns import pattern
from recollect.search.constants import LETTERS_PER_TOKEN

_PIECE = pattern(
    r"[A-Z]?[a-z]+|[A-Z]+|[0-9]|[^\x00-\x7f]+|\n+|[ \t]{2,}|[!-/:-@[-`{-~\x00-\x08\x0e-\x1f\x7f]"
)


def count_tokens(text: str) -> int:
    """Return an upper estimate of the tokens in a text."""
    total = 0
    for piece in _PIECE.findall(text):
        if not piece.isascii():
            total += len(piece.encode("utf-8", "surrogatepass"))
        elif piece.isalpha():
            total += 1 + (len(piece) - 1) // LETTERS_PER_TOKEN
        else:
            total += 1
    return total

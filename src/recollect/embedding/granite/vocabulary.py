"""The tokens of a byte-pair tokenizer: the number of each, and which pairs join to which.

Reading a `tokenizer.json` takes three times as long as a bare interpreter, and a query needs a
dozen of its 50,000 words. So `words.txt` has that of the default model as a table, in which a word
is looked up where it stands. `python -m scripts.granite_words` makes it.

Each line is a token and its number and, for a token that was learned from a pair, the rank of that
pair and the letters of its first half. No two pairs join to the same token. The lines are in the
order of their bytes.
"""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from typing import Any

# The rank of a pair that was not learned.
NEVER = sys.maxsize
_REMEMBERED = 50_000


class Vocabulary(Protocol):
    """What a tokenizer learned."""

    def __len__(self) -> int:
        """Return the number of tokens."""

    def number(self, token: str) -> int | None:
        """Return the number of a token; None if there is no such token."""

    def rank(self, one: str, two: str) -> int:
        """Return when a pair was learned: a lower rank is joined first."""


class Tokenizer:
    """The vocabulary in a `tokenizer.json`."""

    def __init__(self, tokenizer: bytes) -> None:
        """Read the file; raise `KeyError` or `ValueError` if it is not one."""
        model: dict[str, Any] = json.loads(tokenizer)["model"]
        self._numbers: dict[str, int] = model["vocab"]
        merges = model["merges"]
        self._ranks: dict[str, int] = dict(zip(merges, range(len(merges)), strict=True))

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, token: str) -> int | None:
        """Return the number of a token; None if there is no such token."""
        return self._numbers.get(token)

    def rank(self, one: str, two: str) -> int:
        """Return when a pair was learned: a lower rank is joined first."""
        return self._ranks.get(f"{one} {two}", NEVER)


class Table:
    """The vocabulary in a table, of which only the lines are read that are asked for."""

    def __init__(self, lines: bytes) -> None:
        self._lines = lines
        self._line = lru_cache(_REMEMBERED)(self._look_up)

    def __len__(self) -> int:
        return self._lines.count(b"\n")

    def number(self, token: str) -> int | None:
        """Return the number of a token; None if there is no such token."""
        found = self._line(token)
        return found[0] if found else None

    def rank(self, one: str, two: str) -> int:
        """Return when a pair was learned: a lower rank is joined first."""
        found = self._line(one + two)
        return found[1] if len(found) == 3 and found[2] == len(one) else NEVER

    def _look_up(self, token: str) -> tuple[int, ...]:
        """Return the numbers in the line of a token; none if it has no line."""
        lines, wanted = self._lines, token.encode()
        low, high = 0, len(lines)  # where lines begin
        while low < high:
            start = lines.rfind(b"\n", low, (low + high) // 2) + 1 or low
            gap = lines.index(b" ", start)
            found = lines[start:gap]
            if found > wanted:
                high = start
                continue
            end = lines.index(b"\n", gap)
            if found == wanted:
                return tuple(map(int, lines[gap:end].split()))
            low = end + 1
        return ()

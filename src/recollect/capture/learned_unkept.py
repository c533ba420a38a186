"""Finds where a prompt asks not to keep something, in words that no rule has.

"This one doesn't need to stick", "drop that again afterwards". The wish model rates the words of
each sentence, and with an embedder, their meaning counts too. What is meant is the paragraph.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from recollect.capture.request_text import Said, split_prompt
from recollect.capture.unkept import Parted, paragraphs, part
from recollect.capture.wish_model import Wish, log_odds, rate
from recollect.core.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from recollect.capture.wish_meaning import Meant, Read

MOST_SENTENCES: Final = 60  # of a prompt
# Chosen on prompts that the models were not trained on: see benchmarks/capture/README.md.
_BY_WORDS: Final = -1.0  # the log odds from which a sentence asks not to keep something
_BY_MEANING: Final = -2.0  # the same for the sum of those of the words and of the meaning
# A wish is not lost if it is this much more likely than the contrary, in log odds:
_MORE_BY_WORDS: Final = -1.0
_MORE_BY_MEANING: Final = 0.0
_OF_WORDS: Final = 0.5  # the share of the words in how likely a wish is
_POINTING: Final = 9  # words of a paragraph that only points to the one before
_POINTS = pattern(
    r"\W*(?:(?:and|but|so|btw|oh),? )?(?:this|that|it|these|those|all of (?:this|that))\b"
)


def rate_all(said: Sequence[Said], read: Read | None) -> tuple[list[Wish], list[Meant]]:
    """Return what the words of each sentence ask for; and their meaning, if they can be read."""
    rated = [rate(one.text, at, len(said)) for at, one in enumerate(said)]
    return rated, read([one.text for one in said]) if read is not None and said else []


# "Forget Redis, we're using Memcached" takes back a choice, and makes another.
_REPLACES = pattern(
    r"\W{0,3}(?:forget|scrap|drop|ditch) (?!(?:it|that|this|what|about)\b)[^,;:.]{1,40}[,;:] ?"
    r"(?:we|let's|i|use|it's|go)\b",
    re.IGNORECASE,
)


def unkept_blocks(
    said: Sequence[Said], rated: Sequence[Wish], meant: Sequence[Meant]
) -> dict[int, str]:
    """Return the paragraphs that ask not to keep what they say, and the words that decided.

    A paragraph that is more likely a wish is none of them. One that only points ("that needn't
    stick") means the one before it, too.
    """
    least, more = (_BY_MEANING, _MORE_BY_MEANING) if meant else (_BY_WORDS, _MORE_BY_WORDS)
    asks: dict[int, float] = {}
    unkept: dict[int, tuple[float, str]] = {}
    for at, wish in enumerate(rated):
        wanted, odds, why = log_odds(wish.chance), log_odds(wish.unkept), "its words"
        if meant:
            wanted, odds = _OF_WORDS * wanted + meant[at].asks, odds + meant[at].unkept
            why = meant[at].hushing
        if _REPLACES.match(said[at].masked):
            odds = -math.inf
        block = said[at].block
        asks[block] = max(wanted, asks.get(block, wanted))
        unkept[block] = max((odds, why), unkept.get(block, (odds, why)))
    found = {
        block: why
        for block, (odds, why) in unkept.items()
        if odds >= least and asks[block] <= odds + more
    }
    before = dict(zip(list(unkept)[1:], unkept, strict=False))
    for block in set(found) & set(before):
        own = [one.masked for one in said if one.block == block]
        if len(own) == 1 and _POINTS.match(own[0]) and len(own[0].split()) <= _POINTING:
            found.setdefault(before[block], found[block])
    return found


def part_prompt(text: str, read: Read | None = None) -> Parted:
    """Separate what a prompt asks not to keep from the rest, by the rules or else by the models.

    With `read` (see `wish_meaning.reader_with`), also what only its meaning tells.
    """
    parted = part(text)
    said = [] if parted.unkept else split_prompt(text)[:MOST_SENTENCES]
    blocks = unkept_blocks(said, *rate_all(said, read))
    if not blocks:
        return parted
    asked = [" ".join(one.text.split()) for one in said if one.block in blocks]
    kept: list[str] = []
    unkept: list[str] = []
    for paragraph in paragraphs(text):
        whole = " ".join(paragraph.split())
        (unkept if any(one in whole for one in asked) else kept).append(paragraph)
    return Parted("\n\n".join(kept), "\n".join(unkept), next(iter(blocks.values())))

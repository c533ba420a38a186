"""Where the answers of a search stop: what follows shares words with the query, and no more.

A search is more generous than a hook: whoever asks can read over a line that does not fit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from recollect.search.gate import Features, probability
from recollect.search.search import Hit

# How likely a memory must be to answer the query. Chosen on the tuning half of the question sets.
SHOWN: Final = 0.25
# If none is likely, the one nearest in meaning is shown alone, if it stands out as far as the
# nearest of so many memories does by chance, times this. Of ten such memories five are right, on
# the tuning half of the question sets.
_BY_CHANCE: Final = 0.9
# The units in which the gate counts deviations and memories.
_DEVIATIONS, _MEMORIES = 5.0, math.log(20_000)


def split(hits: Iterable[Hit]) -> tuple[list[Hit], list[Hit]]:
    """Return the hits that probably answer the query, and the weaker ones, each in their order."""
    found = list(hits)
    answers = [hit for hit in found if probability(hit.features) >= SHOWN]
    if not answers:
        answers = [hit for hit in found if _stands_out(hit.features)][:1]
    shown = {hit.memory.uid for hit in answers}
    return answers, [hit for hit in found if hit.memory.uid not in shown]


def _stands_out(features: Features) -> bool:
    """Whether a memory is the nearest in meaning, and nearer than chance makes one."""
    chance = math.sqrt(2 * max(math.log(2), features.size * _MEMORIES))
    return features.nearest == 1 and features.stands_out * _DEVIATIONS >= _BY_CHANCE * chance

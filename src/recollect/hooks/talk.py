"""Part of a conversation, as the stages of a pipeline see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Talk(NamedTuple):
    """Part of a talk: who said what, and how much work there was in between."""

    said: Sequence[tuple[str, str]] = ()
    tools: Mapping[str, int] = {}  # by name, how often each was used
    exchanges: int = 0
    wrote: bool = False  # whether a tool changed files

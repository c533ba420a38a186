"""Memories as an agent may see them: data that it can read, never a command."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.core.age import age
from recollect.core.memory import Memory
from recollect.search.rendering import render_block, render_memory
from recollect.search.sanitise import quoted

__all__ = ["memory_block", "quoted"]


def memory_block(memories: Sequence[Memory], now: float) -> str:
    """Memories, whole, in the frame that marks them as data."""
    shown = [render_memory(m, age(m.created, now), "", brief=False) for m in memories]
    return render_block(shown)

"""The new part of a conversation, as the stages of a pipeline see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.core.named_tuple import NamedTuple


class Conversation(NamedTuple):
    """New messages between a person and the agent, and the work in between."""

    messages: Sequence[tuple[str, str]] = ()
    tools: Mapping[str, int] = {}  # tool name → number of calls
    exchanges: int = 0
    wrote: bool = False  # whether a tool changed files
    more: bool = False  # whether the transcript goes on after this part
    failed: bool = False  # whether the last tool failed
    recovered: bool = False  # whether a tool failed, and the last one did not

"""One loop for every event: stages in order, each with a line in the trace.

A stage is a callable. One that wants to end its part raises `Halt` with the reason. The trace
answers "why was this injected?" and "why was nothing?".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from recollect.hooks.session import HookSession
from recollect.hosts.protocol import Event, Reply
from recollect.search.selection import Candidate


class Halt(Exception):
    """A stage saw that there is nothing more to do, and why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Work:
    """An event on its way through the stages."""

    def __init__(self, event: Event, session: HookSession) -> None:
        self.event = event
        self.session = session
        self.reply = Reply()
        # What might be put in front of the agent, how many at most and how many tokens.
        self.candidates: list[Candidate] = []
        self.most = 0
        self.budget = 0
        self.trace: list[dict[str, Any]] = []
        self.failures: list[Exception] = []

    def note(self, what: str, **details: Any) -> None:
        """Keep a line for `recollect why`. It must hold no text of a memory or of a person."""
        self.trace.append({"what": what, **details})


Stage = Callable[[Work], None]


Part = Sequence[Stage]


def run(parts: Sequence[Part], work: Work) -> None:
    """Run the parts of a pipeline, each until one of its stages halts.

    A stage that fails is left out: the others may still help.
    """
    for part in parts:
        for stage in part:
            try:
                stage(work)
            except Halt as halt:
                work.note("stopped", reason=halt.reason)
                break
            except Exception as error:
                work.failures.append(error)
                work.note("failed", error=type(error).__name__)

"""Runs the stages of an event in order and records a trace.

A stage is a function of the `Work`. To end its part of the pipeline it raises `Halt` with the
reason. The trace answers "why was this injected?" and "why was nothing injected?".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from recollect.hooks.received import Received
from recollect.hooks.session import HookSession
from recollect.hosts.protocol import Event, Reply
from recollect.search.selection import Candidate


class Halt(Exception):
    """Ends a part of a pipeline, with the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Work:
    """An event on its way through the stages, and the reply that they build."""

    def __init__(
        self, event: Event, session: HookSession, received: Received | None = None
    ) -> None:
        self.event = event
        self.session = session
        self.reply = Reply()
        # What the stash worked out about the event, so that no stage does it again.
        self.marked = None if received is None else received.marked
        self.redacted = {} if received is None else received.redacted
        # Memories to inject: candidates, the maximum number, and the maximum number of tokens.
        self.candidates: list[Candidate] = []
        self.most = 0
        self.budget = 0
        self.trace: list[dict[str, Any]] = []
        self.failures: list[Exception] = []

    def note(self, what: str, **details: Any) -> None:
        """Add a step to the trace for `recollect why`, without text of memories or people."""
        self.trace.append({"what": what, **details})


Stage = Callable[[Work], None]


Part = Sequence[Stage]


def run(parts: Sequence[Part], work: Work) -> None:
    """Run the parts of a pipeline, each until one of its stages halts.

    A stage that fails is recorded and skipped: the others may still help.
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

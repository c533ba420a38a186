"""Runs the stages of an event in order and records a trace.

A stage is a function of the `Work`. To end its part of the pipeline it raises `Halt` with the
reason. The trace answers "why was this injected?" and "why was nothing injected?".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from recollect.hooks.received import Received
from recollect.hooks.session import HookSession
from recollect.hosts.protocol import Event, Reply
from recollect.search.selection import Candidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.core.memory import Memory

# The longest deadline that counts, in milliseconds: the host waits no longer for a hook.
_LONGEST = 4_000.0


def _milliseconds() -> float:
    return time.time() * 1000


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
        # Those that may match, though not clearly enough to inject them.
        self.maybe: list[Candidate] = []
        self.most = 0
        self.budget = 0
        # What the start of a session may take; see `hooks.budget.Tier`.
        self.tier: tuple[int, int, int, int] | None = None
        # How many unconfirmed memories the reply has.
        self.unconfirmed = 0
        # What a prompt made Recollect keep for the user, and what it noticed in it.
        self.kept: list[Memory] = []
        self.noticed: list[Memory] = []
        # Whether a prompt asks for memories.
        self.asks_memory = False
        self.trace: list[dict[str, Any]] = []
        self._told = 0
        # The stage that runs, for the trace of an event that runs out of time.
        self.stage = ""
        self.failures: list[Exception] = []
        # Takes the time that capturing what somebody asked for may take; whether there is any.
        self.take_time: Callable[[], bool] = lambda: True

    def has_time(self, share: float) -> bool:
        """Whether the event has used less than a share of the time that it may take."""
        allowed = min(float(self.session.setting("hook.session_deadline")), _LONGEST)
        return not self.event.moment or _milliseconds() - self.event.moment < share * allowed

    @property
    def untold(self) -> list[dict[str, Any]]:
        """The steps that are not stored yet."""
        return self.trace[self._told :]

    def tell(self) -> list[dict[str, Any]]:
        """Return the steps that are not stored yet, to store them."""
        untold, self._told = self.untold, len(self.trace)
        return untold

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
            work.stage = stage.__name__.replace("_", " ")
            try:
                stage(work)
            except Halt as halt:
                work.note("stopped", reason=halt.reason)
                break
            except Exception as error:
                work.failures.append(error)
                work.note("failed", error=type(error).__name__)

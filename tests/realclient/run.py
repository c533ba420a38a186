"""What the client told about one run: its turns, its hooks, its requests to the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.realclient.api import Request

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hook:
    """How one call of a hook ended, as the client tells it."""

    event: str
    name: str
    outcome: str
    stdout: str
    stderr: str
    exit_code: int | None
    seconds: float  # from the line that says it started to the line that says it ended


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the client, after its end."""

    code: int
    events: Sequence[Json]
    arrived: Sequence[float]  # when the client wrote each event
    stderr: str
    seconds: float
    requests: Sequence[Request]

    @property
    def session(self) -> str:
        """The session's id; after `/clear`, that of the first."""
        return next(str(event["session_id"]) for event in self.events if "session_id" in event)

    @property
    def results(self) -> list[Json]:
        """The client's own report of each turn."""
        return [event for event in self.events if event.get("type") == "result"]

    @property
    def main(self) -> list[Request]:
        """The requests of the conversation itself."""
        return [request for request in self.requests if request.kind == "main"]

    def hooks(self, event: str | None = None) -> list[Hook]:
        """The calls of hooks, of one event or of all."""
        return [
            hook for hooks in self.hooks_by_turn() for hook in hooks if event in (None, hook.event)
        ]

    def hooks_by_turn(self) -> list[list[Hook]]:
        """The calls of hooks, a list for each turn and one for what came after the last."""
        turns: list[list[Hook]] = [[]]
        started: dict[str, float] = {}
        for one, at in zip(self.events, self.arrived, strict=True):
            if one.get("subtype") == "hook_started":
                started[one["hook_id"]] = at
            elif one.get("subtype") == "hook_response":
                turns[-1].append(
                    Hook(
                        event=one["hook_event"],
                        name=one["hook_name"],
                        outcome=one["outcome"],
                        stdout=one.get("stdout", ""),
                        stderr=one.get("stderr", ""),
                        exit_code=one.get("exit_code"),
                        seconds=at - started.get(one["hook_id"], at),
                    )
                )
            elif one.get("type") == "result":
                turns.append([])
        return turns

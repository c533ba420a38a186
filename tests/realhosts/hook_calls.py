"""What the client gave to each hook, and what the hook answered."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.hosts.recorded import lost_fields, recorded
from tests.realclient.workplace import Workplace
from tests.realhosts.agents import Agent

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class HookCall:
    """One call of `recollect-hook`: the event, its input and the reply, which may be empty."""

    event: str
    given: Json
    said: Json

    @property
    def session(self) -> str:
        """The id of the session, however the client spells its field."""
        return str(self.given.get("session_id") or self.given["sessionId"])

    @property
    def context(self) -> str:
        """What the agent reads."""
        said = self.said.get("hookSpecificOutput", {}).get("additionalContext", "")
        said = said or self.said.get("additionalContext", "")
        return str(said or self.said.get("context", ""))  # a plugin of ours needs no frame


def hook_calls(place: Workplace) -> list[HookCall]:
    """The calls so far, in order."""
    calls = []
    for path in sorted((place.root / "records").glob("*.in")):
        said = path.with_suffix(".out").read_text("utf-8")
        event = path.stem.split("-", 2)[2]
        calls.append(
            HookCall(event, json.loads(path.read_text("utf-8")), json.loads(said) if said else {})
        )
    return calls


def contexts(place: Workplace, event: str) -> str:
    """What hooks of an event gave to the agent."""
    return "\n".join(call.context for call in hook_calls(place) if call.event == event)


def kind_of(call: HookCall) -> str:
    """The name under which an event of its kind is recorded."""
    if call.event == "prompt" and not call.given["prompt"]:
        return "prompt-empty"
    tool = call.given.get("tool_name") or call.given.get("toolName", "")
    if "boom" in str(call.given.get("tool_input") or call.given.get("toolArgs")):
        return f"{call.event}-{tool}-failing"
    return f"{call.event}-{tool}" if tool else call.event


def changed_contract(place: Workplace, agent: Agent) -> list[str]:
    """Which recorded fields the client no longer sends, or sends in another form."""
    before = recorded(agent.name)
    calls: dict[str, Json] = {}
    for call in hook_calls(place):  # the first of each kind, as it was recorded
        calls.setdefault(kind_of(call), call.given)
    return [
        lost
        for name, given in calls.items()
        if name in before
        for lost in lost_fields(name, before[name], given)
    ]

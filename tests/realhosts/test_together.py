"""Two agents of one person in one repository, at the same time and one after the other."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from recollect.hosts.registry import host_named
from tests.realclient.api import Answer, Request, Script, Turn, say
from tests.realclient.client import or_skip
from tests.realclient.workplace import Conversation, Workplace
from tests.realhosts.agents import AGENTS, CLAUDE_CODE, Agent, ask
from tests.realhosts.hook_calls import contexts, hook_calls

PAIRS = [(CLAUDE_CODE, AGENTS["codex"]), (AGENTS["gemini"], AGENTS["opencode"])]
# What each stores with a tool, and what its user wants to be kept.
STORED = ("Money is counted in integer cents", "Invoices are numbered anew every year")
WISHES = ("releases are on Tuesdays", "the warehouse closes at four")
# What only the first one sends to its model.
OWN_FIELDS = {"claude-code": "system", "gemini": "contents"}


@pytest.fixture(params=PAIRS, ids=["-and-".join(one.name for one in pair) for pair in PAIRS])
def pair(request: pytest.FixtureRequest) -> tuple[Agent, Agent]:
    """Two agents."""
    found: tuple[Agent, Agent] = request.param
    return found


@pytest.fixture
def place(pair: tuple[Agent, Agent], move_in: Callable[[Agent], Workplace]) -> Workplace:
    """A machine with both, and with our hooks in both."""
    first, second = pair
    place = move_in(first)
    second.settle(place)
    program = place.programs[0] / host_named(second.name).PROGRAM
    program.symlink_to(or_skip(second.fetch))
    for agent in pair:
        place.recollect("install", agent.name)
    return place


def started(place: Workplace, agent: Agent, prompt: str) -> Conversation:
    """An agent that works on a prompt."""
    place.client = or_skip(agent.fetch)
    conversation = Conversation(place, agent.command(place, prompt), place.repo)
    conversation.close_input()
    return conversation


def test_both_at_once_and_then_each_knows_the_other(
    place: Workplace, pair: tuple[Agent, Agent]
) -> None:
    """Both write while both run; each finds what the other wrote, and nothing is lost or twice."""
    flag = place.root / "both-have-stored"
    asked: Counter[int] = Counter()
    results: dict[int, str] = {}

    def answer(request: Request) -> Turn:
        who = 0 if OWN_FIELDS[pair[0].name] in request.body else 1
        asked[who] += 1
        agent, other = pair[who], 1 - who
        steps: Mapping[int, Callable[[], Answer]] = {
            1: lambda: agent.memory("store_memory", kind="decisions", summary=STORED[who]),
            # Neither goes on before both have stored.
            2: lambda: agent.run(f"until test -e {flag}; do sleep 0.1; done"),
            3: lambda: agent.memory("search_memories", query=STORED[other]),
        }
        if asked[who] == 4:
            results[who] = request.text
        return steps.get(asked[who], lambda: say("Done."))()

    place.api.play(Script(rest=answer))
    prompts = [f"Good morning. Remember that {wish}." for wish in WISHES]
    with (
        started(place, pair[0], prompts[0]) as one,
        started(place, pair[1], prompts[1]) as two,
    ):
        one.wait_until(lambda: min(asked[0], asked[1]) >= 2, "agent that waits for the other")
        flag.touch()
        runs = [one.finish(), two.finish()]

    assert [run.code for run in runs] == [0, 0], [run.stderr for run in runs]
    memories = {memory["summary"]: memory for memory in listed(place)}
    assert len(memories) == len(listed(place))
    assert sorted(memories) == sorted(
        [*STORED, *(wish[0].upper() + wish[1:] for wish in WISHES)]
    ), memories
    for who, agent in enumerate(pair):
        assert STORED[1 - who] in results[who]
        wish = memories[WISHES[who][0].upper() + WISHES[who][1:]]
        hosts = [one["provenance"]["host"] for one in (wish, memories[STORED[who]])]
        assert hosts == [agent.name, agent.name]
    sessions = {call.session for call in hook_calls(place)}
    assert len(sessions) == 2

    # In the afternoon, each by itself.
    place.api.play(Script())
    for who, agent in enumerate(pair):
        before = len(hook_calls(place))
        place.client = or_skip(agent.fetch)
        ask(place, agent, "Good afternoon.")
        calls = hook_calls(place)[before:]
        said = "\n".join(call.context for call in calls)
        assert STORED[1 - who] in said
        assert WISHES[1 - who][1:] in said
    assert contexts(place, "session-start")


def listed(place: Workplace) -> list[dict[str, Any]]:
    """All memories but the summaries of sessions."""
    found = json.loads(place.recollect("list", "--json"))
    return [memory for memory in found if memory["kind"] != "sessions"]

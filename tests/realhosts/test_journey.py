"""The same journey with every agent: from an empty machine to a working session, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from signal import SIGKILL

import pytest

from tests.realclient.api import Answer, Request, Script, Silence, Turn, both, say
from tests.realclient.workplace import Conversation, Workplace
from tests.realhosts.agents import AGENTS, Agent, ask
from tests.realhosts.hook_calls import changed_contract, contexts, hook_calls

CENTS = "Money is counted in integer cents"
REFUNDS, DAYS = "Refunds go back through Stripe", "They take thirty days."
# More than fits into the line that a session starts with, so that the prompt brings the rest.
HOW = (
    "Refunds with Stripe are handled by its webhook, which tells us when one is done. Until then"
    " nothing is final, and the customer hears from us and not from Stripe. The fee is lost in any"
    " case, so partial refunds are rounded up to whole euros. Refunds of vouchers become new"
    f" vouchers, never money. {DAYS}"
)
QUEUE = "Addresses are checked before they enter the queue"
CURE = "ModuleNotFoundError: No module named 'pricelib' is cured with make vendor"
INVOICES = "Invoices are numbered anew every year"
TUESDAYS = "Releases are on Tuesdays"
REDIS = "keep carts in Redis"
CHOSEN = f"We decided to {REDIS}, because a cart must expire after thirty days. I look at the code."
WISH = "remember that releases are on Tuesdays. How are refunds with Stripe handled?"


def in_turn(*steps: Answer | Callable[[], Answer]) -> Script:
    """A model that takes these steps. A step that is a function is called when its turn comes."""
    left: Iterator[Answer | Callable[[], Answer]] = iter(steps)

    def answer(_: Request) -> Turn:
        step = next(left, None)
        return say("Done.") if step is None else step() if callable(step) else step

    return Script(rest=answer)


def test_the_journey(place: Workplace, agent: Agent) -> None:
    """A wish is kept; memories come at the start, at a prompt, a file and a failure; tools work."""
    settings = [place.home / name for name in agent.settings]
    before = [path.read_bytes() for path in settings]
    place.recollect("install", agent.name)
    place.remember("decisions", CENTS)
    place.remember("learnings", REFUNDS, "-m", HOW)

    def read_mail() -> Answer:
        place.remember("learnings", QUEUE, "--file", "src/mail.py")
        return agent.read(str(place.repo / "src" / "mail.py"))

    def fail() -> Answer:
        place.remember("solutions", CURE)
        return agent.run("python3 -c 'import pricelib'")

    place.api.play(
        in_turn(
            agent.memory("store_memory", kind="decisions", summary=INVOICES),
            agent.memory("search_memories", query="How are invoices numbered?"),
            read_mail,
            fail,
            say("It is missing."),
        )
    )

    run = ask(place, agent, WISH)

    first, stored, found, mail, failure = (request.text for request in run.main[:5])
    assert CENTS in first
    assert DAYS in first
    assert '"done":"stored"' in stored
    assert INVOICES in found.replace(INVOICES, "", 1)
    assert QUEUE not in found
    assert QUEUE in mail
    assert CURE not in mail
    assert CURE in failure
    assert CENTS in contexts(place, "session-start")
    assert DAYS in contexts(place, "prompt")
    listed = place.recollect("list")
    assert listed.count(TUESDAYS) == 1
    assert len(listed.splitlines()) == 6  # and nothing that hooks said was taken for a wish
    ledger = place.git("notes", "--ref=mem/decisions", "show", "HEAD")
    assert f'"host": "{agent.name}"' in ledger[ledger.index(INVOICES) - 500 :]
    sessions = {call.session for call in hook_calls(place)}
    assert len(sessions) == 1

    assert changed_contract(place, agent) == []

    place.recollect("install", agent.name, "--uninstall")
    assert [path.read_bytes() for path in settings] == before
    assert len(place.recollect("list").splitlines()) == 6


def test_for_you_and_for_the_project(place: Workplace, agent: Agent) -> None:
    """Who has both gets each memory once: a hook does not run twice."""
    place.recollect("install", agent.name)
    place.recollect("install", agent.name, "--scope", "project")
    place.remember("decisions", CENTS)

    run = ask(place, agent, WISH)

    events = [call.event for call in hook_calls(place)]
    assert events.count("session-start") == events.count("stop") == 1
    assert run.main[0].text.count(CENTS) == 1


def test_an_agent_that_is_killed_leaves_nothing_behind(place: Workplace, agent: Agent) -> None:
    """In the middle of a turn; what was stored until then is kept."""
    place.recollect("install", agent.name)
    place.api.play(
        Script([agent.memory("store_memory", kind="decisions", summary=CENTS), Silence()])
    )
    with Conversation(place, agent.command(place, "Store it."), place.repo) as conversation:
        conversation.close_input()
        conversation.wait_for_request(2)
        conversation.signal(SIGKILL)
        conversation.finish()  # it looks for processes that were left behind

    assert CENTS in place.git("notes", "--ref=mem/decisions", "show", "HEAD")


# Copilot writes its lines late, and a kill takes them along.
WITH_TRANSCRIPT = [name for name in AGENTS if name != "copilot"]


@pytest.mark.parametrize("agent", [AGENTS[name] for name in WITH_TRANSCRIPT], ids=WITH_TRANSCRIPT)
def test_what_a_killed_agent_said_is_noticed(place: Workplace, agent: Agent) -> None:
    """No hook was told of it, so the next session reads it in what the agent keeps."""
    place.recollect("install", agent.name)
    place.api.play(Script([both(say(CHOSEN), agent.run("git status --short")), Silence()]))
    with Conversation(place, agent.command(place, "Choose a store."), place.repo) as conversation:
        conversation.close_input()
        conversation.wait_for_request(2)
        conversation.signal(SIGKILL)
        conversation.finish()
    assert REDIS not in place.recollect("review", "--json")

    place.api.play(Script([say("Good morning.")]))
    ask(place, agent, "Good morning.")

    assert REDIS in place.recollect("review", "--json")


@pytest.mark.parametrize("agent", [AGENTS["codex"]], ids=["codex"])
def test_what_one_agent_learns_another_knows(
    agent: Agent, move_in: Callable[[Agent], Workplace]
) -> None:
    """Two agents in one repository, also at the same time."""
    here, other = move_in(agent), AGENTS["gemini"]
    there = move_in(other)
    for place, one in ((here, agent), (there, other)):
        place.recollect("install", one.name)
    here.api.play(Script([Silence()]))
    with Conversation(here, agent.command(here, WISH), here.repo) as first:
        first.close_input()
        first.wait_for_request()  # the wish is kept before the model answers
        here.api.play(Script([say("On Tuesdays.")]))
        with Conversation(there, other.command(there, "When are releases?"), here.repo) as second:
            second.close_input()
            run = second.finish()
        first.signal(SIGKILL)
        first.finish()

    assert run.code == 0, run.stderr
    assert TUESDAYS in contexts(there, "session-start") + contexts(there, "prompt")

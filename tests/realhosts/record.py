"""Record what the real clients say to hooks: `python -m tests.realhosts.record [AGENT...]`.

Each client is driven through the events that it has, and each kind of event is kept as one file in
`tests/hosts/<agent>/recorded/`. Record again when a pinned version changes, and read the
difference.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.realclient.api import MessagesApi, Script, both, say
from tests.realclient.record import save, tidy
from tests.realclient.workplace import PATIENCE, Conversation, Workplace
from tests.realhosts.agents import AGENTS, Agent, set_up
from tests.realhosts.hook_calls import hook_calls, kind_of

RECORDED = Path(__file__).parents[1] / "hosts"
PLAN = "I look at the cart first, because the tax depends on it."


def record(place: Workplace, agent: Agent) -> dict[str, Any]:
    """Drive the client through everything; the first event of each kind, by name."""
    place.recollect("install", agent.name)
    place.remember("decisions", "Money is counted in integer cents")
    place.api.play(
        Script(
            [
                both(say(PLAN), agent.read(str(place.repo / "src" / "cart.py"))),
                agent.write(str(place.repo / "src" / "tax.py"), "RATE = 0.19"),
                agent.run("git status --short"),
                agent.run("echo boom >&2; exit 3"),
                say("The tax has a module of its own."),
            ]
        )
    )
    # Hooks are started for every write if there is a mirror.
    place.recollect("mirror", "on")
    prompt = "Add a tax rate."
    with Conversation(place, agent.command(place, prompt), place.repo) as conversation:
        conversation.close_input()
        conversation.finish()
    found: dict[str, Any] = {}
    for call in hook_calls(place):
        found.setdefault(kind_of(call), tidy(place, call.given))
    return found


def transcript(place: Workplace) -> list[str]:
    """The lines of the transcript that hooks were told of; none if there is none."""
    given = [call.given for call in hook_calls(place)]
    named = [one.get("transcript_path") or one.get("transcriptPath") for one in given]
    path = next((str(one) for one in reversed(named) if one), "")
    lines = Path(path).read_text("utf-8").splitlines() if path else []
    return [json.dumps(tidy(place, json.loads(line)), ensure_ascii=False) + "\n" for line in lines]


def main() -> None:
    """Record the named clients anew, or all."""
    for name in sys.argv[1:] or AGENTS:
        agent = AGENTS[name]
        with MessagesApi() as api, tempfile.TemporaryDirectory(prefix="recollect-") as scratch:
            place = Workplace(Path(scratch), agent.fetch(), api, None, variables=dict(PATIENCE))
            set_up(place, agent)
            folder = RECORDED / agent.name / "recorded"
            save(record(place, agent), folder)
            if lines := transcript(place):
                (folder / "transcript.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    main()

"""`/recollect:learn` in the real client: what it writes, and when."""

from __future__ import annotations

import json
from typing import Any

from tests.realclient.api import Answer, Script, say, use
from tests.realclient.workplace import Workplace

ASKED = "It looked at 12 commits and would keep some. Shall I keep them, and improve some?"
AGREED = "Yes, keep them, and improve the decision."
DROPPED = """Drop support for Python 3.8 in the cart

Nobody could test it any more, because the build images were removed.
We decided to require 3.9 instead of keeping a fork of the old image, to
avoid two ways to build a release.
"""
RULES = "# Guide\n\n- Never call the network in a test.\n"
BETTER = "The cart requires Python 3.9, because no image for 3.8 is left"


def with_past(place: Workplace) -> None:
    """Give the shop a history that says why, and a file with a rule."""
    (place.repo / "AGENTS.md").write_text(RULES)
    place.git("add", "--all")
    place.git("commit", "--quiet", "--message", "Add a guide")
    for number in range(20):
        _change(place, f"Bump version to 1.{number}")
    _change(place, DROPPED)


def _change(place: Workplace, message: str) -> None:
    cart = place.repo / "src" / "cart.py"
    cart.write_text(cart.read_text() + f"# {len(cart.read_text())}\n")
    place.git("commit", "--quiet", "--all", "--message", message)


def listed(place: Workplace, *options: str) -> list[dict[str, Any]]:
    """The memories of the shop."""
    found: list[dict[str, Any]] = json.loads(place.recollect("list", *options, "--json"))
    return found


def bash(command: str) -> Answer:
    """The agent runs a command."""
    return use("Bash", command=command)


def test_the_offer_and_the_command_write_nothing(place: Workplace) -> None:
    """The first session offers it in a line, once; its dry run and a `no` leave nothing behind."""
    with_past(place)
    before = sorted(path.name for path in (place.repo / ".git").iterdir())
    place.api.play(Script([bash("recollect learn --dry-run"), say(ASKED), say("Fine.")]))

    run = place.ask("/recollect:learn", "No, leave it.")

    (offer,) = (hook.stdout for hook in run.hooks("SessionStart") if hook.stdout)
    assert "/recollect:learn" in json.loads(offer)["systemMessage"]
    assert "Ask the user" in run.main[0].text
    assert "Would keep 2. Nothing was written." in run.main[1].text
    assert "session of Claude Code" not in run.main[1].text  # this one is not past
    assert place.git("for-each-ref", "refs/notes") == ""
    assert listed(place, "--status", "all") == []
    assert not (place.repo / ".git" / "recollect" / "history.db").exists()
    assert {path.name for path in (place.repo / ".git").iterdir()} - {*before} <= {"recollect"}
    again = place.ask("Good morning.")
    assert "/recollect:learn" not in "".join(hook.stdout for hook in again.hooks("SessionStart"))


def test_without_the_word_of_the_user_the_agent_is_told_to_ask(place: Workplace) -> None:
    """Nothing waits for an answer in the shell of an agent, and nothing is written."""
    with_past(place)
    place.api.play(Script([bash("recollect learn"), bash("recollect import git"), say(ASKED)]))

    run = place.ask("/recollect:learn")

    for request in run.main[1:3]:
        assert "Nothing was written. Ask the user. Only if they agree, add --yes" in request.text
    assert listed(place, "--status", "all") == []


def test_it_is_kept_and_improved_on_the_users_word(place: Workplace) -> None:
    """A batch of candidates with their text becomes drafts; the answer is no memory itself."""
    with_past(place)
    place.api.play(
        Script(
            [
                bash("recollect learn --dry-run"),
                say(ASKED),
                bash("recollect learn --yes"),
                bash("recollect list --run import-1 --status unconfirmed -n 100"),
                say("There is one decision."),
            ]
        )
    )
    first = place.ask("/recollect:learn", AGREED)
    (candidate,) = listed(place, "--run", "import-1", "--status", "unconfirmed")
    assert candidate["id"].startswith("decisions:")
    short = ":".join(part[:7] if len(part) == 40 else part for part in candidate["id"].split(":"))
    assert short in first.main[4].text
    draft = {
        "action": "create",
        "kind": "decisions",
        "title": BETTER,
        "replaces": [short],
        "content": {
            "status": "accepted",
            "context": "The build images of 3.8 were removed.",
            "decision": "Python 3.9",
            "rationale": ["Nobody could test 3.8 any more."],
        },
    }
    write = f"recollect write drafts --input - --json <<'EOF'\n{json.dumps([draft])}\nEOF"
    place.api.play(Script([bash(f"recollect show {short}"), bash(write), say("One is better.")]))

    second = place.ask("Go on.", options=["--resume", first.session])

    assert "fork of the old image" in second.main[1].text
    assert {memory["summary"]: memory["status"] for memory in listed(place)} == {
        "Never call the network in a test": "active",
        BETTER: "active",
    }
    assert json.loads(place.recollect("review", "--json")) == []
    again = json.loads(place.recollect("learn", "--dry-run", "--json"))
    assert [one for source in again["sources"] for one in source["kept"]] == []
    place.recollect("import", "--undo", "import-1")
    assert [memory["summary"] for memory in listed(place)] == [BETTER]

"""What a person asks not to keep stays out of everything, and so does what the agent repeats."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from tests.support.agent import transcript
from tests.support.serving import Talk

SECRET = (
    "Between us, and don't write this down: we decided that Henrik leaves the platform team in"
    " June because the budget is gone."
)
REPEATED = "We decided that Henrik leaves the platform team in June because the budget is gone."
DECISION = "We decided to write the barcode parser in Rust because Python was too slow for it."


@pytest.fixture
def talk(repo: Path, store: Recollect) -> Talk:
    """A session in that repository."""
    return Talk(repo, moment=int(time.time() * 1000))  # what was noticed long ago has expired


def known(store: Recollect) -> str:
    """Everything that is stored, whatever its status, and what waits."""
    kept = [*store.memories(), *store.unconfirmed()]
    found = store.local.findings.recent("s1", 100)
    goal = store.local.session_log.goal("s1")
    entries = [what for _, what in store.local.session_log.entries("s1")]
    return "\n".join(
        [*(f"{m.summary}\n{m.text}" for m in kept), *(one.text for one in found), goal, *entries]
    )


def test_it_is_not_noticed_and_the_user_sees_that(talk: Talk, store: Recollect) -> None:
    """At the prompt, in one line."""
    said = talk.say(f"{DECISION}\n\n{SECRET}")

    assert said.count("\n") == 0
    assert "not kept, as you asked" in said
    assert "barcode parser" in known(store)
    assert "Henrik" not in known(store)


def test_it_is_not_noticed_in_the_transcript(talk: Talk, store: Recollect, tmp_path: Path) -> None:
    """Nor is what the agent repeats, even if the prompt's own hook never ran."""
    path = tmp_path / "talk.jsonl"
    talk.say("Go on with the cart, please, and add a test.")
    transcript(path, ("user", SECRET), ("assistant", f"Understood. {REPEATED}\n\n{DECISION}"))
    talk.hook("stop", transcript_path=str(path), last_assistant_message="Done.")

    assert "barcode parser" in known(store)
    assert "Henrik" not in known(store)


def test_what_the_agent_says_in_another_way(talk: Talk, store: Recollect) -> None:
    """Most of the words are enough; at the stop, and of a subagent."""
    talk.say(SECRET)
    again = "It was decided that Henrik leaves in June, because the budget is gone."
    talk.hook("stop", last_assistant_message=again)
    talk.hook("subagent-stop", agent_type="x", last_assistant_message=REPEATED)

    assert "Henrik" not in known(store)


def test_no_summary_says_it(talk: Talk, store: Recollect) -> None:
    """Neither as goal nor as what was done; nor what a colleague thinks."""
    talk.hook("session-start", source="startup")
    talk.say(SECRET)
    talk.say("A colleague says we should rewrite the whole shop in Kotlin. Let the cart round up.")
    path = str(talk.repo / "cart.py")
    talk.hook("tool-post", tool_name="Edit", tool_input={"file_path": path}, tool_response={})
    done = f"{REPEATED} Changed the cart so that it always rounds up to whole cents."
    talk.hook("stop", last_assistant_message=done)
    Talk(talk.repo, "s2").hook("session-start", source="startup")

    (summary,) = store.memories(kind="sessions")
    assert "cart" in summary.text
    for word in ("Henrik", "Kotlin"):
        assert word not in f"{summary.summary}\n{summary.text}\n{known(store)}"


def test_only_salted_hashes_are_on_disk(talk: Talk, store: Recollect) -> None:
    """The marker has no words."""
    talk.say(SECRET)

    assert store.local.noticed.unkept("s1")
    assert store.local.noticed.unkept("s2") == []
    folder = store.ledger.repository.state_dir
    assert not [p for p in folder.rglob("*") if p.is_file() and b"Henrik" in p.read_bytes()]


@pytest.mark.parametrize(("notify", "seen"), [("all", True), ("kept", False), ("none", False)])
def test_the_line_can_be_switched_off(
    talk: Talk, store: Recollect, notify: str, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was kept, so `kept` does not show it."""
    monkeypatch.setenv("RECOLLECT_NOTIFY", notify)

    assert ("not kept" in talk.say(SECRET)) is seen


def test_an_answer_decides_nothing(talk: Talk, store: Recollect) -> None:
    """What an agent compares when somebody asks is no decision; what it reports as one is."""
    talk.say("Would MQTT be better for the alarms? Only asking.")
    talk.hook(
        "stop",
        last_assistant_message="Mail is simpler for one brewery; MQTT pays off with several.",
    )
    assert not [m for m in store.unconfirmed() if "MQTT" in m.text or "MQTT" in m.summary]

    talk.say("What did we say about the database?")
    talk.hook("stop", last_assistant_message=DECISION)
    assert "barcode parser" in known(store)

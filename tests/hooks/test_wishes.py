"""What a person asks for in plain words is kept at once, once, and can be taken back."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from tests.support.agent import Agent, transcript
from tests.support.serving import Talk

REDIS = "We use Redis for the cache"


@pytest.fixture
def talk(repo: Path, store: Recollect) -> Talk:
    """A session in that repository."""
    return Talk(repo)


def saying(store: Recollect, word: str, **filters: Any) -> list[str]:
    """The summaries of active memories with a word."""
    return [m.summary for m in store.memories(**filters) if word in m.summary]


def test_a_wish_is_kept_and_confirmed_in_one_line(talk: Talk, store: Recollect) -> None:
    """With its id, what was understood, who said it, and a command that really undoes it."""
    said = talk.say(f"fix the bug, and remember that {REDIS[0].lower()}{REDIS[1:]}")

    (memory,) = (m for m in store.memories() if "Redis" in m.summary)
    head, _, undo = said.partition(". Undo: recollect ")
    assert head.startswith("Recollect: remembered ")
    assert head.endswith(f'"{REDIS}"')
    assert memory.provenance == {
        "said_by": "user",
        "via": "request",
        "hook": "prompt",
        "host": "claude-code",
    }
    assert memory.session == "s1"

    run = [sys.executable, "-m", "recollect", *undo.split()]
    subprocess.run(run, cwd=talk.repo, check=True, capture_output=True)
    assert saying(store, "Redis") == []


@pytest.mark.parametrize("mode", ["auto", "off"])
def test_a_wish_needs_no_model_and_no_transcript(
    talk: Talk, store: Recollect, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """Whatever the words: its content is worth keeping, so nobody waits for a second look."""
    monkeypatch.setenv("RECOLLECT_EMBEDDING_MODEL", "none")
    monkeypatch.setenv("RECOLLECT_CAPTURE_MODE", mode)

    said = talk.say("We freeze translations ten days before a release. That binds you as well.")

    assert "remembered " in said
    assert len(saying(store, "We freeze translations")) == 1


def test_several_wishes_are_one_line(talk: Talk, store: Recollect) -> None:
    """Each becomes a memory, with the kind that its words tell."""
    said = talk.say("Note that the port is 80. Now fix it. From now on use pathlib.")

    assert said.count("\n") == 0
    assert saying(store, "port is", kind="constraints") == ["The port is 80"]
    assert saying(store, "pathlib", kind="preferences") == ["Use pathlib"]


def test_a_wish_without_content_asks_back(talk: Talk, store: Recollect) -> None:
    """It guesses nothing."""
    before = len(store.memories())

    assert "what should I remember?" in talk.say("remember that")
    assert len(store.memories()) == before


def test_what_an_agent_says_is_no_wish(talk: Talk, store: Recollect) -> None:
    """Only a prompt can ask; and a report of a background task is no prompt."""
    talk.hook("stop", last_assistant_message=f"Remember that {REDIS}.")
    talk.hook("subagent-stop", agent_type="x", last_assistant_message=f"Remember that {REDIS}.")

    assert saying(store, "Redis") == []


def test_a_wish_is_linked_to_the_files_of_its_turn(talk: Talk, store: Recollect) -> None:
    """Those that the prompt names at once, those that tools change at the stop; not later ones."""
    (talk.repo / "src").mkdir(exist_ok=True)
    for name in ("src/shop.py", "a.txt", "b.txt"):
        (talk.repo / name).write_text("x\n")

    talk.say(f"Look at src/shop.py and missing.py; remember that {REDIS}")
    (memory,) = (m for m in store.memories() if "Redis" in m.summary)
    assert memory.files_read == ("src/shop.py",)

    for name in ("a.txt", "b.txt"):
        path = str(talk.repo / name)
        talk.hook("tool-post", tool_name="Edit", tool_input={"file_path": path}, tool_response={})
        talk.hook("stop")
    memory = store.get(memory.uid)
    assert memory.files_modified == ("a.txt",)
    assert store.local.sessions.given("s1")[memory.uid] == memory.version


def test_the_same_wish_is_kept_once(talk: Talk, store: Recollect, tmp_path: Path) -> None:
    """Said again, here and elsewhere, and read again from the transcript."""
    line = f"remember that {REDIS}"
    talk.say(line)
    again = talk.say(line + ".")
    Talk(talk.repo, "s2").say(line)
    path = tmp_path / "talk.jsonl"
    transcript(path, ("user", line), ("assistant", "Noted."))
    for session in ("s1", "a fork"):
        Talk(talk.repo, session).hook("stop", transcript_path=str(path))

    assert "already remembered as " in again
    assert saying(store, "Redis") == [REDIS]


def test_the_same_wish_in_two_sessions_at_once_is_kept_once(repo: Path, store: Recollect) -> None:
    """The lock decides who was first."""
    agents = [Agent(repo, f"s{number}") for number in range(3)]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda a: a.hook("prompt", prompt=f"remember that {REDIS}"), agents))

    assert saying(store, "Redis") == [REDIS]


def test_what_was_undone_does_not_come_back_from_the_transcript(
    talk: Talk, store: Recollect, tmp_path: Path
) -> None:
    """Only a person who says it again brings it back, and is told."""
    line = f"remember that {REDIS}"
    talk.say(line)
    (memory,) = (m for m in store.memories() if "Redis" in m.summary)
    store.set_status(memory.uid, "retired")
    path = tmp_path / "talk.jsonl"
    transcript(path, ("user", line), ("assistant", "Noted."))
    talk.hook("stop", transcript_path=str(path))
    assert saying(store, "Redis") == []

    assert "remembered again " in talk.say(line)
    assert store.get(memory.uid).status == "active"


@pytest.mark.parametrize("status", ["archived", "retired", "resolved"])
def test_a_hidden_twin_comes_back(talk: Talk, store: Recollect, status: str) -> None:
    """The same memory is active again, and that is said."""
    memory = store.capture("decisions", REDIS)
    store.set_status(memory.uid, status)

    assert f"which was {status}" in talk.say(f"remember that {REDIS}")
    assert store.get(memory.uid).status == "active"
    assert saying(store, "Redis") == [REDIS]


def test_an_expired_twin_does_not_swallow_a_wish(talk: Talk, store: Recollect) -> None:
    """There is a new memory then."""
    old = store.capture("decisions", REDIS, ttl=1, created="2020-01-01T00:00:00Z")

    assert "remembered " in talk.say(f"remember that {REDIS}")
    assert [m.uid for m in store.memories() if "Redis" in m.summary and m.uid != old.uid]


def test_a_reversal_archives_what_it_reverses(talk: Talk, store: Recollect) -> None:
    """One line says so; forgetting it brings the old one back."""
    talk.say(f"remember that {REDIS}")
    said = talk.say("remember that we use Memcached, not Redis, for the cache")

    assert "It replaces " in said
    assert "recollect restore " in said
    assert saying(store, "the cache") == ["We use Memcached, not Redis, for the cache"]

    assert "is active again" in talk.say("no, forget that")
    assert saying(store, "the cache") == [REDIS]


def test_another_object_archives_nothing(talk: Talk, store: Recollect) -> None:
    """Both are true."""
    talk.say(f"remember that {REDIS}")
    talk.say("remember that we use Redis for the sessions")

    assert saying(store, "Redis") == [REDIS, "We use Redis for the sessions"]


def test_forget_that_takes_back_the_last_wish(talk: Talk, store: Recollect) -> None:
    """Of this session, in this turn or the one before; else it says and does nothing."""
    assert talk.say("no, forget that") == ""
    talk.say(f"remember that {REDIS}")
    talk.hook("stop")
    assert Talk(talk.repo, "s2").say("no, forget that") == ""
    assert talk.say("forget about the tests, just ship") == ""
    assert saying(store, "Redis") == [REDIS]

    talk.say("remember that the port is 80")
    said = talk.say("No, forget that.")
    assert "forgot constraints:" in said
    assert "recollect restore constraints:" in said
    assert saying(store, "port is") == []
    assert saying(store, "Redis") == [REDIS]
    assert talk.say("no, forget that") == ""


def test_a_secret_in_a_wish_reaches_no_disk(talk: Talk, store: Recollect) -> None:
    """Neither the stash nor the ledger."""
    token = "ghp_" + "Ab3dE6gH9jK2" * 3
    said = talk.say(f"please remember that the sandbox token is {token}")

    assert token not in said
    assert not [p for p in talk.repo.rglob("*") if p.is_file() and token.encode() in p.read_bytes()]


def test_a_long_wish_has_a_title_that_is_not_said_twice(talk: Talk, store: Recollect) -> None:
    """A whole sentence, or whole clauses."""
    from recollect.search.rendering import render_memory

    talk.say(
        "remember that the order import of the warehouse team must run in one single transaction,"
        " because a crash in the middle lost some lines of an invoice last March"
    )
    (memory,) = (m for m in store.memories() if "warehouse" in m.summary)

    assert memory.summary.endswith("transaction.")
    assert render_memory(memory, "now").count("warehouse team") == 1


def test_forgetting_what_was_noticed_rejects_it(repo: Path, store: Recollect) -> None:
    """Neither it nor its like comes again, from the transcript or said anew."""
    talk = Talk(repo, moment=int(time.time() * 1000))  # what was noticed long ago has expired
    decision = "We decided to write the barcode parser in Rust because Python was too slow for it."
    talk.say(decision)
    assert len(store.unconfirmed()) == 1

    assert "forgot" in talk.say("no, forget that")
    assert len(store.unconfirmed()) == 0
    talk.hook("stop", last_assistant_message=decision)
    talk.say(decision)
    assert len(store.unconfirmed()) == 0


@pytest.mark.parametrize(("notify", "seen"), [("all", True), ("kept", True), ("none", False)])
def test_the_lines_of_wishes_can_be_switched_off(
    talk: Talk, store: Recollect, notify: str, seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They tell what was kept; one line, whatever else the turn has."""
    monkeypatch.setenv("RECOLLECT_NOTIFY", notify)
    said = talk.say(
        f"remember that {REDIS}\n\nWe decided to use PostgreSQL because two workers write at once."
    )

    assert said.count("\n") == 0
    assert ("remembered " in said) is seen
    assert ("forgot" in talk.say("no, forget that")) is seen
    assert saying(store, "Redis") == []


def test_a_polite_question_is_kept_as_a_statement(talk: Talk, store: Recollect) -> None:
    """Without the words that ask, and the title is a whole sentence."""
    talk.say(
        "One more thing for the future: would you please never send test mails to the real domain?"
        " We use example.org addresses for that, the officer was quite clear."
    )
    (memory,) = (m for m in store.memories() if "mails" in m.summary)

    assert memory.summary == "Never send test mails to the real domain."
    assert "We use example.org" in memory.text

"""Forgetting what was kept just now takes it back, whichever way it was kept, and its like too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from tests.sandbox import Sandbox
from tests.support.agent import transcript
from tests.support.serving import Talk

SAID = "Let's go with nightly database dumps at two, because the replica lags by an hour."
TITLE = "Nightly database dumps at two, because the replica lags by an hour"


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, still empty."""
    return sandbox.open(repo)


def by_wish(talk: Talk, store: Recollect) -> None:
    """In plain words."""
    talk.say(f"Remember: {TITLE}.")


def by_draft(talk: Talk, store: Recollect) -> None:
    """The agent was asked at the stop."""
    talk.say("Why do we dump?")
    store.write_drafts([{"kind": "learnings", "title": TITLE, "body": ""}])


def over_mcp(talk: Talk, store: Recollect) -> None:
    """The agent did it by itself."""
    talk.say("Why do we dump?")
    store.capture("decisions", TITLE, provenance={"said_by": "agent", "via": "mcp"})


def noticed(talk: Talk, store: Recollect) -> None:
    """Unconfirmed."""
    talk.say(SAID)


WAYS = (by_wish, by_draft, over_mcp, noticed)


@pytest.mark.parametrize(
    "prompt", ["no, forget that", "scratch that", "No, forget that, my wife did it."]
)
@pytest.mark.parametrize("keep", WAYS, ids=lambda keep: str(keep.__name__))
def test_it_is_undone(
    repo: Path,
    store: Recollect,
    tmp_path: Path,
    keep: Callable[[Talk, Recollect], None],
    prompt: str,
) -> None:
    """Nothing of it is left, and the transcript that the stop reads does not bring it back."""
    talk = Talk(repo, moment=int(store.now() * 1000))
    keep(talk, store)
    assert store.memories(status="active") or store.memories(status="unconfirmed")

    said = talk.say(prompt)
    path = tmp_path / "talk.jsonl"
    transcript(path, ("user", SAID), ("assistant", SAID), ("user", prompt), ("assistant", "Ok."))
    talk.hook("stop", transcript_path=str(path), last_assistant_message="Ok.")

    assert "forgot" in said
    assert [m for m in store.memories(status="active") if "dumps" in m.summary] == []
    assert store.memories(status="unconfirmed") == []


def test_a_change_of_mind_is_undone(repo: Path, store: Recollect) -> None:
    """What it replaced holds again."""
    old = store.capture("decisions", "Deploy on Fridays at noon, because traffic is low then")
    talk = Talk(repo)
    talk.say(
        "We changed our minds: deploy on Tuesdays, not Fridays, because nobody wants to fix things"
        " at the weekend."
    )
    (new,) = [m for m in store.memories() if m.uid != old.uid]
    assert store.get(old.uid).status == "archived"

    talk.say("scratch that")

    assert store.get(new.uid).status == "retired"
    assert store.get(old.uid).status == "active"
    assert "Friday" in Talk(repo, "s2").context("prompt", prompt="When do we deploy?")


def test_what_holds_instead_is_no_request_to_forget_only(repo: Path, store: Recollect) -> None:
    """Then the new one takes the place of the old one."""
    talk = Talk(repo)
    talk.say("Remember: label width is 62 mm.")

    assert "forgot" not in talk.say("Scratch that, the width depends on the customer.")

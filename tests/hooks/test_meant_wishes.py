"""Wishes that only their meaning tells are kept by whoever has an embedder: at once, or later."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.capture.requests import find_requests
from recollect.core.memory import Memory
from recollect.embedding import Embedder, open_embedder
from recollect.engine.stores import StorePool
from tests.support.agent import transcript
from tests.support.serving import Talk

PROMPT = "The tool is logsift, lower case. make sure your future self knows"
# Its words seem to ask, and its meaning hardly does.
DOUBTFUL = (
    "seed 1337 in logsift for anything we compare between runs otherwise the table in the paper is"
    " meaningless"
)
KEPT = "The tool is logsift, lower case"


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """The model that is installed by default."""
    found = open_embedder("default", threads=1)
    assert found is not None
    return found


@pytest.fixture
def engine(embedder: Embedder) -> Iterator[StorePool]:
    """The stores of an engine that has loaded its model."""
    pool = StorePool()
    pool.share_embedder(embedder)
    yield pool
    pool.close()


def kept(store: Recollect) -> list[Memory]:
    """The active memories about the name."""
    return [memory for memory in store.memories() if "logsift" in memory.summary.lower()]


def test_an_engine_keeps_it_at_the_prompt(repo: Path, store: Recollect, engine: StorePool) -> None:
    """In one line with the id and the way back; the trace says that the meaning decided."""
    said = Talk(repo, pool=engine).say(PROMPT)

    (memory,) = kept(store)
    assert memory.summary.startswith(KEPT)
    assert memory.status == "active"
    asked = {"said_by": "user", "via": "request", "hook": "prompt"}
    assert asked.items() <= dict(memory.provenance or {}).items()
    assert said.startswith("Recollect: remembered ")
    assert f'"{KEPT}' in said
    assert ". Undo: recollect retire " in said
    (trace, *_) = store.local.sessions.traces(1, "s1")
    (step,) = (step for step in trace.steps if step["what"] == "captured")
    assert step["rules"][0].startswith("by meaning")


def test_what_only_may_be_a_wish_is_noticed(
    repo: Path, store: Recollect, engine: StorePool, tmp_path: Path
) -> None:
    """Once, and nothing is confirmed that no word asks for."""
    talk = Talk(repo, pool=engine)
    said = talk.say(DOUBTFUL)
    path = tmp_path / "talk.jsonl"
    transcript(path, ("user", DOUBTFUL), ("assistant", "Ok."))
    talk.hook("stop", transcript_path=str(path), last_assistant_message="Ok.")

    (memory,) = kept(store)
    assert memory.status == "unconfirmed"
    assert (memory.provenance or {})["said_by"] == "user"
    assert "noticed 1 (unconfirmed)" in said


def test_a_later_event_keeps_what_a_cold_hook_could_not_tell(
    repo: Path, store: Recollect, engine: StorePool, tmp_path: Path
) -> None:
    """Once, as what the person said, however often the transcript is read: it is certain now."""
    now = time.time_ns() // 1_000_000  # what was noticed must not have expired
    Talk(repo, moment=now).say(PROMPT)
    assert "active" not in [memory.status for memory in kept(store)]

    warm = Talk(repo, pool=engine, moment=now + 2000)
    path = tmp_path / "talk.jsonl"
    transcript(path, ("user", PROMPT), ("assistant", "Noted."))
    stop = {"transcript_path": str(path), "last_assistant_message": "Noted."}
    told = [str(warm.hook("stop", **stop)), str(warm.hook("stop", **stop)), warm.say("go on")]

    (memory,) = kept(store)
    assert "".join(told).count("remembered ") == 1
    assert memory.status == "active"
    assert memory.provenance is not None
    assert memory.provenance["said_by"] == "user"


def test_what_was_undone_does_not_come_back(
    repo: Path, store: Recollect, engine: StorePool, tmp_path: Path
) -> None:
    """Neither from the transcript nor as something noticed."""
    talk = Talk(repo, pool=engine)
    talk.say(PROMPT)
    assert "forgot" in talk.say("no, forget that")
    path = tmp_path / "talk.jsonl"
    transcript(path, ("user", PROMPT), ("assistant", "Ok."))
    talk.hook("stop", transcript_path=str(path), last_assistant_message="Ok.")

    assert kept(store) == []


def test_a_private_wish_of_a_transcript_is_not_kept(
    repo: Path, store: Recollect, tmp_path: Path
) -> None:
    """The prompt hook leaves it out, and so must whoever looks again."""
    prompt = "Fix it.\n<private>\nRemember that logsift is for sale.\n</private>"
    talk = Talk(repo)
    talk.say(prompt)
    path = tmp_path / "talk.jsonl"
    transcript(path, ("user", prompt), ("assistant", "Ok."))
    talk.hook("stop", transcript_path=str(path), last_assistant_message="Ok.")

    assert kept(store) == []


def test_the_meaning_takes_back_what_the_words_seem_to_ask(
    repo: Path, store: Recollect, engine: StorePool
) -> None:
    """Nothing of it stays, not even in the stash, and the trace names the words that decided."""
    talk = Talk(repo, pool=engine)
    said = talk.say("logsift 9 is wrong information, please remove it from your mind.")

    assert "not kept, as you asked" in said
    assert kept(store) == []
    assert not [memory for memory in store.unconfirmed() if "logsift" in memory.summary.lower()]
    assert not list(store.ledger.repository.state_dir.rglob("stash/*.json"))
    (trace, *_) = store.local.sessions.traces(1, "s1")
    left_out = [step for step in trace.steps if step["what"] == "left out"]
    assert any(step.get("by") for step in left_out)
    assert "remembered" in talk.say("But do remember that logsift is written in lower case.")


def test_what_only_has_the_words_of_a_wish_is_not_kept(
    repo: Path, store: Recollect, engine: StorePool
) -> None:
    """A prompt without an embedder keeps it; with one, the meaning denies it, and `why` says so."""
    prompt = "save this plan for logsift in a md file so we can keep on it while we work"
    assert any(one.rule.startswith("learned") for one in find_requests(prompt))
    said = Talk(repo, pool=engine).say(prompt)

    assert "remembered" not in said
    assert "active" not in [memory.status for memory in kept(store)]
    (trace, *_) = store.local.sessions.traces(1, "s1")
    left_out = [step.get("reason") for step in trace.steps if step["what"] == "left out"]
    assert left_out == ["its meaning does not ask for it"]

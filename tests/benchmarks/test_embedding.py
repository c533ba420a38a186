"""Pairs of texts from a history, which the default model is tuned on."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

from benchmarks.embedding.pairs import Pair, cleaned, content, is_useful, pairs_of, without_shared
from benchmarks.embedding.talk import said
from benchmarks.prompts import QUESTIONS, read_projects

CAUSE = "scheduler: hold the lock while a job is removed\n\nTwo workers could free the same entry."
CITING = (
    "queue: wait until nobody reads\n\nSince {hash} an interrupted process hangs forever,"
    " because it never signals its parent.\n\nSigned-off-by: Ada <ada@example.org>"
)


def commit(place: Path, message: str) -> str:
    """Make an empty commit, and return its hash."""
    git = ("git", "-C", str(place), "-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", message], check=True)
    done = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_a_commit_that_cites_another_is_a_pair_with_it(tmp_path: Path) -> None:
    """The hash and the trailers are gone."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    cause = commit(tmp_path, CAUSE)
    commit(tmp_path, CITING.format(hash=cause[:12]))

    found = pairs_of(tmp_path, random.Random(1))

    (pair,) = [pair for pair in found if pair.answer == CAUSE.replace("\n\n", "\n")]
    assert pair.asked.startswith("queue: wait until nobody reads. Since an interrupted process")
    assert cause[:12] not in pair.asked
    assert "Signed-off-by" not in pair.asked


def test_what_says_nothing_else_is_no_pair() -> None:
    """A search by words finds it anyway."""
    said = "the scheduler frees an entry of a removed job twice"

    assert not is_useful(Pair(said, said))
    assert not is_useful(Pair("fix it", said))
    assert is_useful(Pair("process crashes after two workers finish simultaneously", said))


def test_shared_words_are_dropped() -> None:
    """The question must be understood without them."""
    pair = Pair("crash when the scheduler removes jobs", "the scheduler frees an entry twice")

    assert without_shared(pair, 1.0, random.Random(1)).asked == "crash when the removes jobs"
    assert without_shared(pair, 0.0, random.Random(1)) == pair


def test_links_code_and_headings_are_no_text() -> None:
    """They would be learned as words."""
    text = "## What\nIt hangs, see https://example.org/1\n```\nx = 1\n```\nReviewed-by: Bob: yes"

    assert content(cleaned(text)) == {"hangs", "see"}


def test_training_prompts_are_not_those_of_the_halves() -> None:
    """The model would know what it is measured with."""
    halves = {
        prompt.text
        for half in ("tuning", "fitting", "held-out")
        for project in read_projects(QUESTIONS / half)
        for prompt in project.prompts
    }
    training = [prompt for p in read_projects(QUESTIONS / "training") for prompt in p.prompts]
    about = [prompt.text for prompt in training if prompt.gold]

    assert len(about) == 1_408 + 3_840
    assert halves.isdisjoint(about)


def test_sentences_of_talk_are_what_people_say() -> None:
    """Both projects nest them differently, and have other texts beside them."""
    topical = {
        "t_1": {"config": "A", "content": [{"message": "Do  you like\ncats?", "agent": "x"}]}
    }
    guided = [{"dialogue_id": "1", "turns": [{"speaker": "USER", "utterance": "Book a table."}]}]

    assert list(said(topical)) == ["Do you like cats?"]
    assert list(said(guided)) == ["Book a table."]

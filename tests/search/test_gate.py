"""The gate: likely memories pass, others do not, in stores of three to twenty-five memories."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.index.protocol import Match, Spread
from recollect.search import selection
from recollect.search.constants import MOST_TITLES
from recollect.search.gate import Features, Prompt, about, answers, probability, strongest
from recollect.search.gate_coefficients import (
    ABOUT_COLD,
    ABOUT_WARM,
    ANSWERS_COLD,
    ANSWERS_WARM,
    ANSWERS_WORD_VECTORS,
)
from recollect.search.search import Hit, Question, search
from recollect.search.selection import Candidate
from recollect.search.triggers import asked_for, asks_for_memory
from tests.sandbox import Sandbox
from tests.support.agent import Agent

STORES = Path(__file__).parent / "small_stores"
NAMES = ("three", "ten", "twenty-five")


def rows_of(name: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The memories of a store, and the prompts."""
    rows = [json.loads(line) for line in (STORES / f"{name}.jsonl").read_text().splitlines()]
    return [row for row in rows if "sort" not in row], [row for row in rows if "sort" in row]


def remember(store: Recollect, memories: list[dict[str, Any]]) -> dict[str, str]:
    """Keep the memories; return uid → id of the row."""
    kept = store.capture_many(
        {
            "kind": row["kind"],
            "summary": row["summary"],
            "body": row["body"],
            "tags": row["tags"],
            "files_modified": row["files"],
            "created": f"{row['date']}T12:00:00Z",
        }
        for row in memories
    )
    return {memory.uid: row["id"] for memory, row in zip(kept, memories, strict=True)}


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """An empty repository."""
    return sandbox.init("repo")


@pytest.fixture
def likely(sandbox: Sandbox, repo: Path) -> Callable[[str, str], dict[str, Hit]]:
    """What a prompt finds in a store, as a hook without a model sees it."""
    opened: dict[str, tuple[Recollect, dict[str, str]]] = {}

    def ask(name: str, prompt: str) -> dict[str, Hit]:
        if name not in opened:
            store = sandbox.open(repo)
            opened[name] = store, remember(store, rows_of(name)[0])
        store, ids = opened[name]
        question = Question(asked_for(prompt), 30, candidates=0, asked=asks_for_memory(prompt))
        hits = store.indexing.using(lambda index: search(index, question, now=store.now()))
        return {ids[hit.memory.uid]: hit for hit in hits}

    return ask


@pytest.mark.parametrize("name", NAMES)
def test_prompts_with_words_of_a_memory_bring_it_and_others_bring_nothing(
    name: str, likely: Callable[[str, str], dict[str, Hit]]
) -> None:
    """In full or as a title; what has nothing to do with the project brings nothing in full."""
    missed, noise = [], []
    for row in rows_of(name)[1]:
        found = likely(name, row["text"])
        candidates = [
            Candidate(hit.memory, hit.probability, "", 0, hit.probability, about(hit.features))
            for hit in found.values()
        ]
        full, maybe = selection.by_probability(candidates)
        maybe = maybe[:MOST_TITLES] if selection.worth_naming(maybe[:MOST_TITLES]) else []
        wanted = found.get(row.get("memory", ""))
        come = {candidate.memory.uid for candidate in (*full, *maybe)}
        if row["sort"] == "words" and (wanted is None or wanted.memory.uid not in come):
            missed.append(row["text"])
        if row["sort"] == "nothing" and full:
            noise.append(row["text"])

    assert missed == []
    assert noise == []


def test_a_hook_brings_the_decision_that_a_question_asks_for(sandbox: Sandbox, repo: Path) -> None:
    """With three memories, in full; and an answer without a topic brings nothing."""
    store = sandbox.open(repo)
    remember(store, rows_of("three")[0])
    store.close()

    for number, (prompt, summary) in enumerate(
        [
            ("why did we choose the database for orders?", "Use PostgreSQL for order data"),
            (
                "I am about to cut a release, what do I have to do before it?",
                "Before a release, run the migration check against a copy of production",
            ),
        ]
    ):
        assert summary in Agent(repo, f"s{number}").context("prompt", prompt=prompt)
    assert Agent(repo, "last").context("prompt", prompt="ok do that") == ""


# By words, by the vectors of single words, by the model.
MEANS: tuple[dict[str, bool], ...] = ({}, {"summed": True}, {"warm": True})


@pytest.mark.parametrize(
    "coefficients",
    [
        *(ABOUT_COLD, ABOUT_WARM),
        *(ANSWERS_COLD, ANSWERS_WORD_VECTORS, ANSWERS_WARM),
    ],
)
def test_coefficients_name_features(coefficients: dict[str, float]) -> None:
    """What the fit wrote is what the gate reads."""
    names = {part for name in coefficients for part in name.split("*")}

    assert names - {"bias"} <= set(Features._fields)


@pytest.mark.parametrize("means", MEANS)
def test_more_evidence_makes_a_memory_likelier(means: dict[str, bool]) -> None:
    """Cold and warm; and `strongest` names what decided."""
    weak = Features(share=0.3, coverage=0.1, length=0.5, known=0.5, **means)
    strong = weak._replace(share=1.0, coverage=0.9, lead=0.5, beside=0.5)

    assert answers(weak) < answers(strong)
    assert about(weak) == about(strong)
    assert 0.0 < probability(weak) < probability(strong) < 1.0
    assert strongest(strong, 1)[0][0].partition("*")[0] in Features._fields


@pytest.mark.parametrize("means", MEANS)
def test_words_that_no_memory_has_make_every_memory_unlikely(means: dict[str, bool]) -> None:
    """Whether a prompt is about the store at all is one decision for all of its hits."""
    strange = Features(share=1.0, coverage=0.5, known=0.2, most_worth=0.2, **means)
    usual = strange._replace(known=1.0, most_worth=1.0)

    assert about(strange) < about(usual)
    assert answers(strange) == answers(usual)
    assert probability(strange) < probability(usual)


def test_features_compare_a_memory_with_the_others() -> None:
    """The best is ahead of the next, the others are behind it."""
    found = Prompt(
        {
            "a": Match("a", 4.0, 2, 0.5, 0.6, 3.5, second=1.4, worth=5.0, beside=1),
            "b": Match("b", 1.0, 1, 0.1, 0.2, 3.5, worth=3.5),
        },
        {"a": 0.5, "c": 0.7},
        {"a": 1.5, "b": 0.3, "c": 0.7},
        Spread(0.1, 0.1),
        terms=4,
        known=0.9,
        memories=100,
        asked=True,
    )
    best, other, far = (found.features_of(uid, 0.2) for uid in "abc")

    assert (best.share, best.margin) == (1.0, 0.75)
    assert (other.share, other.margin) == (0.25, -0.75)
    assert [best.lead, other.lead, far.lead] == pytest.approx([0.8, -1.0, -0.8])
    assert [best.match, other.match, far.match] == pytest.approx([1.0, 0.2, 0.7 / 1.5])
    assert [far.share, far.nearness, best.nearness] == pytest.approx([0.0, 1.0, 5 / 7])
    assert [far.ahead, best.ahead] == pytest.approx([0.2, -0.2])
    assert far.stands_out == pytest.approx(6 / 5)
    assert [other.first_cosine, other.first_lead] == pytest.approx([0.5, 0.8])
    assert [best.second, best.beside, other.beside] == pytest.approx([0.2, 0.25, 0.0])
    # What is said of the prompt is the same for all of them.
    for hit in (best, other, far):
        assert (hit.asked, hit.known, hit.warm) == (1.0, 0.9, True)
        assert (hit.most_evidence, hit.most_words, hit.most_worth) == (0.5, 0.5, 0.25)
        assert (hit.most_cosine, hit.most_outstanding) == pytest.approx((0.7, 1.2))
        assert hit.three_cosines == pytest.approx(0.4)

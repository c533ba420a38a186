"""Tells by meaning what a prompt takes back, with the model that is installed by default."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.capture import changed_meaning
from recollect.capture.changed_meaning import (
    Look,
    Words,
    features_of,
    finder_with,
    read_all,
    read_words,
    weights,
)
from recollect.embedding import Embedder, open_embedder
from recollect.embedding.granite.model import Granite

KNOWN = (
    "Logs are kept for a month.",
    "Production has three replicas.",
    "The broker is Mosquitto on the NAS.",
)


@pytest.fixture(scope="module")
def model() -> Embedder:
    """The model that is installed by default."""
    found = open_embedder("default", threads=1)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def look(model: Embedder) -> Look:
    """How to find changes with it."""
    found = finder_with(model)
    assert found is not None
    return found


def test_what_fills_the_slot_of_a_memory_takes_it_back(look: Look) -> None:
    """With the place in the prompt that speaks of it."""
    find = look("5 replicas in production now")

    assert find is not None
    (change,) = find(KNOWN)
    assert change.number == 1
    assert 0 <= change.place < len("5 replicas in production now")


@pytest.mark.parametrize(
    "prompt",
    ["", " \n", "print the logs of the broker", "why do we have three replicas?", "run the tests"],
)
def test_what_changes_nothing(look: Look, prompt: str) -> None:
    """Questions, tasks, and texts without a word."""
    find = look(prompt)

    assert find is None or find(KNOWN) == []


def test_what_is_said_beside_something_does_not_take_it_back(look: Look) -> None:
    """However near it is."""
    prompt = (
        "also no crates. std only, same story, automatic fail. i mean it for the entire project"
    )
    find = look(prompt)

    assert (
        find is None or find(["No unsafe blocks, ever, it's an automatic fail of the course"]) == []
    )


def test_nothing_is_known(look: Look) -> None:
    """And texts without a word are no hindrance."""
    find = look("5 replicas in production now")

    assert find is not None
    assert find([]) == []
    assert find(["", "…"]) == []


def test_another_embedder_has_no_rating() -> None:
    """The weights are for one only."""
    assert finder_with(None) is None


def test_every_feature_has_a_coefficient(model: Embedder) -> None:
    """The weights and the code are of one version."""
    assert isinstance(model, Granite)
    read = read_words(KNOWN[0], model, weights().centre)
    (row,) = features_of(KNOWN[0], read, 0.0, [KNOWN[0]], [read])

    assert len(row) == len(weights().coefficients)


def test_texts_that_are_read_together_are_as_if_alone(model: Embedder) -> None:
    """Whatever their lengths, and however many there are."""
    np = pytest.importorskip("numpy")
    assert isinstance(model, Granite)
    texts = [*KNOWN, "", "Use uv.", "a long one about the migration of the database " * 40]
    centre = weights().centre

    for one, text in zip(read_all(texts * 2, model, centre), texts * 2, strict=True):
        alone = read_words(text, model, centre)
        assert (one.words, one.places) == (alone.words, alone.places)
        for rows, expected in ((one.rows, alone.rows), (one.layers, alone.layers)):
            assert np.allclose(rows, expected, atol=1e-4)


def test_a_text_that_was_read_lately_is_not_read_again(
    model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The latest ones are kept, and what was asked for again is among them."""
    assert isinstance(model, Granite)
    read: list[str] = []
    as_ever = changed_meaning._words_of

    def watched(text: str, *found: Any) -> Words:
        read.append(text)
        return as_ever(text, *found)

    monkeypatch.setattr(changed_meaning, "_words_of", watched)
    monkeypatch.setattr(changed_meaning, "_KEPT", 3)
    changed_meaning._read_lately.cache_clear()

    for texts in (KNOWN, KNOWN[:1] * 2, ["Use uv."], KNOWN[:1], KNOWN[1:2]):
        found = changed_meaning._read_known(texts, model)
        assert len(found) == len(texts)

    assert read == [*KNOWN, "Use uv.", KNOWN[1]]

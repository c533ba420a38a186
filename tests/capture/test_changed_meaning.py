"""Tells by meaning what a prompt takes back, with the model that is installed by default."""

from __future__ import annotations

import pytest

from recollect.capture.changed_meaning import Look, features_of, finder_with, read_words, weights
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

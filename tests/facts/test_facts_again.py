"""A fact that is known and said again: what is news is kept, and what is not kept is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.errors import ValidationError
from recollect.facts.facts import Stored
from tests.facts.clones import objects
from tests.sandbox import Sandbox

YEARS = ("2020-01-01", "2021-01-01", "2022-01-01")


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """The memory of a repository."""
    return sandbox.open(repo)


def owner(store: Recollect, name: str, **more: Any) -> Stored:
    """Say who owns the app."""
    return store.store_fact("app", "owner", name, **more)


def test_a_known_fact_that_replaces_closes_the_others_from_then_on(store: Recollect) -> None:
    """Also those that were meant to stand beside it; what was true before stays so."""
    for name, since in zip(("Ann", "Bob", "Cleo"), YEARS, strict=True):
        owner(store, name, valid_from=since, replaces=False)
    assert objects(store) == ["Ann", "Bob", "Cleo"]
    said = owner(store, "bob", replaces=True)

    assert [fact.object for fact in said.closed] == ["Ann", "Cleo"]
    assert objects(store) == ["Bob"]
    assert objects(store, at="2023-01-01") == ["Ann", "Bob", "Cleo"]
    again = owner(store, "Bob", replaces=True)
    assert (again.is_new, again.kept, again.unkept) == (False, (), {})


def test_a_known_fact_that_replaces_does_so_from_the_day_that_is_said(store: Recollect) -> None:
    """The day may be given, as for any fact."""
    owner(store, "Ann", valid_from="2020-01-01")
    owner(store, "Bob", valid_from="2021-01-01", replaces=False)
    owner(store, "Bob", valid_from="2024-01-01", replaces=True)

    assert objects(store, at="2023-06-01") == ["Ann", "Bob"]
    assert objects(store, at="2024-06-01") == ["Bob"]


def test_that_a_fact_replaces_is_kept_where_there_is_nothing_to_close(store: Recollect) -> None:
    """It counts when something older becomes known; there is still one memory."""
    owner(store, "Bob", valid_from="2021-01-01")
    said = owner(store, "Bob", replaces=True)
    assert (said.is_new, said.kept) == (False, ("replaces",))

    owner(store, "Ann", valid_from="2020-01-01", replaces=False)
    assert objects(store) == ["Bob"]
    assert len(store.memories(kind="facts")) == 1


def test_that_a_fact_stands_beside_others_is_kept_unless_it_has_closed_some(
    store: Recollect,
) -> None:
    """What was closed does not open again in passing."""
    owner(store, "Ann", valid_from="2020-01-01")
    assert owner(store, "Ann", replaces=False).kept == ("replaces",)
    owner(store, "Bob", valid_from="2021-01-01")
    assert objects(store) == ["Ann", "Bob"]

    store.store_fact("web", "port", "80", valid_from="2020-01-01")
    store.store_fact("web", "port", "81", valid_from="2021-01-01")
    said = store.store_fact("web", "port", "81", replaces=False)
    assert (said.kept, said.unkept) == ((), {"replaces": False})
    assert objects(store, subject="web") == ["81"]


def test_a_source_that_was_missing_is_added(store: Recollect) -> None:
    """And related to; another one is told of."""
    first, second = (store.capture("decisions", f"Decision {number}") for number in "12")
    owner(store, "Ann")
    said = owner(store, "Ann", source=first.uid)

    assert (said.kept, said.fact.source) == (("source",), first.uid)
    assert store.get(said.fact.memory.uid).relates_to == (first.uid,)
    assert owner(store, "Ann", source=first.uid).kept == ()
    other = owner(store, "Ann", source=second.uid)
    assert (other.kept, other.unkept) == ((), {"source": second.uid})


def test_a_higher_confidence_is_taken(store: Recollect) -> None:
    """Said twice does not make it less certain."""
    owner(store, "Ann", confidence=0.5)
    said = owner(store, "Ann", confidence=0.9)

    assert (said.kept, said.fact.memory.confidence) == (("confidence",), 0.9)
    less = owner(store, "Ann", confidence=0.2)
    assert (less.unkept, less.fact.memory.confidence) == ({"confidence": 0.2}, 0.9)
    assert owner(store, "Ann").unkept == {}


def test_an_end_that_nobody_said_is_not_taken_for_known(store: Recollect) -> None:
    """A fact that ends because of a plan was not said to end then."""
    owner(store, "Ann", valid_from="2020-01-01")
    owner(store, "Bob", valid_from="2099-01-01")
    said = owner(store, "Ann", valid_until="2099-01-01")

    assert said.fact.valid_until == "2099-01-01T00:00:00Z"
    assert said.unkept == {"valid_until": "2099-01-01T00:00:00Z"}


@pytest.mark.parametrize("since", ["400d", "HEAD", "2024-05-06"])
def test_a_beginning_is_named_as_any_moment(store: Recollect, since: str) -> None:
    """A date, an age or a commit, as for queries."""
    now = store.ledger.clock()
    store.ledger.clock = lambda: now
    stored = owner(store, "Ann", valid_from=since)

    assert stored.fact.valid_from == store.moment(since)
    assert objects(store, at=since) == ["Ann"]


def test_the_words_of_a_fact_are_not_changed_by_hand(store: Recollect) -> None:
    """`recollect edit` would make search say something else than queries do."""
    uid = owner(store, "Ann").fact.memory.uid
    for change in ({"summary": "app owner Bob"}, {"body": "It is Bob."}):
        with pytest.raises(ValidationError, match="subject, predicate and object"):
            store.update(uid, **change)
    assert store.update(uid, summary="app owner Ann", tags=["people"]).tags == ("people",)

    plain = store.capture("facts", "Water boils at a hundred degrees")
    assert store.update(plain.uid, body="At sea level.").body == "At sea level."

"""Facts: said once, true for a time, found by any part, and the same in every clone."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from recollect.api.recollect import Recollect
from recollect.core.facts import Fact, fact_of, holds_one_value, normal, with_ends
from recollect.core.memory import Memory
from recollect.errors import ValidationError
from recollect.facts.expiry import all_facts, now_of
from recollect.facts.facts import query_facts
from tests.facts.clones import exchange, objects, two_clones
from tests.sandbox import Sandbox


def test_a_fact_is_a_memory(store: Recollect) -> None:
    """It has an id, words that search finds, a confidence, and its source."""
    source = store.capture("decisions", "Use PostgreSQL")
    stored = store.store_fact("shop", "depends on", "Postgres", confidence=0.8, source=source.uid)

    assert stored.is_new
    memory = store.get(stored.fact.memory.uid)
    assert (memory.kind, memory.summary) == ("facts", "shop depends on Postgres")
    assert (memory.confidence, memory.relates_to) == (0.8, (source.uid,))
    assert [hit.memory.uid for hit in store.search("shop depends", kind="facts", mode="text")] == [
        memory.uid
    ]


def test_the_same_fact_is_stored_once(store: Recollect) -> None:
    """Case, spaces, underscores and a full stop make no difference."""
    first = store.store_fact("The Shop", "depends on", "Postgres")
    again = store.store_fact("the  shop", "Depends_On", "postgres.")

    assert not again.is_new
    assert again.fact.memory.uid == first.fact.memory.uid
    assert len(store.memories(kind="facts")) == 1


def test_a_newer_value_closes_the_older(store: Recollect) -> None:
    """At each moment there is one; the older one stays, out of everyday recall."""
    old = store.store_fact("Postgres", "version", "15", valid_from="2024-01-01")
    new = store.store_fact("postgres", "Version", "16", valid_from="2025-01-01")

    assert [fact.object for fact in new.closed] == ["15"]
    assert objects(store, subject="postgres", predicate="version") == ["16"]
    assert objects(store, subject="postgres", at="2024-06-01") == ["15"]
    assert objects(store, subject="postgres", at="2023-06-01") == []
    assert objects(store, subject="postgres", history=True) == ["15", "16"]
    assert store.get(old.fact.memory.uid).status == "archived"


def test_an_older_value_that_comes_late_is_history(store: Recollect) -> None:
    """It does not close what is newer, but ends where that begins."""
    store.store_fact("Postgres", "version", "16", valid_from="2025-01-01")
    late = store.store_fact("Postgres", "version", "15", valid_from="2024-01-01")

    assert late.fact.valid_until == "2025-01-01T00:00:00Z"
    assert objects(store, subject="Postgres") == ["16"]
    assert objects(store, subject="Postgres", at="2024-02-01") == ["15"]


def test_other_predicates_hold_many_values_and_either_can_be_overruled(store: Recollect) -> None:
    """A shop uses several things; whoever knows better says `replaces`."""
    store.store_fact("shop", "uses", "Postgres")
    store.store_fact("shop", "uses", "Redis")
    assert objects(store, subject="shop") == ["Postgres", "Redis"]
    store.store_fact("shop", "uses", "Kafka", replaces=True)
    assert objects(store, subject="shop") == ["Kafka"]

    store.store_fact("team", "owner", "Ada")
    store.store_fact("team", "owner", "Grace", replaces=False)
    assert objects(store, subject="team") == ["Ada", "Grace"]


def test_a_closed_fact_may_become_true_again(store: Recollect) -> None:
    """What was true, and was replaced, is a new fact when it comes back."""
    for value, since in (("blue", "2024-01-01"), ("green", "2024-02-01"), ("blue", "2024-03-01")):
        assert store.store_fact("door", "status", value, valid_from=since).is_new

    assert objects(store, subject="door") == ["blue"]
    assert objects(store, subject="door", at="2024-02-15") == ["green"]
    assert objects(store, subject="door", history=True) == ["blue", "green", "blue"]


def test_any_part_finds_facts_and_two_hops_follow_them(store: Recollect) -> None:
    """By subject, predicate, object, or a piece of one; then what touches what was found."""
    store.store_fact("shop", "uses", "Postgres")
    store.store_fact("Postgres", "runs on", "db-1")
    store.store_fact("db-1", "rack", "7")

    assert objects(store, predicate="runs on") == ["db-1"]
    assert objects(store, thing="postgres") == ["Postgres"]
    assert objects(store, subject="post") == ["db-1"]
    assert objects(store, subject="shop", hops=2) == ["Postgres", "db-1"]
    assert objects(store, thing="db-1", hops=2) == ["db-1", "Postgres", "7"]
    assert objects(store) == ["Postgres", "db-1", "7"]


def test_facts_sync(sandbox: Sandbox) -> None:
    """Two clones that say the same apart have one fact together, and the closing travels."""
    sandbox.make_hub()
    ada, bob = (sandbox.open(sandbox.clone(name)) for name in ("ada", "bob"))
    ada.store_fact("api", "version", "1", valid_from="2024-01-01")
    ada.store_fact("shop", "uses", "Redis")
    bob.store_fact("shop", "uses", "redis")
    ada.sync()
    bob.sync()
    bob.store_fact("api", "version", "2", valid_from="2025-01-01")
    bob.sync()
    ada.sync()

    for store in (ada, bob):
        assert objects(store, subject="shop") == ["Redis"]
        assert objects(store, subject="api") == ["2"]


@pytest.mark.parametrize("part", ["", "   ", "x" * 501])
def test_a_bad_part_is_refused(store: Recollect, part: str) -> None:
    """Nothing is stored then."""
    for parts in ((part, "a", "b"), ("a", part, "b"), ("a", "b", part)):
        with pytest.raises(ValidationError):
            store.store_fact(*parts)
    with pytest.raises(ValidationError):
        store.store_fact("a", "b", "c", valid_from="2025-01-01", valid_until="2024-01-01")

    assert store.memories(kind="facts") == []


def test_a_memory_that_only_looks_like_a_fact_is_none(store: Recollect) -> None:
    """Plain memories of the kind are kept, and queries pass them by."""
    plain = store.capture("facts", "Water boils at a hundred degrees")

    assert fact_of(plain) is None
    assert query_facts(store) == []


@given(st.text(), st.sampled_from([" ", "_", "-", "  "]))
def test_normal_forms_are_stable(text: str, gap: str) -> None:
    """To normalise twice changes nothing more, and the kind of gap does not matter."""
    assert normal(normal(text)) == normal(text)
    assert normal(f"a{gap}b") == "a_b"
    assert holds_one_value("default branch")
    assert not holds_one_value("depends on")


@given(st.sampled_from(["", "2024-05-01"]), st.sampled_from(["2024-01-01", "2024-06-01"]))
def test_a_fact_is_not_true_any_more_at_its_end(ends: str, moment: str) -> None:
    """The end of one is the beginning of the next, and only that is true then."""
    fact = Fact(Memory("", "", "facts", ""), "a", "b", "c", "2024-01-01", ends, "")

    assert fact.is_valid(moment) == (not ends or moment < ends)
    assert not fact.is_valid("2023-12-31")


def test_a_planned_end_does_not_keep_a_newer_fact_from_closing(store: Recollect) -> None:
    """Nor does a planned change: at every moment one value is true."""
    store.store_fact("app", "version", "1", valid_until="2099-01-01")
    store.store_fact("app", "version", "2")
    assert objects(store, subject="app") == ["2"]

    store.store_fact("db", "port", "1")
    planned = store.store_fact("db", "port", "2", valid_from="2099-01-01")
    assert objects(store, subject="db") == ["1"]
    assert [store.get(fact.memory.uid).status for fact in planned.closed] == ["active"]
    third = store.store_fact("db", "port", "3")
    assert objects(store, subject="db") == ["3"]
    assert objects(store, subject="db", at="2099-06-01") == ["2"]
    assert third.fact.memory.status == "active"  # it is true until then


def test_names_are_compared_as_they_look(store: Recollect) -> None:
    """However the accent is written; but a dot in front is part of a name."""
    store.store_fact("caf\u00e9", "owner", "Ann")
    store.store_fact("cafe\u0301", "owner", "Bob")
    assert objects(store, subject="caf\u00e9") == ["Bob"]

    assert normal(".env") != normal("env")
    assert normal("env.") == normal("env")


def test_an_earlier_beginning_is_kept(store: Recollect) -> None:
    """The same, but true from earlier on, is news; also where something else came between."""
    store.store_fact("api", "version", "2", valid_from="2025-01-01")
    assert store.store_fact("api", "version", "2", valid_from="2024-01-01").is_new
    assert [f.fact.valid_from for f in query_facts(store)] == ["2024-01-01T00:00:00Z"]
    assert objects(store, at="2024-06-01") == ["2"]

    store.store_fact("api", "version", "1", valid_from="2024-03-01")
    assert [objects(store, at=when) for when in ("2024-02-01", "2024-06-01", "2026-01-01")] == [
        ["2"],
        ["1"],
        ["2"],
    ]


def test_two_clones_that_contradict_each_other_agree(sandbox: Sandbox) -> None:
    """The newer one is true in both, whoever synced first; the next store archives the other."""
    ada, bob = two_clones(sandbox)
    ada.store_fact("app", "version", "1", valid_from="2024-01-01")
    exchange(ada, bob)
    older = ada.store_fact("app", "version", "2", valid_from="2024-02-01").fact.memory.uid
    bob.store_fact("app", "version", "3", valid_from="2024-03-01")
    exchange(ada, bob)

    for store in (ada, bob):
        assert objects(store) == ["3"]
        assert objects(store, at="2024-02-15") == ["2"]
        assert objects(store, at="2024-01-15") == ["1"]
    assert ada.store_fact("shop", "uses", "Redis").closed == []  # it closed nothing of its own
    exchange(ada, bob)
    for store in (ada, bob):
        assert store.get(older).status == "archived"
        assert objects(store, subject="app", history=True) == ["1", "2", "3"]


def test_what_stands_beside_others_does_so_in_every_clone(sandbox: Sandbox) -> None:
    """Who said that both are true is heard, until somebody says that one replaces all."""
    ada, bob = two_clones(sandbox)
    ada.store_fact("team", "owner", "Ada", valid_from="2024-01-01", replaces=False)
    bob.store_fact("team", "owner", "Bob", valid_from="2024-02-01")
    exchange(ada, bob)
    assert [objects(store) for store in (ada, bob)] == [["Ada", "Bob"]] * 2

    bob.store_fact("team", "owner", "Eve", replaces=True)
    exchange(ada, bob)
    assert [objects(store) for store in (ada, bob)] == [["Eve"]] * 2


days = st.sampled_from(["", *(f"2024-0{month}-01" for month in range(1, 6))])
saying = st.fixed_dictionaries(
    {
        "by": st.integers(0, 1),
        "predicate": st.sampled_from(["version", "uses"]),
        "thing": st.sampled_from("abc"),
        "replaces": st.sampled_from([None, None, True, False]),
        "valid_from": days,
        "valid_until": days,
    }
)
deleting = st.tuples(st.integers(0, 1), st.integers(0, 2))  # by whom, and which of what is known
MOMENTS = [None, "2023-12-01", *(f"2024-0{month}-15" for month in range(1, 6)), "2099-01-01"]


def test_any_order_of_stores_deletions_and_syncs_ends_with_equal_answers(sandbox: Sandbox) -> None:
    """In both clones, at every moment, whatever was deleted; a later store changes no answer.

    What is over is archived then, and only that.
    """
    clones = two_clones(sandbox)
    subjects = (f"thing {number}" for number in itertools.count())

    def of(store: Recollect, subject: str) -> list[Fact]:
        return [fact for fact in with_ends(all_facts(store)) if fact.subject == subject]

    def answers(store: Recollect, subject: str) -> list[list[tuple[str, ...]]]:
        return [
            [
                (found.fact.predicate, found.fact.object, found.fact.valid_from)
                for found in query_facts(store, subject=subject, at=moment)
            ]
            for moment in MOMENTS
        ]

    @settings(max_examples=10, phases=[Phase.generate])  # to shrink takes minutes
    @given(st.lists(st.one_of(saying, saying, deleting, st.sampled_from(clones)), max_size=8))
    def check(steps: list[dict[str, Any] | tuple[int, int] | Recollect]) -> None:
        subject = next(subjects)
        for step in steps:
            if isinstance(step, Recollect):
                step.sync()
            elif isinstance(step, tuple):
                known = of(clones[step[0]], subject)
                for fact in known[step[1] : step[1] + 1]:
                    clones[step[0]].set_status(fact.memory.uid, "retired")
            elif not step["valid_until"] or "" < step["valid_from"] < step["valid_until"]:
                more = {name: step[name] for name in ("valid_from", "valid_until", "replaces")}
                clones[step["by"]].store_fact(subject, step["predicate"], step["thing"], **more)
        exchange(*clones)
        first, second = (answers(store, subject) for store in clones)
        assert first == second

        clones[0].store_fact("the end", "of", subject.replace(" ", "-no-"))
        exchange(*clones)
        assert [answers(store, subject) for store in clones] == [first] * 2
        for fact in (fact for store in clones for fact in of(store, subject)):
            is_over = bool(fact.valid_until) and fact.valid_until <= now_of(clones[0])
            assert fact.memory.status == ("archived" if is_over else "active")

    check()


@given(st.lists(saying, max_size=8), st.randoms())
def test_what_is_true_does_not_depend_on_the_order_of_facts(
    sayings: list[dict[str, Any]], random: Random
) -> None:
    """Of what holds one value there is one at any moment, and to settle twice changes nothing."""
    facts = [
        Fact(
            Memory(f"uid {number}", "", "facts", ""),
            "shop",
            one["predicate"],
            one["thing"],
            one["valid_from"] or "2024-03-02",
            one["valid_until"],
            "",
            one["replaces"],
        )
        for number, one in enumerate(sayings)
    ]
    ends = with_ends(facts)

    assert with_ends(ends) == ends
    mixed = with_ends(random.sample(facts, len(facts)))
    assert sorted(mixed, key=lambda fact: int(fact.memory.uid[4:])) == ends
    for moment in MOMENTS[1:]:
        single = [f for f in ends if f.predicate == "version" and f.replaces is not False]
        assert len({f.object for f in single if f.is_valid(str(moment))}) <= 1

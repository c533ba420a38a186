"""When a fact ends is never written down: it follows from what is known, and goes with it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.core.facts import fact_of
from recollect.sleep.purge import collect_garbage
from recollect.sleep.run import make_plan
from tests.facts.clones import exchange, objects, two_clones
from tests.sandbox import Sandbox


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """The memory of a repository."""
    return sandbox.open(repo)


def kept(store: Recollect, subject: str, predicate: str, thing: str, since: str = "") -> str:
    """Store a fact; its uid."""
    return store.store_fact(subject, predicate, thing, valid_from=since).fact.memory.uid


def later(store: Recollect, days: int) -> None:
    """Let so many days pass."""
    now = store.ledger.clock()
    store.ledger.clock = lambda: now + timedelta(days=days)


def found(store: Recollect, words: str) -> list[str]:
    """What everyday recall finds."""
    return [hit.memory.summary for hit in store.search(words, kind="facts", mode="text")]


def test_to_delete_a_fact_and_store_it_with_another_beginning_leaves_no_hole(
    store: Recollect,
) -> None:
    """What it had closed is true until the new beginning."""
    kept(store, "api", "version", "1", "2020-01-01")
    wrong = kept(store, "api", "version", "2", "2024-01-01")
    store.set_status(wrong, "retired")
    kept(store, "api", "version", "2", "2025-01-01")

    assert objects(store, at="2024-06-01") == ["1"]
    assert objects(store, at="2025-06-01") == ["2"]


@pytest.mark.parametrize("way", ["retired", "purged", "unclassified"])
def test_when_a_mistaken_fact_goes_what_it_closed_is_true_again(store: Recollect, way: str) -> None:
    """At once for queries; and everyday recall finds it, at the latest after the next store."""
    old = kept(store, "web", "port", "80", "2020-01-01")
    wrong = kept(store, "web", "port", "8080")
    assert found(store, "web port") == ["web port 8080"]
    assert (store.get(old).status, store.get(old).status_by) == ("archived", "fact")

    if way == "retired":
        store.set_status(wrong, "retired")
    elif way == "purged":
        store.purge(wrong)
    else:
        store.update(wrong, sensitivity="unknown")
    assert objects(store) == ["80"]
    if way == "unclassified":
        kept(store, "shop", "uses", "Redis")
    assert found(store, "web port") == ["web port 80"]
    assert (store.get(old).status, store.get(old).status_by) == ("active", "fact")
    assert not store.store_fact("web", "port", "80", valid_from="2020-01-01").is_new


def test_a_fact_that_was_resolved_comes_back_as_that(store: Recollect) -> None:
    """Not as something else than it was before it was closed."""
    old = kept(store, "web", "port", "80", "2020-01-01")
    store.set_status(old, "resolved")
    wrong = kept(store, "web", "port", "8080")
    assert store.get(old).status == "archived"
    store.set_status(wrong, "retired")

    assert store.get(old).status == "resolved"


def test_a_cancelled_plan_ends_nothing(store: Recollect) -> None:
    """It is as if nobody had planned it; and nobody is told of an end that nobody said."""
    old = kept(store, "db", "port", "1", "2020-01-01")
    plan = kept(store, "db", "port", "2", "2099-01-01")
    assert objects(store, at="2100-01-01") == ["2"]
    assert "valid_until" not in (store.get(old).content or {})
    store.set_status(plan, "retired")

    assert objects(store, at="2100-01-01") == ["1"]
    assert store.store_fact("db", "port", "1").fact.valid_until == ""


def test_what_is_true_does_not_depend_on_bystanders(sandbox: Sandbox) -> None:
    """An unrelated fact that somebody stored in between changes nothing."""
    ada, bob = two_clones(sandbox)
    for subject in ("api", "web"):
        kept(ada, subject, "version", "1", "2024-01-01")
        newer = kept(bob, subject, "version", "2", "2025-01-01")
        exchange(ada, bob)
        if subject == "web":
            kept(ada, "zzz", "uses", "y")
            exchange(ada, bob)
        bob.set_status(newer, "retired")
        exchange(ada, bob)

    for store in (ada, bob):
        assert objects(store, predicate="version") == ["1", "1"]
        assert {m.summary for m in store.memories(kind="facts")} == {
            "api version 1",
            "web version 1",
            "zzz uses y",
        }


def test_clones_write_the_same_change_from_the_same_knowledge(sandbox: Sandbox) -> None:
    """What both wrote down apart is one change when they meet: the version stays as it was."""
    ada, bob = two_clones(sandbox)
    old = kept(ada, "api", "version", "1", "2024-01-01")
    newer = kept(bob, "api", "version", "2", "2025-01-01")
    exchange(ada, bob)
    for store, thing in ((ada, "a"), (bob, "b")):
        kept(store, thing, "is here", "now")
        assert store.get(old).status == "archived"
    version = ada.get(old).version
    assert bob.get(old).version == version
    exchange(ada, bob)
    assert [store.get(old).version for store in (ada, bob)] == [version, version]
    assert len({record.nonce for record in ada.history(old)}) == 2

    bob.update(newer, sensitivity="unknown")
    exchange(ada, bob)
    for store, thing in ((ada, "c"), (bob, "d")):
        kept(store, thing, "is here", "now")
        assert store.get(old).status == "active"
    version = ada.get(old).version
    exchange(ada, bob)
    assert [store.get(old).version for store in (ada, bob)] == [version, version]
    assert len({record.nonce for record in ada.history(old)}) == 3


def test_what_was_deleted_elsewhere_meanwhile_stays_deleted(sandbox: Sandbox) -> None:
    """That a fact was closed does not overrule a person who deleted it."""
    ada, bob = two_clones(sandbox)
    old = kept(ada, "api", "version", "1", "2024-01-01")
    exchange(ada, bob)
    bob.set_status(old, "retired")
    newer = kept(ada, "api", "version", "2")
    exchange(ada, bob)

    assert [store.get(old).status for store in (ada, bob)] == ["retired"] * 2
    ada.set_status(newer, "retired")
    assert objects(ada) == []


def test_what_is_restored_closes_again(store: Recollect) -> None:
    """To delete by mistake and to take that back leaves all as it was."""
    old = kept(store, "web", "port", "80", "2020-01-01")
    newer = kept(store, "web", "port", "8080")
    store.set_status(newer, "retired")
    store.set_status(newer, "active")

    assert objects(store) == ["8080"]
    assert store.get(old).status == "archived"
    store.set_status(old, "retired")
    assert store.set_status(old, "active").status == "archived"  # it is history as before


def test_what_a_person_brings_back_into_recall_stays_there(store: Recollect) -> None:
    """It is still history, but somebody wants to be reminded of it."""
    old = kept(store, "web", "port", "80", "2020-01-01")
    kept(store, "web", "port", "8080")
    assert store.set_status(old, "active").status == "active"
    kept(store, "shop", "uses", "Redis")

    assert store.get(old).status == "active"
    assert objects(store, subject="web") == ["8080"]


def test_what_a_person_archived_stays_archived(store: Recollect) -> None:
    """Only what was archived because it was closed comes back by itself."""
    old = kept(store, "web", "port", "80", "2020-01-01")
    store.set_status(old, "archived")
    newer = kept(store, "web", "port", "8080")
    store.set_status(newer, "retired")

    assert (store.get(old).status, store.get(old).status_by) == ("archived", None)


def test_an_end_that_was_said_is_kept_and_takes_a_fact_out_of_recall(store: Recollect) -> None:
    """Whether another fact follows or not."""
    stored = store.store_fact(
        "rota", "on call", "Ann", valid_from="2024-01-01", valid_until="2024-02-01"
    )

    memory = store.get(stored.fact.memory.uid)
    assert (memory.content or {})["valid_until"] == "2024-02-01T00:00:00Z"
    assert (memory.status, memory.status_by) == ("archived", "fact")
    assert stored.closed == []
    assert objects(store, at="2024-01-15") == ["Ann"]


def test_what_was_deleted_and_archived_for_good_is_no_fact_any_more(
    repo: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`recollect gc` may be told to archive what was deleted; that makes it true no more."""
    monkeypatch.setenv("RECOLLECT_DELETE_ARCHIVE_RETIRED", "true")
    store = sandbox.open(repo)
    kept(store, "web", "port", "80", "2020-01-01")
    wrong = kept(store, "web", "port", "8080")
    store.set_status(wrong, "retired")
    later(store, 31)
    assert [memory.uid for memory in collect_garbage(store).memories] == [wrong]

    assert store.get(wrong).status == "archived"
    assert objects(store) == ["80"]
    assert objects(store, history=True) == ["80"]


def test_sleep_leaves_closed_facts_alone(
    repo: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are history, however old: neither age nor use moves them."""
    monkeypatch.setenv("RECOLLECT_KINDS_FACTS_RETENTION_DAYS", "10")
    store = sandbox.open(repo)
    old = kept(store, "web", "port", "80", "2020-01-01")
    newer = kept(store, "web", "port", "8080")
    store.local.usage.know([old, newer], store.ledger.clock().timestamp())
    later(store, 5)
    store.used([store.get(old)])
    later(store, 900)

    assert store.get(old).status == "archived"
    assert [step.memory.uid for step in make_plan(store).steps] == [newer]


def test_many_are_closed_at_once(store: Recollect) -> None:
    """Each of them; and what they were is still known."""
    drafts = [
        {
            "kind": "facts",
            "summary": f"hub owner o{number}",
            "content": {
                "subject": "hub",
                "predicate": "owner",
                "object": f"o{number}",
                "valid_from": "2023-01-01T00:00:00Z",
                "replaces": False,
            },
        }
        for number in range(40)
    ]
    store.capture_many(drafts)
    assert len(objects(store)) == 40
    stored = store.store_fact("hub", "owner", "final", replaces=True)

    assert len(stored.closed) == 40
    assert {fact.memory.status for fact in stored.closed} == {"archived"}
    assert {fact.valid_until for fact in stored.closed} == {stored.fact.valid_from}
    assert objects(store) == ["final"]
    assert all(fact_of(memory) for memory in store.memories(kind="facts", status="archived"))


def test_after_a_temporary_fact_the_lasting_one_must_be_said_again(store: Recollect) -> None:
    """As the page says; or the temporary one stands beside it."""
    kept(store, "lamp", "status", "green", "2020-01-01")
    for_a_year: dict[str, Any] = {"valid_from": "2021-01-01", "valid_until": "2022-01-01"}
    store.store_fact("lamp", "status", "red", **for_a_year)
    assert objects(store) == []
    kept(store, "lamp", "status", "green", "2022-01-01")
    assert objects(store) == ["green"]
    assert objects(store, at="2021-06-01") == ["red"]

    kept(store, "door", "status", "open", "2020-01-01")
    store.store_fact("door", "status", "shut", replaces=False, **for_a_year)
    assert objects(store, subject="door") == ["open"]
    assert objects(store, subject="door", at="2021-06-01") == ["open", "shut"]

"""Actions and what takes them back, without a browser."""

from __future__ import annotations

import re
from pathlib import Path

import recollect
from recollect.capture.pasted import PASTED
from recollect.capture.suggestions import suggest
from tests.web.serving import Answer, Served


def _undo(pages: Served, answer: Answer) -> Answer:
    shown = pages.follow(answer)
    key = re.search(r'/undo/([^"]+)"', shown.text)
    assert key is not None, shown.text
    return pages.follow(pages.post(f"/undo/{key[1]}", {"back": "/review"}))


def test_a_rejected_suggestion_waits_again(repo: Path, pages: Served) -> None:
    """With its origin and its confidence; and it can be rejected again."""
    draft = {
        "kind": "notes",
        "summary": "A pasted note",
        "body": "text",
        "provenance": {"via": PASTED},
    }
    with recollect.open(repo) as store:
        suggest(store, draft, confidence=0.7, why="pasted")
        (waiting,) = store.suggestions()

    _undo(pages, pages.post(f"/review/{waiting.uid}/reject", {}))
    with recollect.open(repo) as store:
        again = store.suggestions()
    pages.follow(pages.post(f"/review/{waiting.uid}/reject", {}))

    assert again == [waiting]
    with recollect.open(repo) as store:
        assert store.suggestions() == []


def test_an_undo_leaves_alone_what_changed_since(repo: Path, pages: Served) -> None:
    """Somebody edited the memory after it was retired here."""
    with recollect.open(repo) as store:
        (memory,) = store.memories(kind="decisions")
    answer = pages.post(f"/memory/{memory.uid}/retire", {})
    with recollect.open(repo) as store:
        store.update(memory.uid, importance=0.9)

    shown = _undo(pages, answer)

    assert "has changed since" in shown.text
    with recollect.open(repo) as store:
        assert store.get(memory.uid).status == "retired"


def test_an_action_is_undone_once(repo: Path, pages: Served) -> None:
    """A second click finds nothing to do."""
    with recollect.open(repo) as store:
        (memory,) = store.memories(kind="decisions")
    answer = pages.post(f"/memory/{memory.uid}/archive", {})
    key = re.search(r'/undo/([^"]+)"', pages.follow(answer).text)
    assert key is not None

    first, second = (pages.post(f"/undo/{key[1]}", {}) for _ in range(2))

    assert (first.status, second.status) == (303, 404)
    with recollect.open(repo) as store:
        assert store.get(memory.uid).status == "active"


def test_an_address_of_elsewhere_is_never_led_to(pages: Served) -> None:
    """A form decides only between our own pages."""
    answer = pages.post("/reveal", {"reveal": "no", "back": "//evil.example/"})

    assert answer.headers["location"] == f"{pages.guard.base}/"


def test_every_error_is_a_page(pages: Served) -> None:
    """With what to do next, and the right status."""
    missing = pages.get("/memory/decisions:0000000:7")
    wrong = pages.get("/search?q=x&since=nonsense")
    step = pages.post("/memory/decisions:0000000:7/retire", {})

    assert (missing.status, wrong.status, step.status) == (404, 400, 404)
    assert "is not a date" in wrong.text
    assert all('<main id="main"' in answer.text for answer in (missing, wrong, step))


def test_a_confirmed_memory_is_merged_and_comes_back(repo: Path, pages: Served) -> None:
    """By its id or from the list; the page of the other one offers to undo it."""
    with recollect.open(repo) as store:
        (decision,) = store.memories(kind="decisions")
        (learning,) = store.memories(kind="learnings")
    choices = pages.get(f"/memory/{learning.uid}/merge")

    answer = pages.post(f"/memory/{learning.uid}/merge", {"id": decision.id, "into": "x"})

    assert f'value="{decision.uid}"' in choices.text
    assert answer.headers["location"].startswith(f"{pages.guard.base}/memory/{decision.uid}")
    with recollect.open(repo) as store:
        assert learning.summary in store.get(decision.uid).body
        assert store.get(learning.uid).status == "archived"
    assert "Undone." in _undo(pages, answer).text
    with recollect.open(repo) as store:
        assert store.get(decision.uid).body == decision.body
        assert store.get(learning.uid).status == "active"


def test_a_merge_with_nothing_chosen_changes_nothing(repo: Path, pages: Served) -> None:
    """Nor does one into a private memory, whose text is not shown either."""
    with recollect.open(repo) as store:
        (decision,) = store.memories(kind="decisions")
        (private,) = store.memories(sensitivity="private")

    nothing = pages.post(f"/memory/{decision.uid}/merge", {})
    hidden = pages.post(f"/memory/{decision.uid}/merge", {"id": private.uid})

    assert (nothing.status, hidden.status) == (400, 400)
    assert private.summary not in hidden.text
    with recollect.open(repo) as store:
        assert store.get(decision.uid).version == decision.version


def test_a_setting_is_taken_back(repo: Path, pages: Served) -> None:
    """What the file said before, or nothing, counts again; a later change stays."""
    fields = {"key": "sleep.max_memories", "where": "project"}

    def set_to(value: str) -> Answer:
        return pages.post("/settings", {**fields, "value": value})

    def value() -> float:
        with recollect.open(repo) as store:
            return store.config.number("sleep.max_memories")

    default = value()
    first = set_to("777")
    second = set_to("888")
    assert value() == 888
    assert "Undone." in _undo(pages, second).text
    assert value() == 777
    assert "Undone." in _undo(pages, first).text
    assert value() == default
    third = set_to("555")
    set_to("666")
    assert "has changed since" in _undo(pages, third).text
    assert value() == 666
    assert "Nothing was changed" in pages.follow(set_to("666")).text
    assert "Undone." in _undo(pages, pages.post("/settings", {**fields, "unset": "yes"})).text
    assert value() == 666


def test_an_undo_leads_back_to_the_page_it_was_on(repo: Path, pages: Served) -> None:
    """Not to the start."""
    with recollect.open(repo) as store:
        (memory,) = store.memories(kind="decisions")
    shown = pages.follow(pages.post(f"/memory/{memory.uid}/archive", {}))
    key = re.search(r'/undo/([^"]+)"', shown.text)
    assert key is not None

    answer = pages.post(f"/undo/{key[1]}", {"back": f"/memory/{memory.uid}"})
    filtered = pages.post("/reveal", {"reveal": "no", "back": "/files?path=shop/tax.py&notice=x"})

    assert f"{pages.guard.base}/memory/{memory.uid}?notice=" in answer.headers["location"]
    assert filtered.headers["location"] == f"{pages.guard.base}/files?path=shop%2Ftax.py"

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

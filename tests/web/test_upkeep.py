"""Sync on the pages: what it would send and bring, conflicts side by side, and undoing a sleep."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import recollect
from tests.sandbox import Sandbox
from tests.support.dated import capture
from tests.web.serving import Served, served


@pytest.fixture
def clones(sandbox: Sandbox) -> tuple[Path, Path]:
    """Two clones, each with something that the other does not have."""
    sandbox.make_hub()
    ada, bob = sandbox.clone("ada"), sandbox.clone("bob")
    with recollect.open(ada) as store:
        shared = store.capture("decisions", "Use SQLite", "One writer.")
        store.sync()
    with recollect.open(bob) as store:
        store.sync()
        store.update(shared.uid, body="Two writers <b>at once</b>.")
        store.capture("learnings", "A replica lags two seconds")
        store.sync()
    with recollect.open(ada) as store:
        store.update(shared.uid, body="No writer.")
        store.capture("notes", "Ada likes tabs")
        store.capture("notes", "Ada hides this", sensitivity="private")
    return ada, bob


@pytest.fixture
def of_ada(clones: tuple[Path, Path]) -> Iterator[Served]:
    """The pages of the first clone."""
    with served(clones[0]) as pages:
        yield pages


def test_the_page_shows_what_a_sync_would_do(of_ada: Served, clones: tuple[Path, Path]) -> None:
    """Both directions and the conflict, escaped; nothing changes, and nothing private is there."""
    answer = of_ada.post("/upkeep/preview", {})

    assert answer.status == 200
    sends, _, brings = answer.text.partition('id="brings-title"')
    assert "Ada likes tabs" in sends
    assert "A replica lags two seconds" in brings
    assert "Changed on both sides" in brings
    assert "No writer." in brings
    assert "Two writers &lt;b&gt;at once&lt;/b&gt;." in brings
    assert "Ada hides this" not in answer.text
    with recollect.open(clones[0]) as store:
        assert [m.summary for m in store.memories(kind="learnings")] == []


def test_after_a_sync_the_conflict_is_shown_side_by_side(of_ada: Served) -> None:
    """With which one counts; then there is nothing left to exchange."""
    page = of_ada.follow(of_ada.post("/upkeep/sync", {}))
    again = of_ada.post("/upkeep/preview", {})

    assert "Exchanged with origin" in page.text
    assert 'class="compare"' in page.text
    assert page.text.count('class="won"') == 1
    assert "have the same memories" in again.text


def test_without_a_remote_the_page_says_what_to_do(pages: Served) -> None:
    """The example has none."""
    answer = pages.post("/upkeep/preview", {})

    assert answer.status == 400
    assert "no remote" in answer.text


def test_a_sleep_is_undone_from_its_notice(repo: Path, pages: Served) -> None:
    """What it hid is back."""
    with recollect.open(repo) as store:
        draft = {"kind": "notes", "summary": "The office moves", "created": "2020-03-01"}
        (old,) = capture(store, [draft])
        assert [step.memory.uid for step in store.sleep(dry_run=True).steps] == [old.uid]

    shown = pages.follow(pages.post("/upkeep/sleep", {}))
    key = re.search(r'/undo/([^"]+)"', shown.text)
    assert key is not None
    with recollect.open(repo) as store:
        assert store.get(old.uid).status == "archived"
    undone = pages.follow(pages.post(f"/undo/{key[1]}", {"back": "/upkeep"}))

    assert "Undone." in undone.text
    with recollect.open(repo) as store:
        assert store.get(old.uid).status == "active"


@pytest.mark.parametrize("width", [1280, 360])
def test_everybody_can_read_the_preview(
    browser: Browser, axe: str, clones: tuple[Path, Path], width: int
) -> None:
    """It opens in the page; axe finds nothing, and nothing overflows."""
    context = browser.new_context(viewport={"width": width, "height": 900}, bypass_csp=True)
    context.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    with served(clones[0], signed_in=False) as pages:
        page = context.new_page()
        page.goto(pages.guard.address)
        page.wait_for_url(f"**{pages.guard.base}/")
        page.goto(f"http://{pages.guard.host}{pages.guard.base}/upkeep")
        page.get_by_role("button", name="Show what it would send and bring").click()
        expect(page.get_by_role("heading", name="Changed on both sides")).to_be_visible()
        expect(page.get_by_role("button", name="Sync now")).to_be_visible()
        page.locator(".loading").wait_for(state="detached")
        for more in page.locator("#exchange summary").all():
            more.click()
        page.evaluate(axe)
        result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        wide = page.evaluate("document.documentElement.scrollWidth")
    context.close()

    assert [one["id"] for one in result["violations"]] == []
    assert wide <= width

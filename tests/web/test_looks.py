"""Everybody can use the pages: axe finds nothing, nothing overflows, light and dark, two widths."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser

import recollect
from tests.web.example import SESSION
from tests.web.serving import served

# How wide, how dark: a desk and a phone.
LOOKS: list[tuple[int, Literal["light", "dark"]]] = [(1280, "light"), (360, "dark")]
# More than the page needs: htmx, our script and our style.
MOST_BYTES = 150_000


def _paths(repo: Path) -> list[str]:
    with recollect.open(repo) as store:
        known, waiting = store.memories(kind="decisions")[0], store.unconfirmed()[0]
        (private,) = store.memories(sensitivity="private")
    return [
        "/",
        "/search",
        "/search?q=database",
        "/search?q=zzzz",
        f"/memory/{known.uid}",
        f"/memory/{known.uid}/edit",
        f"/memory/{known.uid}/change?path=shop/store.py",
        f"/memory/{waiting.uid}",
        f"/memory/{private.uid}",
        "/review",
        "/sessions",
        f"/sessions/{SESSION}",
        "/files",
        "/files?path=shop/store.py",
        "/facts",
        "/facts?thing=orders",
        "/facts?thing=orders&history=yes",
        "/upkeep",
        "/settings",
        "/no-such-page",
    ]


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_everybody_can_use_every_page(
    browser: Browser, axe: str, lived_in: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    """No page has a barrier that axe knows, overflows, or makes the browser complain."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    context.set_default_timeout(60_000)
    found: dict[str, Any] = {}
    with served(lived_in, signed_in=False) as pages:
        page = context.new_page()
        page.on("pageerror", lambda error: found.setdefault("error", str(error)))
        page.goto(pages.guard.address)
        page.wait_for_url(f"**{pages.guard.base}/")
        for path in _paths(lived_in):
            page.goto(f"http://{pages.guard.host}{pages.guard.base}{path}")
            page.locator(".loading").wait_for(state="detached")
            page.evaluate(axe)
            result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            for one in result["violations"]:
                found[f"{path} {one['id']}"] = [node["target"] for node in one["nodes"]][:3]
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                found[f"{path} is too wide"] = wide
    context.close()

    assert found == {}


def test_an_empty_memory_says_what_to_do(tmp_path: Path) -> None:
    """Pages without anything explain how to get something."""
    repo = tmp_path / "empty"
    repo.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=repo, check=True)
    words = {
        "/": "No agent has run here yet",
        "/search": "Nothing here yet",
        "/review": "Nothing waits for you",
        "/sessions": "No agent has run here",
        "/files": "No memory names a file",
        "/facts": "There are no facts yet",
        "/upkeep": "None yet",
        "/settings": "inject.enabled",
    }
    with served(repo) as pages:
        for path, text in words.items():
            answer = pages.get(path)
            assert answer.status == 200
            assert text in answer.text, path


def test_a_page_is_light(pages_weight: int) -> None:
    """The first page with everything it loads."""
    assert pages_weight < MOST_BYTES


@pytest.fixture
def pages_weight(lived_in: Path) -> int:
    """How many bytes the first page takes, with its script and style."""
    with served(lived_in) as pages:
        names = ("/", "/static/htmx-2.0.11.min.js", "/static/ui.js", "/static/ui.css")
        return sum(len(pages.get(name).text.encode()) for name in names)

"""A repository with a past, its pages, and a browser that looks at them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.sandbox import Sandbox
from tests.support.browser_fixtures import axe, browser
from tests.web.example import make_example
from tests.web.serving import Served, served

__all__ = ["axe", "browser"]


@pytest.fixture(scope="module", autouse=True)
def by_words(isolated: Path) -> Iterator[None]:
    """Search by words: what the model finds is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_RECALL_MATCH_STRATEGY", "text")
        patch.setenv("RECOLLECT_EMBEDDING_MODEL", "none")
        yield


def _template(isolated: Path, folder: Path, *, sessions: bool) -> Path:
    path = Sandbox(folder).init("shop")
    make_example(path, sessions=sessions)
    return path


@pytest.fixture(scope="module")
def quiet(isolated: Path, by_words: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which no agent has run; tests get a copy."""
    return _template(isolated, tmp_path_factory.mktemp("quiet"), sessions=False)


@pytest.fixture(scope="module")
def busy(isolated: Path, by_words: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which an agent has run; tests get a copy."""
    return _template(isolated, tmp_path_factory.mktemp("busy"), sessions=True)


@pytest.fixture
def repo(quiet: Path, tmp_path: Path) -> Path:
    """A repository with memories, without sessions of agents."""
    return Path(shutil.copytree(quiet, tmp_path / "shop"))


@pytest.fixture
def lived_in(busy: Path, tmp_path: Path) -> Path:
    """A repository with memories, a session, and a decision that waits."""
    return Path(shutil.copytree(busy, tmp_path / "shop"))


@pytest.fixture
def pages(repo: Path) -> Iterator[Served]:
    """Its pages, and a client that has signed in."""
    with served(repo) as found:
        yield found


@pytest.fixture
def closed(repo: Path) -> Iterator[Served]:
    """Its pages, before anybody has signed in."""
    with served(repo, signed_in=False) as found:
        yield found


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A profile of its own."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    # A busy machine: no test depends on how long something takes.
    context.set_default_timeout(60_000)
    expect.set_options(timeout=60_000)
    yield context
    context.close()


@pytest.fixture
def open_pages(lived_in: Path) -> Iterator[Served]:
    """The pages of the repository in which an agent has run; nobody has signed in."""
    with served(lived_in, signed_in=False) as found:
        yield found


@pytest.fixture
def page(context: BrowserContext, open_pages: Served) -> Page:
    """A tab that has opened the address, without any complaint of the browser so far."""
    page = context.new_page()
    page.goto(open_pages.guard.address)
    page.wait_for_url(f"**{open_pages.guard.base}/")
    return page

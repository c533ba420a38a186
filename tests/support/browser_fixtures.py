"""A real browser, and axe, for tests of pages; a conftest imports them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.realclient.client import or_skip
from tests.web.browser import axe_source, installed_browser


# For a module, not for the session: while it runs, nothing else in its thread can use asyncio.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real browser. Without npm we skip, but never where real clients are required."""
    found = or_skip(installed_browser)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=found.executable,
            args=found.arguments,
            env={**os.environ, **found.environment},
        )
        yield running
        running.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe."""
    return or_skip(axe_source)

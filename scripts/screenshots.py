"""Takes the pictures of the pages that the documentation shows, in a real browser.

The repository in them is the one that the tests of the pages use.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import recollect
from tests.sandbox import GITCONFIG
from tests.web.browser import installed_browser
from tests.web.example import SESSION, make_example
from tests.web.serving import served

DOCS = Path(__file__).parents[1] / "docs"
WIDTH, HEIGHT = 1100, 720


def main() -> None:
    """Take the pictures."""
    browser = installed_browser()
    with tempfile.TemporaryDirectory() as folder:
        home, repo = Path(folder, "home"), Path(folder, "shop")
        home.mkdir()
        repo.mkdir()
        (home / ".gitconfig").write_text(GITCONFIG)
        os.environ.update(
            HOME=str(home),
            XDG_CONFIG_HOME=str(home / ".config"),
            XDG_DATA_HOME=str(home / ".local"),
            GIT_CONFIG_NOSYSTEM="1",
        )
        subprocess.run(["git", "init", "-q"], cwd=repo, check=True)
        make_example(repo)
        with recollect.open(repo) as store:
            decision = store.memories(kind="decisions")[0]
        pictures = {
            "ui-now": "/",
            "ui-search": "/search?q=database+for+orders",
            "ui-memory": f"/memory/{decision.uid}",
            "ui-session": f"/sessions/{SESSION}",
        }
        with served(repo, signed_in=False) as pages, sync_playwright() as playwright:
            running = playwright.chromium.launch(
                executable_path=browser.executable,
                args=browser.arguments,
                env={**os.environ, **browser.environment},
            )
            tab = running.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            tab.goto(pages.guard.address)
            tab.wait_for_url(f"**{pages.guard.base}/")
            for name in sys.argv[1:] or ("ui-now", "ui-search", "ui-memory"):
                tab.goto(f"http://{pages.guard.host}{pages.guard.base}{pictures[name]}")
                tab.locator(".loading").wait_for(state="detached")
                tab.screenshot(path=DOCS / f"{name}.png")
                sys.stdout.write(f"docs/{name}.png\n")
            running.close()


if __name__ == "__main__":
    main()

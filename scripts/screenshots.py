"""Takes the pictures of the pages that the documentation shows, in a real browser.

The repository in them is the one that the tests of the pages use; the server of a team is the one
of its tests, with a few more memories.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

import recollect
from tests.sandbox import GITCONFIG
from tests.server.place import TeamPlace
from tests.support.postgres import new_database, running_server
from tests.web.browser import installed_browser
from tests.web.example import SESSION, make_example
from tests.web.serving import served

DOCS = Path(__file__).parents[1] / "docs"
WIDTH, HEIGHT = 1100, 720
TEAM = "team-search"
OF_TEAM = (
    ("billing", "learnings", "A retry after a timeout charged a card twice"),
    ("billing", "constraints", "Each payment call has an idempotency key, also when it is retried"),
    ("web", "solutions", "The double click on “Pay” sent two charges: the button is disabled now"),
    ("infra", "runbooks", "When the payment queue is stuck, restart the worker"),
)


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
            names = sys.argv[1:] or ("ui-now", "ui-search", "ui-memory", TEAM)
            for name in pictures.keys() & set(names):
                tab.goto(f"http://{pages.guard.host}{pages.guard.base}{pictures[name]}")
                tab.locator(".loading").wait_for(state="detached")
                tab.screenshot(path=DOCS / f"{name}.png")
                sys.stdout.write(f"docs/{name}.png\n")
            if TEAM in names:
                take_team(running, Path(folder, "team"))
            running.close()


def take_team(running: Browser, folder: Path) -> None:
    """Take the picture of a search in the repositories of a team."""
    folder.mkdir()
    with running_server() as server, new_database(server) as url:
        team = TeamPlace(folder, url)
        with team.running():
            for repository, kind, summary in OF_TEAM:
                team.remember(repository, kind, summary, tags=["payments"])
            token = team.token("ada@example.com", "billing", "web")
            team.wait(lambda: team.search(token, "charged twice", repository="web"))
            tab = running.new_page(viewport={"width": WIDTH, "height": 460})
            tab.goto(f"{team.address}/ui/?q=payment+retried%2C+card+charged+twice&all=1")
            tab.get_by_label("Your token").fill(token)
            tab.get_by_role("button", name="Sign in").click()
            tab.locator(".hit").first.wait_for()
            tab.screenshot(path=DOCS / f"{TEAM}.png")
            sys.stdout.write(f"docs/{TEAM}.png\n")


if __name__ == "__main__":
    main()

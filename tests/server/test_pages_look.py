"""The pages of a server in a real browser: sign-in, axe, two widths, nothing overflows."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from playwright.sync_api import Browser

from tests.server.place import TeamPlace

_HOSTILE = "<script>window.pwned=1</script><img src=x onerror='window.pwned=1'>"
_LOOKS: list[tuple[int, Literal["light", "dark"]]] = [(1280, "light"), (360, "dark")]


@pytest.mark.parametrize(("width", "scheme"), _LOOKS)
def test_everybody_can_use_every_page(
    browser: Browser, axe: str, team: TeamPlace, width: int, scheme: Literal["light", "dark"]
) -> None:
    """From the form to a memory whose text is hostile."""
    uid = team.remember("web", "notes", f"Hostile {width} {_HOSTILE}", f"{_HOSTILE}\n\n{'W' * 900}")
    token = team.token(f"Ada {width}", "billing", "web")
    team.wait(lambda: team.ask("GET", f"/ui/memory/{uid}", token=token).status == 200)
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    found: dict[str, Any] = {}

    def look(name: str) -> None:
        page.evaluate(axe)
        result = page.evaluate("axe.run()")
        if result["violations"]:
            found[name] = [one["id"] for one in result["violations"]]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found[name + " overflows"] = True
        assert page.evaluate("window.pwned") is None

    page.goto(f"{team.address}/ui/memory/{uid}")
    look("sign-in")
    said.clear()  # browsers report the 401 of the form
    page.get_by_label("Your token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", level=1).filter(has_text="Hostile").wait_for()
    look("memory")
    page.get_by_role("link", name="Search").click()
    page.get_by_role("searchbox").fill("PostgreSQL data")
    page.get_by_role("button", name="Search").click()
    page.locator(".hit").first.wait_for()
    look("search")
    page.get_by_role("link", name="Repositories").click()
    page.get_by_role("link", name="billing").wait_for()
    look("repositories")
    # Every number says what it counts: by its column or, where there is no room for it, beside it.
    assert page.get_by_text("Last refresh").filter(visible=True).count() > 0
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Your token").wait_for()
    context.close()

    assert found == {}
    assert [text for text in said if "401" not in text] == []

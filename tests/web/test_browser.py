"""What a person does on the pages, in a real browser."""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

import recollect
from recollect.core.memory import Memory
from tests.web.example import DECISION, PRIVATE, SESSION, hook
from tests.web.serving import Served

NOTICED = "We decided to keep sessions in Redis instead of the database"


def at(pages: Served, path: str) -> str:
    """The address of a page."""
    return f"http://{pages.guard.host}{pages.guard.base}{path}"


def press(page: Page, key: str) -> None:
    """Press a key, once the page listens."""
    page.locator("body[data-ready]").wait_for()
    page.keyboard.press(key)


def decision(repo: Path) -> Memory:
    """The decision of the example, as it is now."""
    with recollect.open(repo) as store:
        return next(m for m in store.memories(status="all") if m.summary.startswith("Use Postgre"))


def test_the_address_signs_one_browser_in(browser: Browser, page: Page, open_pages: Served) -> None:
    """The page opens, stays open after a reload, and the address is used up."""
    expect(page.get_by_role("heading", name="Now")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Now")).to_be_visible()
    other = browser.new_context()
    tab = other.new_page()
    answers = [tab.goto(at(open_pages, path)) for path in ("/", "/search")]
    other.close()

    assert [answer.status for answer in answers if answer is not None] == [403, 403]


def test_search_as_you_type(page: Page, open_pages: Served) -> None:
    """Answers follow the words, the address too, and keys lead to a memory."""
    page.goto(at(open_pages, "/search"))
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.type("SQLite makes one of them wait")

    expect(page.locator("#results .hit").first).to_contain_text(DECISION)
    expect(page).to_have_url(re.compile("wait$"))
    expect(page.locator(".score svg").first).to_have_attribute(
        "aria-label", re.compile("score .*, match .*, trust")
    )
    page.keyboard.press("Escape")
    press(page, "j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(DECISION)
    page.go_back()
    expect(page.locator("#q")).to_have_value("SQLite makes one of them wait")


def test_facets_narrow_the_answers(page: Page, open_pages: Served) -> None:
    """A tag, then a kind; both can be removed."""
    page.goto(at(open_pages, "/search"))
    page.get_by_role("link", name="tests", exact=True).click()
    expect(page.locator(".hit")).to_have_count(2)
    page.get_by_label("Kind").select_option("tech-debt")
    expect(page.locator(".hit")).to_have_count(1)
    page.reload()
    page.locator(".facets a.on", has_text="tests").click()
    expect(page.locator(".hit")).to_have_count(1)
    page.get_by_label("Kind").select_option("")
    expect(page.locator(".hit").nth(3)).to_be_visible()


def test_the_memory_as_it_was(page: Page, open_pages: Served) -> None:
    """A day ago, nothing was known; the slider says so in words."""
    page.goto(at(open_pages, "/search"))
    page.get_by_text("The memory as it was").click()
    slider = page.locator("input[type=range]")
    slider.focus()
    page.keyboard.press("ArrowLeft")

    expect(page.locator("output")).to_have_text("a day ago")
    expect(page.locator(".hit")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".hit").first).to_be_visible()


def test_a_memory_with_its_history_and_files(page: Page, open_pages: Served) -> None:
    """What changed in a decision, in its files, and which session got it."""
    page.goto(at(open_pages, "/search?q=PostgreSQL+orders"))
    page.get_by_role("link", name=DECISION).click()

    expect(page.locator(".prose strong")).to_have_text("primary")
    expect(page.locator(".history del")).to_contain_text("SQLite is too slow")
    expect(page.locator(".history ins").first).to_contain_text("Two workers write at once")
    states = page.locator(".files li")
    expect(states.filter(has_text="shop/store.py")).to_contain_text("CHANGED")
    expect(states.filter(has_text="shop/tax.py")).to_contain_text("FRESH")
    expect(states.filter(has_text="shop/old.py")).to_contain_text("GONE")
    page.get_by_role("link", name="what changed").click()
    expect(page.locator(".diff ins")).to_contain_text("POOL = 20")
    page.go_back()
    page.get_by_role("link", name=f"Session {SESSION[:8]}").click()
    expect(page.locator(".step.given", has_text=DECISION)).to_contain_text("because")


def test_a_change_of_status_is_undone(page: Page, open_pages: Served, lived_in: Path) -> None:
    """Retire, then undo with a key."""
    memory = decision(lived_in)
    page.goto(at(open_pages, f"/memory/{memory.uid}"))
    page.get_by_role("button", name="Retire").click()
    expect(page.get_by_role("status").filter(has_text="Retired")).to_be_visible()
    assert decision(lived_in).status == "retired"

    press(page, "u")
    expect(page.get_by_role("status").filter(has_text="Undone.")).to_be_visible()
    assert decision(lived_in).status == "active"
    page.goto(at(open_pages, f"/memory/{memory.uid}"))
    expect(page.locator(".history li")).to_have_count(4)


def test_edit_and_a_conflict(page: Page, open_pages: Served, lived_in: Path) -> None:
    """What somebody else changed meanwhile is not overwritten, and what you typed stays."""
    memory = decision(lived_in)
    page.goto(at(open_pages, f"/memory/{memory.uid}"))
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Title").fill("Use PostgreSQL 16 for orders")
    with recollect.open(lived_in) as store:
        store.update(memory.uid, importance=0.9)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_label("Title")).to_have_value("Use PostgreSQL 16 for orders")
    assert decision(lived_in).summary == DECISION

    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Use PostgreSQL 16 for orders")
    page.get_by_role("button", name="Undo last change").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(DECISION)


def test_review_with_keys(page: Page, open_pages: Served, lived_in: Path) -> None:
    """Accept, undo, reject, undo, and accept again: nothing is lost on the way."""
    page.goto(at(open_pages, "/review"))
    expect(page.locator("[data-card]")).to_have_count(1)
    expect(page.locator("[data-card]")).to_be_focused()
    expect(page.locator("[data-card]")).to_contain_text("it sounds like a decision")

    press(page, "a")
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    press(page, "u")
    expect(page.locator("[data-card]")).to_have_count(1)
    press(page, "r")
    expect(page.get_by_text("Rejected.")).to_be_visible()
    press(page, "u")
    expect(page.locator("[data-card]")).to_have_count(1)
    press(page, "a")
    expect(page.get_by_text("Remembered as")).to_be_visible()

    with recollect.open(lived_in) as store:
        found = [m for m in store.memories() if m.summary == NOTICED]
        assert [memory.status for memory in found] == ["active"]
        assert store.unconfirmed() == []


def test_merge_from_the_review(page: Page, open_pages: Served, lived_in: Path) -> None:
    """The text goes into another memory; undo takes it out again."""
    before = decision(lived_in)
    page.goto(at(open_pages, "/review"))
    press(page, "m")
    page.get_by_label("Add its text to").select_option(before.uid)
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(page.get_by_text("It is retired now.")).to_be_visible()
    assert NOTICED in decision(lived_in).body

    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone.")).to_be_visible()
    assert decision(lived_in).body == before.body
    expect(page.locator("[data-card]")).to_have_count(1)


def test_purge_needs_the_id(page: Page, open_pages: Served, lived_in: Path) -> None:
    """What was typed must be the id; then it is gone."""
    memory = decision(lived_in)
    page.goto(at(open_pages, f"/memory/{memory.uid}"))
    page.get_by_text("Purge …").click()
    page.get_by_label("To erase it, type").fill("yes")
    page.get_by_role("button", name="Erase for good").click()
    expect(page.get_by_text("Nothing was erased")).to_be_visible()
    page.go_back()
    name = page.locator(".purge code").text_content() or ""
    if not page.locator(".purge input[name=typed]").is_visible():
        page.get_by_text("Purge …").click()
    page.get_by_label("To erase it, type").fill(name)
    page.get_by_role("button", name="Erase for good").click()
    expect(page.get_by_text("for good.")).to_be_visible()

    with recollect.open(lived_in) as store:
        assert store.candidates(memory.uid) == []


def test_now_is_live(page: Page, lived_in: Path) -> None:
    """What a hook does appears without a reload."""
    expect(page.locator(".event").first).to_be_visible()
    marker = page.evaluate("() => { window.stays = 1; return document.title }")
    assert marker
    before = page.locator(".event").count()
    hook(lived_in, "prompt", prompt="remember that we never deploy on Fridays")

    expect(page.locator(".event")).not_to_have_count(before)
    expect(page.locator("#live")).to_contain_text("Kept")
    assert page.evaluate("window.stays") == 1


def test_private_in_the_page(page: Page, open_pages: Served) -> None:
    """Hidden, shown, hidden."""
    page.goto(at(open_pages, "/search"))
    expect(page.get_by_text(PRIVATE)).to_have_count(0)
    page.get_by_role("button", name="Show private").click()
    expect(page.get_by_role("link", name=PRIVATE)).to_be_visible()
    page.get_by_role("button", name="Hide private").click()
    expect(page.get_by_role("button", name="Show private")).to_be_visible()
    expect(page.get_by_text(PRIVATE)).to_have_count(0)


def test_what_is_known_about_a_file(page: Page, open_pages: Served) -> None:
    """From the folder to the lines."""
    page.goto(at(open_pages, "/files"))
    page.get_by_role("link", name="shop/").click()
    page.get_by_role("link", name="store.py").click()
    expect(page.locator(".block").first).to_contain_text("ENGINE = 'postgresql'")
    expect(page.locator(".block.told")).to_contain_text(DECISION)


def test_facts_two_hops(page: Page, open_pages: Served) -> None:
    """A thing, what is said about it, and what is said about that."""
    page.goto(at(open_pages, "/facts"))
    page.locator(".cloud").get_by_role("link", name="orders", exact=True).click()
    expect(page.locator("main")).to_contain_text("One step further")
    expect(page.locator("main")).to_contain_text("version")


def test_facts_at_another_time(page: Page, open_pages: Served, lived_in: Path) -> None:
    """The slider goes through the days on which something changed, and the graph follows."""
    with recollect.open(lived_in) as store:
        store.store_fact(
            "orders", "stored_in", "SQLite", valid_from="2025-01-05", valid_until="2026-03-01"
        )
    page.goto(at(open_pages, "/facts?thing=orders"))
    graph = page.locator("svg.graph")
    expect(graph).to_contain_text("PostgreSQL")
    expect(graph).to_contain_text("version")  # the second hop
    expect(graph).not_to_contain_text("SQLite")
    page.locator("input[type=range]").focus()
    page.keyboard.press("Home")

    expect(page.locator("output")).to_have_text("2025-01-05")
    expect(graph).to_contain_text("SQLite")
    expect(graph).not_to_contain_text("PostgreSQL")
    page.get_by_label("at any time").check()
    expect(graph).to_contain_text("2025-01-05 to 2026-03-01")
    expect(graph).to_contain_text("PostgreSQL")


def test_the_graph_of_a_memory_works_with_keys(
    page: Page, open_pages: Served, lived_in: Path
) -> None:
    """Its links take the focus and lead to what is related; the list says the same."""
    page.goto(at(open_pages, f"/memory/{decision(lived_in).uid}"))
    first = page.locator("svg.graph a").first
    first.focus()
    expect(first).to_be_focused()
    name = first.locator("title").text_content() or ""
    expect(page.locator(".about").get_by_role("link", name=name)).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_a_memory_is_merged_into_another(page: Page, open_pages: Served, lived_in: Path) -> None:
    """Chosen from the most similar ones; undo brings it back."""
    with recollect.open(lived_in) as store:
        (learning,) = store.memories(kind="learnings")
    before = decision(lived_in)
    page.goto(at(open_pages, f"/memory/{learning.uid}"))
    page.get_by_text("Merge into another").click()
    page.get_by_label("Add its text to").select_option(before.uid)
    page.get_by_role("button", name="Merge", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(DECISION)
    assert learning.summary in decision(lived_in).body

    press(page, "u")
    expect(page.get_by_text("Undone.")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text(DECISION)
    assert decision(lived_in).body == before.body


def test_why_a_memory_was_given_stands_on_its_page(
    page: Page, open_pages: Served, lived_in: Path
) -> None:
    """With the session and the time."""
    page.goto(at(open_pages, f"/memory/{decision(lived_in).uid}"))

    expect(page.locator(".about li", has_text="Session")).to_contain_text("because:")


def test_what_goes_wrong_in_a_part_of_a_page_is_said_there(page: Page, open_pages: Served) -> None:
    """A search at a time that is none, a fact at one, a sync without a remote; then it goes on."""
    page.goto(at(open_pages, "/search"))
    page.get_by_text("The memory as it was").click()
    when = page.get_by_label("or a date or commit")
    when.fill("nonsense")
    when.press("Tab")
    expect(page.locator("#results").get_by_role("alert")).to_contain_text("is not a date")
    when.fill("")
    when.press("Tab")
    expect(page.locator(".hit").first).to_be_visible()

    page.goto(at(open_pages, "/facts?thing=orders"))
    moment = page.get_by_label("or", exact=True)
    moment.fill("nonsense")
    moment.press("Tab")
    expect(page.get_by_role("alert")).to_contain_text("is not a date")
    moment.fill("")
    moment.press("Tab")
    expect(page.locator("svg.graph")).to_be_visible()

    page.goto(at(open_pages, "/upkeep"))
    page.get_by_role("button", name="Show what it would").click()
    expect(page.get_by_role("alert")).to_contain_text("has no remote")


def test_a_setting_is_changed(page: Page, open_pages: Served, lived_in: Path) -> None:
    """For this project; and back."""
    page.goto(at(open_pages, "/settings"))
    row = page.locator("li", has=page.locator("code", has_text="sleep.max_memories")).first
    row.locator("summary").click()
    row.get_by_label("Value").fill("777")
    row.get_by_label("For").select_option("project")
    row.get_by_role("button", name="Set", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="Set sleep.max_memories")).to_be_visible()
    with recollect.open(lived_in) as store:
        assert store.config.number("sleep.max_memories") == 777


class _Other(http.server.BaseHTTPRequestHandler):
    """Another server on this machine, as another user could start one."""

    page: ClassVar[str] = ""
    cookies: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        """Give the page, and keep what the browser sent."""
        self.cookies.append(self.headers.get("Cookie", ""))
        data = self.page.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@pytest.fixture
def other() -> Iterator[str]:
    """The address of another server."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Other)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_another_page_of_this_browser_gets_nothing(
    page: Page, context: BrowserContext, open_pages: Served, lived_in: Path, other: str
) -> None:
    """Not by reading, not by a form, not in a frame; and our cookie stays away from it."""
    memory = decision(lived_in)
    ours, act = at(open_pages, "/search"), at(open_pages, f"/memory/{memory.uid}/retire")
    _Other.cookies.clear()
    _Other.page = f"""<body><iframe src="{ours}"></iframe>
    <form id=f method=post action="{act}" target=hidden><input name=csrf value=x></form>
    <iframe name=hidden></iframe></body>"""
    tab = context.new_page()
    tab.goto(other)
    read = tab.evaluate(
        "async (url) => { try { const r = await fetch(url, {credentials: 'include'});"
        " return await r.text() } catch (e) { return 'refused' } }",
        ours,
    )
    with tab.expect_response(lambda response: "/retire" in response.url) as posted:
        tab.evaluate("document.getElementById('f').submit()")

    assert read == "refused"
    assert posted.value.status == 403
    assert all(DECISION not in frame.content() for frame in tab.frames)
    assert decision(lived_in).status == "active"
    assert "recollect" not in "".join(_Other.cookies)


def test_a_hostile_memory_runs_nothing(page: Page, open_pages: Served, lived_in: Path) -> None:
    """The browser agrees that nothing in a memory is active."""
    bad = "<script>window.pwned=1</script><img src=x onerror='window.pwned=1'>"
    with recollect.open(lived_in) as store:
        memory = store.capture(
            "notes",
            f"Hostile {bad}",
            f"{bad}\n\n[x](javascript:window.pwned=1)\n\n<svg/onload=a()>",
        )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in (f"/memory/{memory.uid}", "/search?q=Hostile", f"/memory/{memory.uid}/edit"):
        page.goto(at(open_pages, path))
        expect(page.locator("main")).to_be_visible()
        assert "Hostile" in page.content()
        assert page.evaluate("window.pwned") is None
    assert all(url.startswith(f"http://{open_pages.guard.host}/") for url in asked)


def test_a_shapeless_memory_breaks_no_page(page: Page, open_pages: Served, lived_in: Path) -> None:
    """Words without end, text that runs backwards, a body of 100 KB: nothing leaves the screen."""
    backwards = "\u202e\u2067drawkcab"
    word = "W" * 90
    with recollect.open(lived_in) as store:
        memory = store.capture(
            "notes",
            f"{backwards} {word}"[:100],
            f"{backwards}\n\n{'x' * 60_000}\n\n| {word} | {word} |\n|-|-|\n| {word * 9} | b |",
            tags=["t" * 60],
            files_modified=[f"src/{word}/{word}.py"],
            branch=word,
        )
        store.update(memory.uid, body=f"{'y' * 100_000}", relates_to=[decision(lived_in).uid])
        store.store_fact(word * 5, "depends_on", f"{backwards} {word}")
    page.set_viewport_size({"width": 360, "height": 800})
    paths = [f"/memory/{memory.uid}", f"/memory/{memory.uid}/edit", "/search", "/search?q=drawkcab"]
    paths += ["/files", f"/files?path=src/{word}", f"/files?path=src/{word}/{word}.py"]
    paths += ["/facts", f"/facts?thing={word * 5}", f"/memory/{decision(lived_in).uid}"]
    wide = {}
    for path in paths:
        page.goto(at(open_pages, path))
        expect(page.locator("h1")).to_be_visible()
        wide[path] = page.evaluate("document.documentElement.scrollWidth")
    assert {path: width for path, width in wide.items() if width > 360} == {}

"""Who gets nothing: another page, a rebound name, another user, and whoever has no token."""

from __future__ import annotations

import os
import re
import socket
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.routing import Route

import recollect
from recollect.capture.pasted import PASTED
from recollect.capture.suggestions import suggest
from recollect.web.application import make_application
from recollect.web.guard import MOST_BODY, Guard
from recollect.web.serving import LOOPBACK, listen
from tests.support.dated import capture, notes
from tests.web.example import DECISION, PRIVATE
from tests.web.serving import Served, served


def _says_nothing(text: str) -> bool:
    return not any(word in text for word in ("PostgreSQL", "csrf", "shop", "/memory/"))


def test_the_socket_is_only_on_this_machine() -> None:
    """No other machine can connect, and the port is not known before."""
    guard, other = Guard(), Guard()
    with listen(guard) as one, listen(other) as two:
        assert one.getsockname()[0] == LOOPBACK
        assert one.getsockname()[1] != two.getsockname()[1]
        assert guard.base != other.base
        assert guard.csrf != other.csrf


def test_the_token_opens_the_pages_once(closed: Served) -> None:
    """The first browser gets a cookie; nobody gets one with the same address again."""
    address = urlsplit(closed.guard.address)

    first = closed.sign_in()
    again = closed.raw("GET", f"{address.path}?{address.query}")

    assert first.status == 200
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert f"Path={closed.guard.base}" in cookie
    assert "Domain" not in cookie
    assert again.status == 403
    assert "set-cookie" not in again.headers
    assert DECISION in closed.get("/search").text


@pytest.mark.parametrize("token", ["", "wrong", "None"])
def test_a_wrong_token_opens_nothing(closed: Served, token: str) -> None:
    """And it does not use up the right one."""
    answer = closed.raw("GET", f"{closed.guard.base}/open?token={token}")

    assert answer.status == 403
    assert "set-cookie" not in answer.headers
    assert closed.sign_in().status == 200


@pytest.mark.parametrize("path", ["/", "/search?q=orders", "/events", "/static/ui.css", "/nothing"])
def test_without_the_cookie_there_is_nothing(closed: Served, path: str) -> None:
    """Another user of this machine reaches the port, but has no cookie."""
    for headers in ({}, {"Cookie": "recollect-1=x"}, {"Cookie": closed.guard.csrf}):
        answer = closed.raw("GET", closed.guard.base + path, headers)

        assert answer.status == 403
        assert _says_nothing(answer.text)


def test_without_the_secret_path_there_is_nothing(pages: Served) -> None:
    """Cookies don't distinguish ports: the path keeps ours from other servers on this address."""
    for path in ("/", "/search", "/open", "/static/ui.js", pages.guard.base[:-1] + "/"):
        answer = pages.raw("GET", path, {"Cookie": pages.cookie})

        assert answer.status == 404
        assert _says_nothing(answer.text)


@pytest.mark.parametrize(
    "host", ["evil.example:{}", "localhost:{}", "127.0.0.1", "127.0.0.1:1", ""]
)
def test_a_rebound_name_gets_nothing(pages: Served, host: str) -> None:
    """A site that points its own name at this machine sends that name as the host."""
    port = pages.guard.host.rpartition(":")[2]
    headers = {"Host": host.format(port), "Cookie": pages.cookie}

    answer = pages.raw("GET", pages.guard.base + "/search", headers)

    assert answer.status == 421
    assert _says_nothing(answer.text)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},  # another port of this address
    ],
)
def test_another_page_in_the_browser_gets_nothing(pages: Served, headers: dict[str, str]) -> None:
    """Even if the browser sent the cookie with it."""
    read = pages.get("/search", **headers)
    acted = pages.post("/reveal", {"reveal": "yes"}, **headers)

    assert (read.status, acted.status) == (403, 403)
    assert _says_nothing(read.text)
    assert not pages.access.reveals


def test_an_action_needs_its_origin_and_its_token(pages: Served) -> None:
    """A form that another page sends has neither."""
    uid = re.search(r"/memory/(\w+)", pages.get("/search").text)
    assert uid is not None
    action = f"/memory/{uid[1]}/retire"

    no_token = pages.post(action, {"csrf": ""})
    wrong_token = pages.post(action, {"csrf": "x" * 32})
    no_origin = pages.raw(
        "POST",
        pages.guard.base + action,
        {"Cookie": pages.cookie, "Content-Type": "application/x-www-form-urlencoded"},
        f"csrf={pages.guard.csrf}".encode(),
    )
    by_link = pages.get(action)

    assert {no_token.status, wrong_token.status, no_origin.status} == {403}
    assert by_link.status in (404, 405)
    assert pages.get(f"/memory/{uid[1]}").text.count("Retire</button>") == 1


def test_an_action_may_not_be_endless(pages: Served) -> None:
    """The server reads no more than it needs."""
    answer = pages.post("/reveal", {}, Content_Length=str(MOST_BODY + 1))

    assert answer.status == 413


def test_every_answer_forbids_scripts_and_frames(pages: Served) -> None:
    """Pages, refusals and assets alike."""
    paths = ("/", "/nothing", "/static/ui.js")
    answers = {path: pages.get(path) for path in paths} | {"outside": pages.raw("GET", "/")}
    for path, answer in answers.items():
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert ("no-store" in answer.headers["cache-control"]) == ("/static/" not in path)
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<script>" not in answers["/"].text
    assert not re.search(r"\son\w+=|style=|javascript:", answers["/"].text)


HOSTILE = """\
<script>alert(1)</script><img src=x onerror=alert(1)>
[click](javascript:alert(1)) [data](data:text/html,x) ![pixel](https://evil.example/p.png)
<style>*{display:none}</style><form action=https://evil.example><input name=a></form>

<a href="https://ok.example" onclick="alert(1)">x</a> [fine](https://ok.example "t")

```html
<b>code</b>
```
"""


def test_a_hostile_memory_stays_text(repo: Path) -> None:
    """Scripts, handlers, odd links, images and forms in a memory do nothing on any page."""
    bad = '"><script>alert(1)</script>'
    with recollect.open(repo) as store:
        memory = store.capture("notes", f"Hostile {bad}", HOSTILE, tags=["<b>tag</b>"])
        store.update(memory.uid, body=HOSTILE + "\nmore " + bad)
    with served(repo) as pages:
        texts = [
            pages.get(path).text
            for path in (f"/memory/{memory.uid}", "/search?q=Hostile", f"/memory/{memory.uid}/edit")
        ]
        texts.append(pages.get(f"/search?q={'%22%3E%3Cscript%3Ealert(1)'}&tag=%3Cscript%3E").text)
    for text in texts:
        assert not re.search(r"<script(?! defer src=)", text)
        assert "<img" not in text
        assert "<style" not in text
        assert not re.search(r"<[^>]*\son\w+=", text)
        assert not re.search(r"(href|src|action)=[\"']?(javascript|data):", text)
        assert "evil.example" not in "".join(re.findall(r"<[^>]*>", text))
    assert 'href="https://ok.example"' in texts[0]
    assert "noopener" in texts[0]
    assert "&lt;b&gt;code&lt;/b&gt;" in texts[0]


def test_private_memories_are_hidden_until_somebody_asks(repo: Path, pages: Served) -> None:
    """In lists, in searches and on their own page; and again afterwards."""
    with recollect.open(repo) as store:
        (memory,) = store.memories(sensitivity="private")
    places = (
        "/search",
        "/search?q=review+style",
        f"/memory/{memory.uid}",
        f"/memory/{memory.uid}/edit",
    )

    hidden = [pages.get(path).text for path in places]
    pages.follow(pages.post("/reveal", {"reveal": "yes"}))
    asked = [pages.get(path).text for path in places]
    pages.follow(pages.post("/reveal", {"reveal": "no"}))

    assert not any(PRIVATE in text for text in hidden)
    assert all(PRIVATE in text for text in asked)
    assert PRIVATE not in pages.get("/search").text


def _days_ago(days: int) -> str:
    return f"{datetime.now(UTC) - timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}"


def test_what_waits_and_what_sleep_plans_hide_private_texts(repo: Path, pages: Served) -> None:
    """A private draft, a draft about a private memory, and a merge of private memories."""
    words = "The salary of the harshest reviewer"
    with recollect.open(repo) as store:
        (private,) = store.memories(sensitivity="private")
        draft = {"kind": "notes", "body": "", "provenance": {"via": PASTED}}
        suggest(
            store,
            {**draft, "summary": words, "sensitivity": "private"},
            confidence=0.7,
            why="pasted",
        )
        suggest(
            store,
            {**draft, "summary": "My review style is kind"},
            confidence=0.7,
            why="pasted",
            updates=private.uid,
        )
        old = [
            {**one, "sensitivity": "private", "created": _days_ago(10 + number)}
            for number, one in enumerate(notes(1, 2, 3))
        ]
        capture(store, old)
        assert store.sleep(dry_run=True).merges or store.sleep(dry_run=True).proposals
    texts = (words, PRIVATE, old[0]["summary"])

    hidden = [pages.get(path).text for path in ("/review", "/upkeep/plan")]
    pages.follow(pages.post("/reveal", {"reveal": "yes"}))
    asked = [pages.get(path).text for path in ("/review", "/upkeep/plan")]

    assert not any(text in page for text in texts for page in hidden)
    assert all(any(text in page for page in asked) for text in texts)


def test_read_only_changes_nothing(repo: Path) -> None:
    """There are no buttons, and an action that comes anyway is refused."""
    with recollect.open(repo) as store:
        (memory,) = store.memories(kind="decisions")
    with served(repo, read_only=True) as pages:
        shown = pages.get(f"/memory/{memory.uid}").text
        answers = [
            pages.post(f"/memory/{memory.uid}/{action}", {"typed": memory.id, "summary": "x"})
            for action in ("retire", "edit", "purge", "undo")
        ]
    assert "Retire</button>" not in shown
    assert {answer.status for answer in answers} == {400}
    with recollect.open(repo) as store:
        assert store.get(memory.uid) == memory


def test_read_only_refuses_every_action(repo: Path) -> None:
    """Whatever changes something: the routes say which actions there are."""
    with served(repo, read_only=True) as pages, recollect.open(repo) as store:
        before = store.ledger.tips()
        (memory,) = store.memories(kind="decisions")
        routes = make_application(pages.access, pages.guard, is_ending=lambda: True).routes
        actions = [
            route.path
            for route in routes
            if isinstance(route, Route) and "POST" in (route.methods or ())
        ]
        verbs = {"{name}": memory.uid, "{verb}": "retire", "{key}": "x"}
        for path in actions:
            asked = path
            for hole, value in verbs.items():
                asked = asked.replace(hole, value)
            answer = pages.post(asked, {"key": "sleep.max_memories", "value": "7"})
            if path == "/reveal":  # it only changes what is shown
                continue
            assert (answer.status, "These pages only show" in answer.text) == (400, True), path
        assert len(actions) > 8
        assert store.ledger.tips() == before


def test_it_ends_when_nobody_uses_it(repo: Path) -> None:
    """After the idle time the port is closed; a page that refreshes itself does not count."""
    with served(repo, idle=0.0, signed_in=False) as pages:
        until = time.monotonic() + 60
        while time.monotonic() < until and not pages.server.should_exit:
            time.sleep(0.05)
        assert pages.server.should_exit


def test_a_live_page_does_not_count_as_use(pages: Served) -> None:
    """Somebody who left a tab open is not there."""
    before = pages.guard.last_use
    pages.get("/", x_recollect_live="1")
    live = pages.guard.last_use
    pages.get("/")

    assert live == before
    assert pages.guard.last_use > before


def test_the_token_is_in_no_argument_of_a_program(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every user can read arguments, so the browser gets a private file that leads on."""
    from recollect.web import serving

    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    address = "http://127.0.0.1:1/x/open?token=very-secret"

    door = serving.open_browser(tmp_path, address)

    assert door is not None
    until = time.monotonic() + 60
    while not opened and time.monotonic() < until:
        time.sleep(0.01)
    assert opened == [door.as_uri()]
    assert door.stat().st_mode & 0o077 == 0
    assert door.stat().st_uid == os.getuid()
    assert "very-secret" in door.read_text()


def test_a_busy_port_is_a_clear_error() -> None:
    """The message says which, and what to do."""
    from recollect.errors import StorageError

    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        port = taken.getsockname()[1]
        with pytest.raises(StorageError, match=str(port)) as caught:
            listen(Guard(), port)
    assert "--port" in caught.value.hint

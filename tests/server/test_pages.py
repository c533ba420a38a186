"""The pages of a server: each person sees exactly what they may, and nobody else anything."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlencode

import pytest

from recollect.server.audit import Audit
from recollect.server.database import Database
from recollect.server.people import People
from tests.server.place import Answer, TeamPlace

HOSTILE = "<script>window.pwned=1</script><img src=x onerror=a()>"
_MEMORY = re.compile(r'href="(/ui/memory/[^"]+)"')
_CSRF = re.compile(r'name="csrf" value="([^"]+)"')


class Tab:
    """A browser, as far as these tests need one."""

    def __init__(self, team: TeamPlace) -> None:
        self._team = team
        self.cookie = ""

    def get(self, path: str, **headers: str) -> Answer:
        """Get a page."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._team.ask("GET", path, headers={"cookie": self.cookie, **named})

    def post(self, path: str, fields: Mapping[str, str], **headers: str) -> Answer:
        """Send a form of a page of the server."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        form = {"content-type": "application/x-www-form-urlencoded", "cookie": self.cookie}
        sent = {**form, "origin": self._team.address, **named}
        return self._team.ask("POST", path, body=urlencode(fields).encode(), headers=sent)

    def sign_in(self, token: str, **fields: str) -> Answer:
        """Exchange a token for the cookie."""
        answer = self.post("/ui/sign-in", {"token": token, **fields})
        self.cookie = answer.headers.get("set-cookie", "").partition(";")[0]
        return answer


@pytest.fixture(scope="module")
def ada(team: TeamPlace) -> Tab:
    """Ada has signed in; she may see two repositories."""
    tab = Tab(team)
    assert tab.sign_in(team.token("Ada", "billing", "web")).status == 303
    return tab


@pytest.fixture(scope="module")
def bob(team: TeamPlace) -> Tab:
    """Bob has signed in; he may see the third."""
    tab = Tab(team)
    assert tab.sign_in(team.token("Bob", "infra")).status == 303
    return tab


@pytest.fixture
def people(team: TeamPlace) -> Iterator[People]:
    """The people of the server."""
    database = Database(team.database)
    yield People(database)
    database.close()


def _revoke(people: People, name: str) -> None:
    people.revoke(next(one.id for one in people.list() if one.person == name))


def test_each_sees_their_repositories(ada: Tab, bob: Tab) -> None:
    """In a search, in the list of repositories, and in what one can choose."""
    for tab, mine, others in ((ada, ("billing", "web"), ("infra",)), (bob, ("infra",), ("web",))):
        for path in ("/ui/?q=PostgreSQL+data&all=1", "/ui/repositories"):
            answer = tab.get(path)

            assert answer.status == 200
            assert all(name in answer.text for name in mine)
            assert not any(name in answer.text for name in others), path


def test_a_repository_of_others_is_one_that_does_not_exist(ada: Tab) -> None:
    """As a filter, with a query and without one."""
    for query in ("", "&q=PostgreSQL"):
        refused = [ada.get(f"/ui/?repository={name}{query}") for name in ("infra", "nowhere")]

        assert [one.status for one in refused] == [403, 403]
        assert refused[0].text.replace("infra", "nowhere") == refused[1].text
        # What to do next is for people, not for agents.
        assert "The page Repositories lists those that you may see." in refused[0].text
        assert "list_repositories" not in refused[0].text


def test_a_memory_of_others_is_one_that_does_not_exist(ada: Tab, bob: Tab) -> None:
    """Its address shows it to one person and not to the other."""
    path = _MEMORY.findall(bob.get("/ui/?q=PostgreSQL").text)[0]
    shown = bob.get(path)
    assert shown.status == 200
    assert "Use PostgreSQL for the data of infra" in shown.text

    refused = ada.get(path)
    assert refused.status == 404
    assert "PostgreSQL" not in refused.text
    assert "recollect list" not in refused.text


def test_a_memory_says_where_it_is_from_and_how_it_changed(team: TeamPlace) -> None:
    """Repository, commit, author, provenance and history."""
    import recollect

    with recollect.open(team.clone("web")) as store:
        said = {"said_by": "user", "via": "cli"}
        memory = store.capture("decisions", "Sessions last a day", "First text.", provenance=said)
        store.update(memory.uid, body="Second text.")
        store.sync()
    tab = Tab(team)
    tab.sign_in(team.token("Hal", "web"))
    path = f"/ui/memory/{memory.uid}"
    team.wait(lambda: "Second text." in tab.get(path).text)
    head = team.sandbox("web").git(team.clone("web"), "rev-parse", "HEAD")
    page = tab.get(path).text

    assert head[:12] in page
    assert 'repository=web"' in page
    assert "Said by" in page
    assert "<del>- First text.</del>" in page
    assert (memory.author or "").partition("<")[0].strip() in page


def test_filters_and_order_are_those_of_search(team: TeamPlace) -> None:
    """The page lists what `/search` lists, in the same order."""
    token = team.token("Ida", "billing", "web")
    tab = Tab(team)
    tab.sign_in(token)
    for more, query in (({}, ""), ({"kind": "decisions"}, "&kind=decisions")):
        listed = team.search(token, "idempotent PostgreSQL", all=True, limit=20, **more)
        page = tab.get(f"/ui/?q=idempotent+PostgreSQL&all=1{query}")

        found = [path.rpartition("/")[2] for path in _MEMORY.findall(page.text)]
        assert found == [one["uid"] for one in listed]
        assert found


def test_hostile_text_is_text(team: TeamPlace) -> None:
    """In a title, a text, a tag, a query and a filter; and the page allows no script of its own."""
    uid = team.remember("web", "notes", f"Hostile {HOSTILE}", f"{HOSTILE}\n\n[x](javascript:a())")
    tab = Tab(team)
    tab.sign_in(team.token("Jo", "web"))
    team.wait(lambda: tab.get(f"/ui/memory/{uid}").status == 200)
    asked = urlencode({"q": f'Hostile "{HOSTILE}'})
    for path in (
        f"/ui/memory/{uid}",
        f"/ui/?{asked}",
        f"/ui/?repository={urlencode({'': HOSTILE})[1:]}",
    ):
        answer = tab.get(path)

        assert "<script>" not in answer.text
        assert "<img" not in answer.text
        assert 'href="javascript:' not in answer.text
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/ui/", "/ui/repositories", "/ui/memory/x", "/ui/?q=PostgreSQL"])
def test_without_a_token_there_is_only_the_form(team: TeamPlace, path: str) -> None:
    """No cookie, and one that nobody got."""
    for cookie in ("", "recollect-team=made-up", "recollect-team=", "=;;=\x7f"):
        answer = team.ask("GET", path, headers={"cookie": cookie})

        assert answer.status == 401
        assert 'name="token"' in answer.text
        assert "billing" not in answer.text


def test_a_wrong_token_opens_nothing(team: TeamPlace) -> None:
    """401, the form again, and no cookie."""
    for token in ("", "rct_" + "A" * 43, "' or 1=1 --", "\x00", "x" * 5000):
        answer = Tab(team).sign_in(token)

        assert answer.status == 401
        assert "set-cookie" not in answer.headers
        assert 'name="token"' in answer.text


def test_the_cookie_is_not_the_token_and_only_for_the_pages(team: TeamPlace) -> None:
    """Scripts can't read it, other sites don't send it, and it opens no other route."""
    token = team.token("Kim", "web")
    tab = Tab(team)
    set_cookie = tab.sign_in(token).headers["set-cookie"].lower()

    assert token.lower() not in set_cookie
    assert {"httponly", "samesite=strict", "path=/ui"} <= set(set_cookie.split("; "))
    assert "max-age=43200" in set_cookie
    assert tab.get("/search?q=PostgreSQL").status == 401
    secret = tab.cookie.partition("=")[2]
    assert team.ask("GET", "/search?q=PostgreSQL", token=secret).status == 401


def test_revoking_the_token_ends_the_browser(team: TeamPlace, people: People) -> None:
    """With the next page."""
    tab = Tab(team)
    tab.sign_in(team.token("Lea", "web"))
    assert tab.get("/ui/").status == 200
    _revoke(people, "Lea")

    assert tab.get("/ui/").status == 401


def test_signing_out_ends_the_browser(team: TeamPlace) -> None:
    """Also for whoever has copied the cookie; and only a page of ours can do it."""
    tab = Tab(team)
    tab.sign_in(team.token("Moe", "web"))
    csrf = _CSRF.findall(tab.get("/ui/").text)[0]
    assert tab.post("/ui/sign-out", {"csrf": "wrong"}).status == 403
    assert tab.post("/ui/sign-out", {"csrf": csrf}, origin="http://evil.example").status == 403
    assert tab.get("/ui/").status == 200

    assert tab.post("/ui/sign-out", {"csrf": csrf}).status == 303
    assert tab.get("/ui/").status == 401


def test_other_sites_cannot_sign_somebody_in(team: TeamPlace) -> None:
    """A form of another site, or one that doesn't say where it is from."""
    token = team.token("Ned", "web")
    tab = Tab(team)
    assert tab.post("/ui/sign-in", {"token": token}, origin="http://evil.example").status == 403
    assert tab.post("/ui/sign-in", {"token": token}, origin="null").status == 403
    body = urlencode({"token": token}).encode()
    assert team.ask("POST", "/ui/sign-in", body=body).status == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8321", "", "127.0.0.1.evil.example"]
)
def test_a_name_that_is_not_ours_gets_nothing(team: TeamPlace, ada: Tab, host: str) -> None:
    """So that no page whose name is rebound to this machine can read anything."""
    answer = ada.get("/ui/", host=host)

    assert answer.status in (400, 421)
    assert "Ada" not in answer.text


def test_a_link_on_another_site_leads_in(ada: Tab) -> None:
    """The browser sends no strict cookie with it, but does from a page of ours that leads on."""
    link = {"sec_fetch_site": "cross-site", "sec_fetch_dest": "document"}
    answer = ada.get('/ui/?q="><script>', **link)

    assert answer.status == 200
    assert 'content="0;url=/ui/?q=' in answer.text
    assert "<script>" not in answer.text
    assert ada.get("/ui/", sec_fetch_site="cross-site", sec_fetch_dest="image").status == 403


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/ui/\\evil", "/mcp"])
def test_signing_in_leads_to_no_other_site(team: TeamPlace, ada: Tab, back: str) -> None:
    """Only back to a page of the server."""
    token = team.token("Ola", "web")
    assert Tab(team).sign_in(token, back=back).headers["location"] == "/ui/"
    assert Tab(team).sign_in(token, back="/ui/?q=a").headers["location"] == "/ui/?q=a"


def test_what_people_look_at_is_in_the_audit_log(team: TeamPlace) -> None:
    """As for agents: who, what, where, how many."""
    tab = Tab(team)
    tab.sign_in(team.token("Pia", "web"))
    path = _MEMORY.findall(tab.get("/ui/?q=PostgreSQL").text)[0]
    tab.get(path)
    tab.get("/ui/?repository=infra")
    database = Database(team.database)
    lines = [(one.action, one.query, one.outcome) for one in Audit(database).last(10, "Pia")]
    database.close()

    uid = path.rpartition("/")[2]
    assert lines == [
        ("list", "", "NotAllowed"),
        ("get", uid, "ok"),
        ("search", "PostgreSQL", "ok"),
        ("sign_in", "", "ok"),
    ]


def test_files_of_the_pages(team: TeamPlace) -> None:
    """They are there for everybody, by name, and nothing else is."""
    assert team.ask("GET", "/ui/static/ui.css").headers["content-type"].startswith("text/css")
    for name in ("../templates/base.html", "%2e%2e/pages.py", "base.html"):
        assert team.ask("GET", f"/ui/static/{name}").status in (401, 404)
    assert team.ask("GET", "/ui").headers["location"] == "/ui/"


def test_limits_and_the_proxy(place: TeamPlace, tmp_path: Path) -> None:
    """Pages count as requests do, wrong tokens by where they come from; a proxy needs no form."""
    end = '[proxy]\nheader = "X-Person"\naddresses = ["127.0.0.1"]\n'
    top = 'requests_per_minute = 5\naddress = "https://memory.example.com"'
    place.write_config(top, end)
    place.start()
    token = place.token("Cleo", "web")
    asked = [place.ask("GET", "/search?q=data", token=token).status for _ in range(12)]
    assert asked[0] == 200
    assert 429 in asked
    tab = Tab(place)
    named = {"host": "memory.example.com", "origin": "https://memory.example.com"}
    answer = tab.post("/ui/sign-in", {"token": place.token("Ada", "web")}, **named)
    assert "; secure" in answer.headers["set-cookie"].lower()
    tab.cookie = answer.headers["set-cookie"].partition(";")[0]
    statuses = [tab.get("/ui/").status for _ in range(12)]
    assert statuses[0] == 200
    assert 429 in statuses

    wrong = [Tab(place).sign_in("rct_" + "A" * 43).status for _ in range(12)]
    assert wrong[0] == 401
    assert 429 in wrong

    place.token("Bob", "infra", by_proxy=True)
    page = place.ask("GET", "/ui/repositories", headers={"x-person": "Bob"})
    assert page.status == 200
    assert "infra" in page.text
    assert "web" not in page.text
    assert "Sign out" not in page.text
    assert place.ask("GET", "/ui/", headers={"x-person": "Eve"}).status == 401

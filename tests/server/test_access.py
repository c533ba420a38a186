"""Three repositories and two people: each sees exactly what they may, whichever way they ask."""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import timedelta
from typing import Any

import pytest
from mcp import Client

from tests.server.place import TeamPlace


@pytest.fixture(scope="module")
def ada(team: TeamPlace) -> str:
    """Ada's token; she may see two repositories."""
    return team.token("Ada", "billing", "web")


@pytest.fixture(scope="module")
def bob(team: TeamPlace) -> str:
    """Bob's token; he may see the third."""
    return team.token("Bob", "infra")


def _repositories(result: Any) -> set[str]:
    return {one["repository"] for one in result["memories"]}


def test_each_sees_their_repositories_over_mcp(team: TeamPlace, ada: str, bob: str) -> None:
    """Search, lists and timelines have the memories of one's repositories, and no others."""
    for token, mine in ((ada, {"billing", "web"}), (bob, {"infra"})):
        calls: list[tuple[str, dict[str, Any]]] = [
            ("search_memories", {"query": "PostgreSQL data", "all": True}),
            ("list_memories", {}),
            ("get_timeline", {"since": "5y"}),
        ]
        for tool, arguments in calls:
            result, is_error = team.call(token, tool, **arguments)

            assert not is_error, result
            assert _repositories(result) == mine, tool
        known, _ = team.call(token, "list_repositories")
        assert {one["name"] for one in known["repositories"]} == mine


def test_each_sees_their_repositories_over_http(team: TeamPlace, ada: str, bob: str) -> None:
    """`/search` filters as the tools do."""
    assert {hit["repository"] for hit in team.search(ada, "PostgreSQL")} == {"billing", "web"}
    assert {hit["repository"] for hit in team.search(bob, "PostgreSQL")} == {"infra"}


def test_a_hit_names_its_repository_and_commit(team: TeamPlace, ada: str) -> None:
    """Whoever reads it knows where it is from, and that it is not their own."""
    (hit,) = team.search(ada, "PostgreSQL data of billing", repository="billing")[:1]
    head = team.sandbox("billing").git(team.clone("billing"), "rev-parse", "HEAD")

    assert (hit["repository"], hit["commit"]) == ("billing", head)
    assert hit["trust"] == "another repository"


def test_an_id_of_another_repository_is_unknown(team: TeamPlace, ada: str, bob: str) -> None:
    """By its id, its uid and the name of its repository: the answer is the same as for nothing."""
    (hit,) = team.search(bob, "PostgreSQL")
    for name in (hit["id"], hit["uid"], hit["uid"][:10]):
        shown, is_error = team.call(bob, "get_memory", id=name)
        assert not is_error
        assert shown["repository"] == "infra"

        said, is_error = team.call(ada, "get_memory", id=name)
        assert is_error
        assert "There is no memory" in said
        assert "PostgreSQL" not in said
        said, is_error = team.call(ada, "get_memory", id=name, repository="infra")
        assert is_error
        assert "There is no repository" in said


@pytest.mark.parametrize(
    "name",
    ["infra", "INFRA", "../infra", "infra.git", "*", "%", "", "a" * 500, "infra\n", "{infra}"],
)
def test_no_name_opens_another_repository(team: TeamPlace, ada: str, name: str) -> None:
    """A repository that one may not see is the same as one that does not exist."""
    for tool, more in (("search_memories", {"query": "PostgreSQL"}), ("list_memories", {})):
        said, is_error = team.call(ada, tool, repository=name, **more)

        assert is_error
        assert "There is no repository" in said


def test_nobody_writes_where_writing_is_off(team: TeamPlace) -> None:
    """The tool is not there, and calling it anyway is refused."""
    writer = team.token("Eve", "web", can_write=True)

    async def tools(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    assert "store_memory" not in team.converse(writer, tools)
    said, is_error = team.call(writer, "store_memory", repository="web", kind="notes", summary="x")
    assert is_error
    assert "may read here, not write" in said


def test_revoking_works_at_once(team: TeamPlace) -> None:
    """A token opens nothing from the next request on."""
    from recollect.server.database import Database
    from recollect.server.people import People

    token = team.token("Cy", "web")
    assert team.search(token, "PostgreSQL")
    database = Database(team.database)
    people = People(database)
    people.revoke(next(one.id for one in people.list() if one.person == "Cy"))
    database.close()

    answer = team.ask("GET", "/search?q=PostgreSQL", token=token)

    assert answer.status == 401
    assert "PostgreSQL" not in answer.text
    assert answer.headers["www-authenticate"] == "Bearer"


def test_an_expired_token_opens_nothing(team: TeamPlace) -> None:
    """It is the same as a wrong one."""
    token = team.token("Di", "web", expires=timedelta(microseconds=1))

    assert team.ask("GET", "/search?q=PostgreSQL", token=token).status == 401


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": ""},
        {"authorization": "Bearer"},
        {"authorization": "Bearer rct_"},
        {"authorization": "Bearer " + "rct_" + "A" * 43},
        {"authorization": "Basic QWRhOng="},
        {"authorization": "Bearer rct_" + "A" * 43 + "' or 1=1 --"},
        {"x-forwarded-email": "Ada"},
        {"x-forwarded-user": "Ada", "x-forwarded-for": "127.0.0.1"},
        {"cookie": "token=x"},
    ],
)
def test_hostile_headers_open_nothing(team: TeamPlace, headers: dict[str, str]) -> None:
    """Without a token that works, nobody gets anything, whatever else a request says."""
    for path in ("/search?q=PostgreSQL", "/mcp"):
        answer = team.ask("GET", path, headers=headers)

        assert answer.status == 401, answer.text
        assert "PostgreSQL" not in answer.text


def test_a_page_of_another_site_gets_nothing(team: TeamPlace, ada: str) -> None:
    """A browser says where a request comes from."""
    for headers in ({"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}):
        answer = team.ask("GET", "/search?q=PostgreSQL", token=ada, headers=headers)

        assert answer.status == 403
        assert "PostgreSQL" not in answer.text


@pytest.mark.parametrize("path", ["/search", "/mcp", "/hooks/fetch/web"])
def test_a_body_that_is_too_large_is_refused(team: TeamPlace, ada: str, path: str) -> None:
    """It is not read to its end."""
    body = b'{"query": "' + b"x" * (2 << 20) + b'"}'
    try:
        answer = team.ask(
            "POST", path, token=ada, body=body, headers={"content-type": "application/json"}
        )
    except (BrokenPipeError, ConnectionResetError):
        return  # the server closed the connection, which is as good

    assert answer.status in (400, 403, 413)
    assert team.ask("GET", "/healthz").status == 200


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"[]", b"null", b"{", b'{"query": 7}', b'{"query": ""}', b'{"q": "x"}'),
        *(b'{"query": "x", "limit": "y"}', b'{"query": "x", "repository": ["web"]}'),
        *(b"[" * 100_000, b"\xff\xfe", json.dumps({"query": "x\0y"}).encode()),
        b'{"query": "x", "sensitivity": "private"}',
    ],
)
def test_a_malformed_search_is_refused(team: TeamPlace, ada: str, body: bytes) -> None:
    """The answer says what is wrong."""
    answer = team.ask("POST", "/search", token=ada, body=body)

    assert answer.status == 400, answer.text
    assert answer.json()["hint"]


@pytest.mark.parametrize(
    "path",
    ["/", "/uix", "/search/../mcp", "/..%2f..%2fetc/passwd", "/hooks/fetch/../../x", "//mcp"],
)
def test_there_is_nothing_at_other_paths(team: TeamPlace, path: str) -> None:
    """No path reaches a file."""
    assert team.ask("GET", path).status in (401, 404, 405)


def test_a_webhook_without_a_secret_is_refused(team: TeamPlace) -> None:
    """An empty secret is no secret."""
    signature = hmac.new(b"", b"x", hashlib.sha256).hexdigest()

    answer = team.ask(
        "POST",
        "/hooks/fetch/web",
        body=b"x",
        headers={"x-hub-signature-256": f"sha256={signature}"},
    )

    assert answer.status == 403


def test_only_public_memories_are_shown(team: TeamPlace, ada: str) -> None:
    """What is private never arrives; what nobody has classified arrives, and is not shown."""
    unclassified = team.remember("web", "notes", "A word of Quorvex", sensitivity="unknown")
    team.remember("web", "notes", "The private key of Quorvex", sensitivity="private")
    team.remember("web", "notes", "The public name of Quorvex")
    team.wait(lambda: team.search(ada, "Quorvex"))

    assert [hit["summary"] for hit in team.search(ada, "Quorvex")] == ["The public name of Quorvex"]
    assert team.call(ada, "get_memory", id=unclassified)[1]
    assert b"private key of Quorvex" not in team.sandbox("web").all_bytes(team.mirror("web"))


def test_the_logs_have_no_queries_and_no_tokens(team: TeamPlace, ada: str) -> None:
    """Each line is JSON; what was asked is in the audit log only."""
    team.search(ada, "zanzibar lighthouse")
    team.ask("GET", "/search?q=madagascar", token="rct_" + "B" * 43)

    lines = [json.loads(line) for line in team.log().splitlines()]
    assert any(line["event"] == "request" and line.get("person") == "Ada" for line in lines)
    assert not any(text in team.log() for text in ("zanzibar", "madagascar", ada, "B" * 43))


def test_the_audit_log_has_reads(team: TeamPlace, ada: str) -> None:
    """Who asked what, in which repositories, and how many memories came; without secrets."""
    from recollect.server.audit import Audit
    from recollect.server.database import Database

    team.search(ada, "retries must be idempotent ghp_16C7e42F292c6912E7710c838347Ae178B4a")
    team.call(ada, "list_memories", repository="infra")
    database = Database(team.database)
    refused, found, *_ = Audit(database).last(2, "Ada")
    database.close()

    assert (found.action, found.repositories, found.outcome) == ("search", ("billing", "web"), "ok")
    assert found.hits >= 1
    assert "idempotent" in found.query
    assert "ghp_" not in found.query
    assert (refused.action, refused.hits, refused.outcome) == ("list", 0, "NotAllowed")
    assert refused.repositories == ("infra",)


def test_the_audit_log_cuts_what_is_long(team: TeamPlace, ada: str) -> None:
    """Nobody fills the disk with names of repositories or ids that are refused."""
    from recollect.server.audit import Audit
    from recollect.server.database import Database

    team.call(ada, "get_memory", id="x" * 5000)
    team.call(ada, "store_memory", repository="y" * 5000, kind="notes", summary="Of nobody")
    database = Database(team.database)
    Audit(database).note("z" * 5000, "store", "", ["y" * 5000], 0, "NotAllowed")
    found = Audit(database).last(3)
    database.close()

    for entry in found:
        parts = (entry.person, entry.query, *entry.repositories)
        assert max(map(len, parts)) <= 500


def test_numbers_for_prometheus(team: TeamPlace, ada: str) -> None:
    """Everybody sees how it is; only who may see a repository sees its name."""
    team.search(ada, "PostgreSQL")

    for_all, for_ada = (team.ask("GET", "/metrics", token=token).text for token in ("", ada))

    assert 'recollect_requests_total{route="/search",status="200"}' in for_all
    assert "recollect_mirrors 3" in for_all
    assert "recollect_mirrors_failing 0" in for_all
    assert not any(name in for_all for name in ("billing", "web", "infra"))
    assert 'recollect_mirror_age_seconds{repository="web"}' in for_ada
    assert "infra" not in for_ada

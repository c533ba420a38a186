"""Tokens, the header of a proxy, and limits."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from recollect.errors import DatabaseDown, NotAllowed, TooManyRequests, ValidationError
from recollect.server.database import Database
from recollect.server.identity import Unauthenticated, identify
from recollect.server.people import People, parse_span
from recollect.server.settings import Proxy
from tests.server.place import REPOSITORIES, TeamPlace


@pytest.fixture
def people(database: str) -> Iterator[People]:
    """People of a new team."""
    opened = Database(database)
    opened.migrate()
    yield People(opened)
    opened.close()


def test_a_token_is_stored_as_its_hash(people: People, database: str) -> None:
    """Nothing in the database opens anything."""
    _, token = people.add("Ada", ["web"])

    assert people.by_token(token).repositories == {"web"}
    with psycopg.connect(database) as connection:
        rows = connection.execute("select tokens::text from recollect_team.tokens").fetchall()
    assert token not in str(rows)
    assert token.removeprefix("rct_") not in str(rows)


def test_migrating_again_changes_nothing(people: People, database: str) -> None:
    """Every worker does it when it starts."""
    people.add("Ada", ["web"])
    again = Database(database)
    again.migrate()
    again.close()

    assert [token.person for token in people.list()] == ["Ada"]


def test_revoked_and_expired_tokens(people: People) -> None:
    """They are listed with their state, and open nothing."""
    revoked, one = people.add("Ada", ["web"])
    _, other = people.add("Bob", ["web"], expires=timedelta(microseconds=1))
    people.revoke(revoked)

    for token in (one, other):
        with pytest.raises(NotAllowed):
            people.by_token(token)
    now = datetime.now(UTC)
    assert [token.state(now) for token in people.list()] == ["revoked", "expired"]
    with pytest.raises(ValidationError, match="There is no token 99"):
        people.revoke(99)


@pytest.mark.parametrize("name", ["", " ", "a\nb", "<x>", "x" * 201, "Ada <a@b>", " Ada", "a\0"])
def test_names_that_no_author_can_have(people: People, name: str) -> None:
    """They become the author of memories."""
    with pytest.raises(ValidationError, match="cannot be the name"):
        people.add(name, ["web"])


@pytest.mark.parametrize("text", ["", "90", "d", "0d", "-1d", "1y", "99999d", "1.5d", "٣d"])
def test_times_that_no_token_can_last(text: str) -> None:
    """The error shows how to write one."""
    with pytest.raises(ValidationError, match="not a time") as caught:
        parse_span(text)

    assert "90d" in caught.value.hint


def test_limits_count_for_all_tokens_of_a_person(people: People, database: str) -> None:
    """In all workers together, because the database counts."""
    _, one = people.add("Ada", ["web"])
    _, other = people.add("Ada", ["web"])
    _, third = people.add("Bob", ["web"])
    workers = [Database(database) for _ in range(2)]
    limited = [People(opened, requests_per_minute=3) for opened in workers]
    refused = 0
    # A minute may end in between: then three more are allowed, and no more.
    for number in range(8):
        try:
            limited[number % 2].by_token((one, other)[number % 2])
        except TooManyRequests:
            refused += 1

    assert refused in (2, 5)
    assert limited[0].by_token(third).name == "Bob"
    for opened in workers:
        opened.close()


def _scope(client: str, *headers: tuple[str, str]) -> dict[str, object]:
    raw = [(name.encode(), value.encode()) for name, value in headers]
    return {"type": "http", "headers": raw, "client": (client, 4711)}


def test_a_proxy_names_people(people: People) -> None:
    """Only from its address, only once, and only people that the server knows."""
    import ipaddress

    people.add("ada@example.com", ["web"], by_proxy=True)
    proxy = Proxy("x-forwarded-email", (ipaddress.ip_network("10.0.0.1/32"),))
    ada = ("x-forwarded-email", "ada@example.com")

    assert identify(_scope("10.0.0.1", ada), people, proxy).name == "ada@example.com"
    hostile = [
        _scope("10.0.0.2", ada),
        _scope("10.0.0.2", ada, ("x-forwarded-for", "10.0.0.1")),
        _scope("10.0.0.1", ada, ada),
        _scope("10.0.0.1", ("x-forwarded-email", "bob@example.com")),
        _scope("10.0.0.1", ("x-forwarded-email", "")),
        _scope("10.0.0.1", ("x-forwarded-email", "ada@example.com\0")),
        _scope("10.0.0.1", ada, ("authorization", "Bearer wrong")),
        _scope("10.0.0.1"),
    ]
    for scope in hostile:
        with pytest.raises(Unauthenticated):
            identify(scope, people, proxy)
    with pytest.raises(Unauthenticated):
        identify(_scope("10.0.0.1", ada), people, None)


def test_who_has_a_token_is_not_who_the_proxy_names(people: People) -> None:
    """A token gives nothing to a header of the same name."""
    import ipaddress

    people.add("Ada", ["web"])
    proxy = Proxy("x-user", (ipaddress.ip_network("10.0.0.1/32"),))

    with pytest.raises(Unauthenticated):
        identify(_scope("10.0.0.1", ("x-user", "Ada")), people, proxy)


def test_a_new_entry_for_the_proxy_replaces_the_old_one(people: People) -> None:
    """A person has one list of repositories."""
    people.add("Ada", ["web", "infra"], by_proxy=True)
    people.add("Ada", ["web"], by_proxy=True)

    assert people.by_proxy("Ada").repositories == {"web"}


def test_a_database_that_is_not_there() -> None:
    """The error says so, and what to check, without a password."""
    opened = Database("postgresql://me:hunter2@127.0.0.1:1/none")
    try:
        with pytest.raises(DatabaseDown) as caught:
            opened.run("select 1")
    finally:
        opened.close()

    assert "hunter2" not in str(caught.value)
    assert "recollect serve --check" in caught.value.hint


def test_a_token_opens_only_what_the_file_still_names(place: TeamPlace) -> None:
    """A repository that was taken out of the file is closed, also with an old token."""
    token = place.token("Ada", *REPOSITORIES, "gone")
    place.start()

    found = place.search(token, "PostgreSQL")

    assert {hit["repository"] for hit in found} == set(REPOSITORIES)

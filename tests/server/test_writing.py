"""Writing through the server, where it is on and the token allows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.server.audit import Audit
from recollect.server.database import Database
from tests.sandbox import install_hook
from tests.server.place import TeamPlace
from tests.support.postgres import Server, new_database


@pytest.fixture(scope="module")
def writable(
    isolated: Path, tmp_path_factory: pytest.TempPathFactory, postgres: Server
) -> Iterator[TeamPlace]:
    """A team whose server writes."""
    with new_database(postgres) as url:
        found = TeamPlace(tmp_path_factory.mktemp("writable"), url)
        found.write_config(top="write = true")
        with found.running():
            yield found


def test_a_memory_reaches_the_repository(writable: TeamPlace) -> None:
    """Its author is the person; everybody finds it at once, and every clone has it after a sync."""
    token = writable.token("eve@example.com", "web", can_write=True)

    done, is_error = writable.call(
        token,
        "store_memory",
        repository="web",
        kind="decisions",
        summary="Zeppelins carry the mail",
        body="Because of the view.",
        tags=["transport"],
    )

    assert not is_error, done
    assert done["done"] == "stored and pushed"
    (hit,) = writable.search(token, "zeppelins")
    assert hit["id"] == done["id"]
    with recollect.open(writable.clone("web")) as store:
        store.sync()
        memory = store.get(hit["uid"])
    assert memory.author == "eve@example.com <eve@example.com>"
    assert memory.tags == ("transport",)
    again, _ = writable.call(
        token,
        "store_memory",
        repository="web",
        kind="decisions",
        summary="Zeppelins carry the mail",
        body="Because of the view.",
    )
    assert again["done"] == "known already"
    database = Database(writable.database)
    written = [e for e in Audit(database).last(9, "eve@example.com") if e.action == "store"]
    database.close()
    assert [entry.outcome for entry in written] == ["known already", "stored and pushed"]
    assert {(entry.repositories, entry.query) for entry in written} == {(("web",), done["id"])}


def test_a_secret_is_redacted(writable: TeamPlace) -> None:
    """The gate is the same as everywhere."""
    token = writable.token("Eve", "web", can_write=True)
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"

    done, is_error = writable.call(
        token,
        "store_memory",
        repository="web",
        kind="notes",
        summary="Token",
        body=f"It is {secret}",
    )

    assert not is_error
    assert "warnings" in done
    for repository in (writable.mirror("web"), writable.hub("web")):
        assert secret.encode() not in writable.sandbox("web").all_bytes(repository)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"repository": "infra"}, "There is no repository"),
        ({"repository": "../web"}, "There is no repository"),
        ({"sensitivity": "private"}, "private cannot be sent"),
        ({"kind": "facts"}, "Facts are stored in a clone"),
        ({"kind": "nonsense"}, "nonsense"),
        ({"summary": ""}, "summary"),
        ({"provenance": {"said_by": "user"}}, "There is no argument"),
        ({"author": "Ada"}, "There is no argument"),
    ],
)
def test_what_is_refused(writable: TeamPlace, arguments: dict[str, object], said: str) -> None:
    """Another repository, what is private, what is no memory, and what nobody may claim."""
    token = writable.token("Eve", "web", can_write=True)
    before = writable.sandbox("web").refs(writable.hub("web"))
    given = {"repository": "web", "kind": "notes", "summary": "x", **arguments}

    text, is_error = writable.call(token, "store_memory", **given)

    assert is_error
    assert said in text
    assert writable.sandbox("web").refs(writable.hub("web")) == before


def test_a_token_without_write_reads_only(writable: TeamPlace) -> None:
    """Whatever the server allows."""
    token = writable.token("Bob", "web")

    said, is_error = writable.call(
        token, "store_memory", repository="web", kind="notes", summary="x"
    )

    assert is_error
    assert "may read here, not write" in said


def test_a_remote_that_refuses(writable: TeamPlace) -> None:
    """The answer says so; nothing is found afterwards, and nothing is left in the mirror."""
    token = writable.token("Eve", "infra", can_write=True)
    hook = install_hook(writable.hub("infra"), "pre-receive", "echo permission denied >&2; exit 1")
    try:
        said, is_error = writable.call(
            token, "store_memory", repository="infra", kind="notes", summary="Swordfish rule"
        )
    finally:
        hook.unlink()

    assert is_error
    assert "Nothing was stored" in said
    assert not writable.search(token, "swordfish")
    assert b"Swordfish" not in writable.sandbox("infra").all_bytes(writable.mirror("infra"))

"""The commands `recollect serve …`, as an administrator types them."""

from __future__ import annotations

import json

import pytest
from click.testing import Result

from recollect.errors import DatabaseDown
from tests.cli.running import run
from tests.server.place import TeamPlace


def serve(place: TeamPlace, *words: str) -> Result:
    """Run a command of the server in its folder."""
    return run(place.root, "serve", *words)


def test_a_token_from_its_beginning_to_its_end(place: TeamPlace) -> None:
    """It is printed once, listed without its text, and revoked by its number."""
    added = serve(place, "token", "add", "Ada", "--repository", "web", "--expires", "4w", "--write")
    assert added.exit_code == 0, added.output
    token = added.stdout.strip()
    assert token.startswith("rct_")
    assert "Ada may read and write web, for 4w" in added.stderr
    assert "Nobody can write before" in added.stderr

    listed = serve(place, "token", "list")
    assert "active" in listed.stdout
    assert "Ada: web" in listed.stdout
    assert token not in listed.stdout
    (shown,) = json.loads(serve(place, "token", "list", "--json").stdout)
    assert (shown["person"], shown["repositories"], shown["state"]) == ("Ada", ["web"], "active")

    assert serve(place, "token", "revoke", str(shown["id"])).exit_code == 0
    assert "revoked" in serve(place, "token", "list").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("token", "add", "Ada"), "would open nothing"),
        (("token", "add", "Ada", "--repository", "nowhere"), "names no repository 'nowhere'"),
        (("token", "add", "Ada", "--repository", "web", "--expires", "soon"), "not a time"),
        (("token", "add", "Ada", "--repository", "web", "--proxy"), "names no proxy"),
        (("token", "revoke", "7"), "There is no token 7"),
        (("forget", "web"), "still names web"),
        (("forget", "../web"), "not the name of a repository"),
    ],
)
def test_mistakes_are_explained(place: TeamPlace, words: tuple[str, ...], said: str) -> None:
    """With what to do next."""
    result = serve(place, *words)

    assert result.exit_code != 0
    assert said in str(result.exception)


def test_all_repositories(place: TeamPlace) -> None:
    """Those that the file names now."""
    serve(place, "token", "add", "Ada", "--all")

    (shown,) = json.loads(serve(place, "token", "list", "--json").stdout)
    assert shown["repositories"] == ["billing", "infra", "web"]


def test_checking(place: TeamPlace) -> None:
    """It tries everything, says which remote fails, and changes nothing there."""
    assert "The database answers" in serve(place, "--check").stdout
    place.hub("infra").rename(place.root / "elsewhere.git")

    result = serve(place, "--check")

    assert "web: the remote answers." in result.stdout
    assert "infra: The remote" in result.stdout
    assert "1 remotes cannot be read: infra" in str(result.exception)


def test_a_file_that_is_missing(place: TeamPlace) -> None:
    """The error names it, and how to name another one."""
    result = serve(place, "--config", "other.toml", "--check")

    assert "other.toml" in str(result.exception)
    assert "--config" in str(result.exception)


def test_forgetting_a_repository(place: TeamPlace) -> None:
    """Its rows and its mirror are gone, and so is its name in tokens."""
    place.start()
    token = place.token("Ada", "billing", "web")
    assert {hit["repository"] for hit in place.search(token, "PostgreSQL")} == {"billing", "web"}
    place.close()
    text = place.config.read_text()
    start = text.index('[[repositories]]\nname = "web"')
    place.config.write_text(text[:start] + text[text.index("[[repositories]]", start + 1) :])

    assert serve(place, "forget", "web").exit_code == 0

    assert not place.mirror("web").exists()
    assert place.mirror("billing").exists()
    (shown,) = json.loads(serve(place, "token", "list", "--json").stdout)
    assert shown["repositories"] == ["billing"]
    place.start()
    assert {hit["repository"] for hit in place.search(token, "PostgreSQL")} == {"billing"}
    audit = serve(place, "audit", "--person", "Ada")
    assert "search “PostgreSQL”" in audit.stdout
    assert json.loads(serve(place, "audit", "--json", "-n", "1").stdout)[0]["hits"] == 1


def test_a_mirror_that_stays_is_said(place: TeamPlace) -> None:
    """Nobody believes that a repository is gone while a folder of it remains."""
    mirror = place.mirror("gone")
    mirror.parent.mkdir(parents=True)
    mirror.write_text("a file where a folder should be, which rmtree refuses")

    result = serve(place, "forget", "gone")

    assert result.exit_code != 0
    assert str(mirror) in str(result.exception)
    assert mirror.exists()


def test_a_database_that_does_not_answer(place: TeamPlace) -> None:
    """The server does not start, and says why."""
    place.database = "postgresql://nobody@127.0.0.1:1/none"
    place.write_config(top="workers = 2")

    result = serve(place)

    assert isinstance(result.exception, DatabaseDown)

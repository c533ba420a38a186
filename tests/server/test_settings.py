"""The file of a server: what it may say, and errors that tell what to change."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.errors import BadConfig
from recollect.server.settings import DATABASE, WEBHOOK_SECRET, Followed, read_settings

REPOSITORY = '[[repositories]]\nname = "web"\nurl = "https://git.example.com/web.git"\n'
GOOD = f'database = "postgresql://db/team"\ndata = "data"\n{REPOSITORY}'


def read(tmp_path: Path, text: str, **environment: str) -> object:
    """Read a file."""
    path = tmp_path / "team.toml"
    path.write_text(text)
    return read_settings(path, environment)


def test_a_short_file(tmp_path: Path) -> None:
    """Everything else has a default: this machine only, one worker, nobody writes."""
    path = tmp_path / "team.toml"
    path.write_text(GOOD)

    found = read_settings(path, {})

    assert found.repositories == (Followed("web", "https://git.example.com/web.git", 60.0),)
    assert (found.host, found.port, found.workers, found.write) == ("127.0.0.1", 8321, 1, False)
    assert found.data == tmp_path / "data"
    assert found.proxy is None


def test_the_environment_has_the_secrets(tmp_path: Path) -> None:
    """The URL of the database with its password, and the secret of the webhook."""
    path = tmp_path / "team.toml"
    path.write_text(GOOD)
    url = "postgresql://me:secret@db/team"

    found = read_settings(path, {DATABASE: url, WEBHOOK_SECRET: "x" * 32})

    assert (found.database, found.webhook_secret) == (url, "x" * 32)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "repositories is missing|database is missing"),
        ("a = ", "is not TOML"),
        (REPOSITORY, "database is missing"),
        (GOOD.replace("postgresql:", "mysql:"), "must start with postgresql"),
        (GOOD.replace("//db", "//me:pw@db"), "has a password in it"),
        (GOOD.replace('data = "data"\n', ""), "data is missing"),
        (GOOD.replace('data = "data"', "data = 7"), "data must be a text"),
        (f"listen = '0.0.0.0:80'\n{GOOD}", "other machines can reach"),
        (f"listen = 'here'\n{GOOD}", "must be like 127.0.0.1:8321"),
        (f"listen = '127.0.0.1:99999'\n{GOOD}", "must be like"),
        (f"listen = 'evil.example:80'\n{GOOD}", "must be like"),
        (f"workers = 0\n{GOOD}", "between 1 and"),
        (f"workers = true\n{GOOD}", "must be a whole number"),
        (f"write = 1\n{GOOD}", "must be true or false"),
        (f"wirte = true\n{GOOD}", "wirte is not a key"),
        (f"repositories = []\n{GOOD.replace(REPOSITORY, '')}", "must list"),
        (f"repositories = [7]\n{GOOD.replace(REPOSITORY, '')}", "must be a table"),
        (GOOD + REPOSITORY, "is there twice"),
        (GOOD + REPOSITORY.replace('"web"', '"WEB"'), "is there twice"),
        (GOOD + 'token = "x"\n', "token is not a key"),
        (GOOD + "interval = 0\n", "between 1 and"),
        (GOOD + "\n[proxy]\nheader = 'X-User'\naddresses = []\n", "must name the proxy"),
        (GOOD + "\n[proxy]\nheader = 'X-User'\naddresses = ['0.0.0.0/0']\n", "must name the proxy"),
        (GOOD + "\n[proxy]\nheader = 'X-User'\naddresses = ['proxy']\n", "is no address"),
        (GOOD + "\n[proxy]\nheader = 'Host'\naddresses = ['10.0.0.1']\n", "cannot be 'Host'"),
        (GOOD + "\n[proxy]\nheader = 'X:\\n'\naddresses = ['10.0.0.1']\n", "cannot be"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, said: str) -> None:
    """With the place, and what to do."""
    with pytest.raises(BadConfig, match=said) as caught:
        read(tmp_path, text)

    assert caught.value.hint


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "a\\b", "-x", ".git", "a b", "ä", "x" * 101, "a\n"]
)
def test_a_name_is_one_part_of_a_path(tmp_path: Path, name: str) -> None:
    """No name leads out of the data directory."""
    with pytest.raises(BadConfig, match="name cannot be"):
        read(tmp_path, GOOD.replace('"web"', repr(name) if "\n" not in name else '"a\\n"'))


@pytest.mark.parametrize(
    "url",
    [
        *("", "-x", "--upload-pack=touch /tmp/x", "ext::sh -c id", "web.git", "ftp://x/y"),
        *("https://a b", "file:x", "javascript://x", "git@host", "https://[x", "https://h/\\u0000"),
    ],
)
def test_no_address_runs_a_program(tmp_path: Path, url: str) -> None:
    """Neither as an option of git nor as a transport."""
    with pytest.raises(BadConfig, match="url"):
        read(tmp_path, GOOD.replace("https://git.example.com/web.git", url))


@pytest.mark.parametrize(
    "url", ["/srv/web.git", "git@host.example:team/web.git", "ssh://git@h/web.git", "file:///x.git"]
)
def test_addresses_that_git_can_fetch(tmp_path: Path, url: str) -> None:
    """Paths, SSH in both forms, and URLs."""
    read(tmp_path, GOOD.replace("https://git.example.com/web.git", url))


@pytest.mark.parametrize("user", ["me:hunter2", "hunter2"])
def test_a_password_in_an_address_is_refused(tmp_path: Path, user: str) -> None:
    """It belongs to git's credential helpers, and so does a token in the place of a name."""
    with pytest.raises(BadConfig, match="has a user name or a password in it") as caught:
        read(tmp_path, GOOD.replace("//git.", f"//{user}@git."))

    assert "hunter2" not in str(caught.value)


def test_a_short_secret_is_refused(tmp_path: Path) -> None:
    """Anybody could guess it."""
    with pytest.raises(BadConfig, match="fewer than 16"):
        read(tmp_path, GOOD, **{WEBHOOK_SECRET: "secret"})


@pytest.mark.parametrize(
    ("address", "fits"),
    [("10.0.0.1", True), ("10.0.1.9", False), ("::1", False), ("", False), ("10.0.0.1\n", False)],
)
def test_a_proxy_is_known_by_its_address(tmp_path: Path, address: str, fits: bool) -> None:
    """Only the connection counts."""
    path = tmp_path / "team.toml"
    path.write_text(GOOD + "\n[proxy]\nheader = 'X-User'\naddresses = ['10.0.0.0/24']\n")
    proxy = read_settings(path, {}).proxy

    assert proxy is not None
    assert proxy.is_trusted(address) is fits

"""`recollect search --everywhere`: the server beside the local results, or a sentence about it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.server.place import TeamPlace

QUERY = "PostgreSQL"


def search(directory: Path, *options: str, **environment: str) -> tuple[str, str]:
    """Run the command, which must succeed; what it prints on stdout and stderr."""
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "search", QUERY, "--everywhere", *options],
        cwd=directory,
        env={**os.environ, "RECOLLECT_EMBEDDING_MODEL": "none", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_hits_of_other_repositories_are_marked(team: TeamPlace) -> None:
    """Local ones come first; what the clone has itself is not repeated."""
    token = team.token("Ada", "billing", "web")
    server = {"RECOLLECT_SERVER_URL": team.address, "RECOLLECT_SERVER_TOKEN": token}

    out, err = search(team.clone("web"), **server)

    own, other = out.splitlines()
    assert own.endswith("Use PostgreSQL for the data of web")
    assert other.endswith("Use PostgreSQL for the data of billing [billing]")
    assert "In other repositories:" in err
    found = json.loads(search(team.clone("web"), "--json", **server)[0])
    assert [one.get("repository") for one in found] == [None, "billing"]
    assert found[0]["score"] > found[1]["score"]
    only = json.loads(search(team.clone("web"), "--json", "--kind", "learnings", **server)[0])
    assert only == []


def test_what_others_wrote_is_trusted_less(team: TeamPlace) -> None:
    """The same memories and the same question: the server's score is lower than one's own."""
    own = json.loads(search(team.clone("web"), "--json")[0])
    (theirs,) = team.search(team.token("Ada", "web"), QUERY)

    assert theirs["uid"] == own[0]["uid"]
    assert theirs["score"] < own[0]["score"] - 0.01


def test_a_token_in_a_file(team: TeamPlace, tmp_path: Path) -> None:
    """Only its owner may be able to read it."""
    folder = tmp_path / "config"
    folder.mkdir()
    path = folder / "server-token"
    path.write_text(team.token("Ada", "infra") + "\n")
    server = {"RECOLLECT_SERVER_URL": team.address, "RECOLLECT_CONFIG_DIR": str(folder)}

    path.chmod(0o644)
    out, err = search(team.clone("web"), **server)
    assert "[infra]" not in out
    assert f"chmod 600 {path}" in err

    path.chmod(0o600)
    assert "[infra]" in search(team.clone("web"), **server)[0]


class _Strange(BaseHTTPRequestHandler):
    """A server that is none of ours."""

    answer = b""
    status = 200
    headers_: tuple[tuple[str, str], ...] = ()
    seen: list[str]

    def do_POST(self) -> None:
        """Answer."""
        self.seen.append(self.path)
        self.send_response(self.status)
        for name, value in self.headers_:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(self.answer)

    def do_GET(self) -> None:
        """Say that a redirect was followed."""
        self.seen.append(f"followed {self.path}")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def strange() -> Iterator[tuple[str, type[_Strange]]]:
    """The address of such a server, and what it answers."""

    class Handler(_Strange):
        seen: list[str] = []  # noqa: RUF012 - each test has its own class

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", Handler
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.parametrize(
    "answer",
    [
        *(b"", b"hello", b"[]", b'{"memories": 7}', b'{"memories": [{}]}', b'{"memories": [7]}'),
        *(b'{"memories": [{"score": "x"}]}', b"[" * 100_000),
    ],
)
def test_a_server_of_something_else(
    team: TeamPlace, strange: tuple[str, type[_Strange]], answer: bytes
) -> None:
    """Local results, and a sentence."""
    address, handler = strange
    handler.answer = answer

    out, err = search(
        team.clone("web"), RECOLLECT_SERVER_URL=address, RECOLLECT_SERVER_TOKEN="rct_x"
    )

    assert "data of web" in out
    assert "Only local results." in err
    assert "Traceback" not in err


def test_no_redirect_takes_the_token_along(
    team: TeamPlace, strange: tuple[str, type[_Strange]]
) -> None:
    """Whoever answers for the server cannot send the token elsewhere."""
    address, handler = strange
    handler.status, handler.headers_ = 302, (("location", f"{address}/elsewhere"),)

    _, err = search(team.clone("web"), RECOLLECT_SERVER_URL=address, RECOLLECT_SERVER_TOKEN="rct_x")

    assert handler.seen == ["/search"]
    assert "Only local results." in err


def test_terminal_codes_of_a_server_do_nothing(
    team: TeamPlace, strange: tuple[str, type[_Strange]]
) -> None:
    """What a server says is text."""
    address, handler = strange
    hit = {
        "id": "notes:1234567:0",
        "summary": "\x1b[2Jgone\x07",
        "repository": "\x1b]0;x",
        "score": 1,
    }
    handler.answer = json.dumps({"memories": [hit]}).encode()

    out, _ = search(team.clone("web"), RECOLLECT_SERVER_URL=address, RECOLLECT_SERVER_TOKEN="rct_x")

    assert "gone" in out
    assert "\x1b" not in out
    assert "\x07" not in out


def test_a_server_that_is_down_or_silent(team: TeamPlace) -> None:
    """It costs the time that `server.timeout` gives, and no result."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        out, err = search(
            team.clone("web"),
            RECOLLECT_SERVER_URL=f"http://127.0.0.1:{port}",
            RECOLLECT_SERVER_TOKEN="rct_x",
            RECOLLECT_SERVER_TIMEOUT="0.2",
        )
    assert "data of web" in out
    assert "does not answer: timed out" in err

    out, err = search(
        team.clone("web"),
        RECOLLECT_SERVER_URL=f"http://127.0.0.1:{port}",
        RECOLLECT_SERVER_TOKEN="rct_x",
    )
    assert "data of web" in out
    assert "does not answer" in err


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, "No server is configured"),
        ({"RECOLLECT_SERVER_URL": "http://team.example.com"}, "in plain text"),
        ({"RECOLLECT_SERVER_URL": "file:///etc/passwd"}, "in plain text"),
        ({"RECOLLECT_SERVER_URL": "https://team.example.com"}, "You have no token"),
    ],
)
def test_what_is_missing_is_said(team: TeamPlace, environment: dict[str, str], said: str) -> None:
    """Before anything is sent."""
    out, err = search(team.clone("web"), **environment)

    assert "data of web" in out
    assert said in err


def test_a_wrong_token(team: TeamPlace) -> None:
    """The server's answer says what to do."""
    out, err = search(
        team.clone("web"),
        RECOLLECT_SERVER_URL=team.address,
        RECOLLECT_SERVER_TOKEN="rct_" + "A" * 43,
    )

    assert "data of web" in out
    assert "The server refused: The token is missing, wrong, expired or revoked." in err


def test_a_project_cannot_name_a_server(team: TeamPlace) -> None:
    """A cloned repository would get the token of whoever searches in it."""
    clone = team.sandbox("infra").clone("other")
    (clone / ".recollect.toml").write_text('[server]\nurl = "http://127.0.0.1:1"\n')

    _, err = search(clone, RECOLLECT_SERVER_TOKEN="rct_x")

    assert "No server is configured" in err

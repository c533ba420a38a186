"""Any bytes on the socket of the engine: it goes on serving."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from recollect import hook_client as asking
from recollect.engine.listener import _MOST_CALLS
from recollect.engine.server import Engine
from recollect.hook_client import PROTOCOL, addresses
from tests.fuzz.fuzzing import NASTY, mutate_bytes, run

WORDS = (
    *NASTY,
    *(b" 0 0\n", b" -1 ", b" 1048577 ", b" 99999999999 ", b"prompt ", b"stop ", b"ping ", b"go\n"),
    *(PROTOCOL.encode(), b"RECOLLECT_SYNC_TIMEOUT=x\0", b"HOME=/\0", b"=\0", b'"cwd": "/"'),
)


@pytest.fixture
def engine(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """An engine that listens, in this process."""
    monkeypatch.setenv("RECOLLECT_HOOK_DEADLINE", "30000")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(repo))
    engine = Engine(repo, dict(os.environ))
    engine.listen()
    assert engine.is_listening
    yield engine
    engine.stop()


def connected(repo: Path) -> socket.socket:
    """A connection to the engine of a repository."""
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(repo)}
    for _ in range(600):
        for path in addresses(environment):
            peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            peer.settimeout(60)
            try:
                peer.connect(path)
            except OSError:
                peer.close()
            else:
                return peer
        time.sleep(0.1)  # so many wait to be accepted that no more may
    raise AssertionError("nobody listens")


def frames(repo: Path) -> list[bytes]:
    """What hooks send."""
    settings = f"HOME={os.environ['HOME']}\0PATH={os.environ['PATH']}".encode()
    sent = [f"{PROTOCOL} ping - 0 0 0\n".encode()]
    for event, more in (
        ("prompt", {"prompt": "Why does the order import need a transaction?"}),
        ("tool-post", {"tool_name": "Read", "tool_input": {"file_path": "src/cart.py"}}),
        ("session-end", {"reason": "other"}),
    ):
        given = json.dumps({"session_id": "s", "cwd": str(repo), **more}).encode()
        head = f"{PROTOCOL} {event} - 1790000000000 {len(settings)} {len(given)}\n".encode()
        sent.append(head + settings + given)
    return sent


def is_whole(data: bytes) -> bool:
    """Whether as much follows the first line as it says."""
    head, _, rest = data.partition(b"\n")
    sizes = head.split()[-2:]
    return all(map(bytes.isdigit, sizes)) and len(rest) >= sum(map(int, sizes))


def serves(repo: Path) -> bool:
    """Whether the engine answers, now or when it has done what it was doing."""
    environment = {**os.environ, "CLAUDE_PROJECT_DIR": str(repo)}
    for _ in range(600):
        if asking.ping(environment, 60) is not None:
            return True
        time.sleep(0.1)  # all places were taken
    return False


def test_any_frame(engine: Engine, repo: Path) -> None:
    """Whole, broken, cut off: the next one who asks is served."""

    def check(data: bytes) -> None:
        with connected(repo) as peer, suppress(OSError):
            peer.sendall(data)
            if not is_whole(data):
                peer.shutdown(socket.SHUT_WR)
            while said := peer.recv(1 << 16):
                if said == b"ready\n":
                    peer.sendall(b"go\n")
        assert serves(repo)

    run(
        "frames",
        frames(repo),
        check,
        examples=200,
        mutate=lambda dice, data: mutate_bytes(dice, data, WORDS),
    )


def test_peers_that_say_nothing_do_not_stay(engine: Engine, repo: Path) -> None:
    """They take every place there is, for a moment; then others are served."""
    peers: list[socket.socket] = []
    try:
        for number in range(_MOST_CALLS + 4):
            peers.append(connected(repo))
            with suppress(OSError):
                peers[-1].sendall(frames(repo)[1][: number * 3])
        assert serves(repo)
    finally:
        for peer in peers:
            peer.close()


def test_a_peer_that_drips_does_not_stay(engine: Engine, repo: Path) -> None:
    """A byte now and then is no reason to wait longer."""
    with connected(repo) as peer:
        for _ in range(300):
            try:
                peer.sendall(b"r")
            except OSError:
                break  # the engine has hung up
            time.sleep(0.1)
        else:
            pytest.fail("the engine still listens to a peer that sends a byte now and then")
    assert serves(repo)

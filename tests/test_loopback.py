"""Hooks and the engine meet on a port of this machine, and only if both know the token."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from recollect.loopback import Loopback, connect

PATIENCE = 30.0


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Where the engine writes its port and its token."""
    return str(tmp_path / "engine.port")


class Engine:
    """An engine that greets whom it admits."""

    def __init__(self, path: str) -> None:
        self.end = Loopback(path)
        self.listening = self.end.listen()
        self.admitted: list[bool] = []
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            with connection:
                try:
                    self.admitted.append(self.end.admits(connection))
                except OSError:
                    self.admitted.append(False)
                if self.admitted[-1]:
                    connection.sendall(b"hello")

    def close(self) -> None:
        """Stop, as the engine does."""
        with suppress(OSError):  # it has been stopped already
            self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        self.thread.join(PATIENCE)


@pytest.fixture
def engine(path: str) -> Iterator[Engine]:
    """An engine that listens."""
    engine = Engine(path)
    yield engine
    engine.close()


def port_and_token(path: str) -> tuple[int, bytes]:
    """What is in the file."""
    port, token = Path(path).read_text().split()
    return int(port), bytes.fromhex(token)


def received_from(connection: socket.socket) -> bytes:
    """Everything until the other end closes."""
    connection.settimeout(PATIENCE)
    said = b""
    try:
        while part := connection.recv(1 << 16):
            said += part
    except ConnectionResetError:
        pass
    return said


def test_who_knows_the_token_gets_in(path: str, engine: Engine) -> None:
    """The file is only its user's, and each engine has a token of its own."""
    assert Path(path).stat().st_mode & 0o777 == 0o600
    for _ in range(3):
        hook = connect(path, PATIENCE)
        assert hook is not None
        with closing(hook):
            assert received_from(hook) == b"hello"
    _, token = port_and_token(path)
    assert engine.listening.getsockname()[0] == "127.0.0.1"

    Loopback(path).listen().close()

    assert port_and_token(path)[1] != token


def test_a_wrong_token_is_refused_before_anything_is_read(path: str, engine: Engine) -> None:
    """The engine says what it would say to anybody; then it hangs up."""
    port, _ = port_and_token(path)
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as stranger:
        stranger.sendall(bytes(64))  # a challenge, and a code that is wrong
        assert len(received_from(stranger)) == 64
    Path(path).write_text(f"{port} {bytes(32).hex()}\n")

    assert connect(path, PATIENCE) is None
    engine.close()
    assert engine.admitted == [False, False]


def test_an_echo_of_the_engines_own_code_is_refused(path: str, engine: Engine) -> None:
    """What the engine proves itself with is no proof for the other end."""
    port, _ = port_and_token(path)
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as stranger:
        stranger.sendall(bytes(32))
        said = b""
        while len(said) < 64:
            said += stranger.recv(64 - len(said))
        stranger.sendall(said[32:])
        assert received_from(stranger) == b""
    engine.close()
    assert engine.admitted == [False]


@pytest.mark.parametrize("answer", [b"", bytes(64), b"ready\n" * 20])
def test_whoever_got_the_port_of_an_engine_that_ended_learns_nothing(
    path: str, answer: bytes
) -> None:
    """A hook tells it neither the token nor what the user said: only random bytes."""
    stale = Loopback(path).listen()
    port = stale.getsockname()[1]
    stale.close()
    assert connect(path, PATIENCE) is None  # nobody is there

    heard: list[bytes] = []
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen()

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.settimeout(PATIENCE)
                heard.append(connection.recv(1 << 16))
                with suppress(OSError):  # the hook may have hung up already
                    connection.sendall(answer)
                    connection.shutdown(socket.SHUT_WR)
                    heard.append(received_from(connection))

        thread = threading.Thread(target=serve)
        thread.start()
        assert connect(path, PATIENCE) is None
        thread.join(PATIENCE)

    assert len(heard[0]) == 32
    assert heard[1:] in ([b""], [])


@pytest.mark.parametrize("mode", [0o644, 0o620, 0o602])
def test_a_file_that_others_can_use_is_not_used(path: str, engine: Engine, mode: int) -> None:
    """Somebody else may have read the token, or written it."""
    Path(path).chmod(mode)

    assert connect(path, PATIENCE) is None
    assert engine.admitted == []


@pytest.mark.skipif(
    not hasattr(os, "chown") or os.geteuid() != 0, reason="only root can give a file away"
)
def test_a_file_of_another_user_is_not_used(path: str, engine: Engine) -> None:
    """Whoever wrote it would get what the user says."""
    os.chown(path, 12345, -1)

    assert connect(path, PATIENCE) is None
    assert engine.admitted == []


def test_a_link_is_not_followed(path: str, engine: Engine) -> None:
    """Neither by a hook nor by an engine that takes the place."""
    link = Path(path).with_name("link.port")
    link.symlink_to(path)
    before = Path(path).read_bytes()

    assert connect(str(link), PATIENCE) is None
    Loopback(str(link)).listen().close()
    assert Path(path).read_bytes() == before
    assert not link.is_symlink()
    assert engine.admitted == []


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n",
        b"80",
        b"80 zz",
        b"80 00ff",
        b"-1 " + b"00" * 32,
        b"99999999999 " + b"00" * 32,
        b"\xff\xfe " + b"00" * 32,
        b"80 " + b"00" * 5000,
    ],
)
def test_a_damaged_file_is_no_engine(path: str, text: bytes) -> None:
    """It was cut by a full disk, or somebody wrote into it."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
        file.write(text)

    assert connect(path, PATIENCE) is None

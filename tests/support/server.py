"""`recollect mcp` as an agent starts it: a process with pipes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from recollect import hook_client as engine

PATIENCE = 60.0


class Server:
    """`recollect mcp`, running. Its tools are asked through the SDK, its engine through hooks."""

    def __init__(self, directory: Path, env: Mapping[str, str] | None = None) -> None:
        self.directory = directory
        self.environment = {**os.environ, **(env or {})}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "recollect", "mcp"],
            cwd=directory,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def owner(self) -> int | None:
        """The process that serves the hooks of this directory."""
        return owner_of(self.directory)

    def wait_until_it_listens(self) -> None:
        """Wait until hooks of this directory are served by this process."""
        wait_for(lambda: self.owner() == self.process.pid)

    def leave(self) -> None:
        """The agent goes away: the end of the input is the end of the server."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(PATIENCE)

    def end(self) -> str:
        """End it, whatever state it is in; what it complained about."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            assert self.process.stderr is not None
            with self.process.stderr as said:
                complaint = said.read().decode()
        return complaint


def owner_of(directory: Path) -> int | None:
    """The process that serves the hooks of a directory; None where none does."""
    said = ping(directory)
    return said[0] if said else None


def ping(directory: Path) -> tuple[int, int] | None:
    """Who serves the hooks of a directory, and how many events it has served."""
    return engine.ping({**os.environ, "CLAUDE_PROJECT_DIR": str(directory)}, PATIENCE)


def wait_for(what: object, seconds: float = PATIENCE) -> None:
    """Wait until something is true."""
    assert callable(what)
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)


@contextmanager
def serving(directory: Path) -> Iterator[Server]:
    """A server in a repository, whose engine hears hooks and which complains about nothing."""
    server = Server(directory)
    try:
        server.wait_until_it_listens()
        yield server
    finally:
        complaint = server.end()
    assert complaint == ""

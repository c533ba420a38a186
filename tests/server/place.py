"""A team: repositories with remotes, the file of a server, the server as a process, and clients."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

import anyio
import httpx2
import psycopg
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import recollect
from recollect.index.postgres.migrations import SCHEMA
from recollect.server.database import Database
from recollect.server.people import People
from tests.sandbox import Sandbox

T = TypeVar("T")
REPOSITORIES = ("billing", "web", "infra")
SECRET = "a-secret-of-the-webhook-0123456789"
_LONGEST = 120.0  # seconds that a busy machine may take for anything
# The proxy of these tests connects from here.
PROXY = "127.0.0.1"


class Answer(NamedTuple):
    """The answer to a request."""

    status: int
    headers: Mapping[str, str]
    text: str

    def json(self) -> Any:
        """What it says."""
        return json.loads(self.text)


class TeamPlace:
    """Three repositories, and one server in front of them."""

    def __init__(self, root: Path, database: str) -> None:
        self.root = root
        self.database = database
        self.config = root / "team.toml"
        self.address = ""
        self.process: subprocess.Popen[bytes] | None = None
        self._log = root / "log"
        self._hubs = {name: Sandbox(root / name) for name in REPOSITORIES}
        self.write_config()

    def write_config(self, top: str = "", end: str = "", interval: int = 1) -> None:
        """Write the file of the server."""
        repositories = "".join(
            f'[[repositories]]\nname = "{name}"\nurl = "{self.hub(name).as_uri()}"\n'
            f"interval = {interval}\n"
            for name in REPOSITORIES
        )
        if "requests_per_minute" not in top:  # tests that wait ask again and again
            top += "\nrequests_per_minute = 0"
        self.config.write_text(
            f'database = "{self.database}"\ndata = "data"\nlisten = "127.0.0.1:0"\n'
            f"{top}\n{repositories}{end}"
        )

    def hub(self, name: str) -> Path:
        """The remote of a repository."""
        return self._hubs[name].hub

    def sandbox(self, name: str) -> Sandbox:
        """The clones of a repository."""
        return self._hubs[name]

    def clone(self, name: str) -> Path:
        """The first clone of a repository."""
        return self._hubs[name].root / "clone"

    def mirror(self, name: str) -> Path:
        """The server's mirror of a repository."""
        return self.root / "data" / "mirrors" / f"{name}.git"

    def make_repositories(self) -> None:
        """Make the repositories, with two memories in each."""
        for name, sandbox in self._hubs.items():
            sandbox.make_hub()
            sandbox.commit(sandbox.clone("clone"), f"A commit that only {name} has")
            self.remember(name, "decisions", f"Use PostgreSQL for the data of {name}", "Of writes.")
            self.remember(name, "learnings", f"Retries of {name} must be idempotent", "Said twice.")

    def remember(self, name: str, kind: str, summary: str, body: str = "", **fields: Any) -> str:
        """Capture a memory in the clone of a repository and sync; its uid."""
        with recollect.open(self.clone(name)) as store:
            memory = store.capture(kind, summary, body, **fields)
            store.sync()
        return memory.uid

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows of the index, of all repositories."""
        with psycopg.connect(self.database, autocommit=True) as connection:
            connection.execute(f"SET search_path = {SCHEMA}".encode())
            return connection.execute(sql.encode()).fetchall()

    def token(self, person: str, *repositories: str, **options: Any) -> str:
        """A new token."""
        database = Database(self.database)
        try:
            database.migrate()
            return People(database).add(person, repositories, **options)[1]
        finally:
            database.close()

    def start(self, **environment: str) -> None:
        """Start the server, and wait until it has read every remote."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "recollect", "serve", "--config", str(self.config)],
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "RECOLLECT_EMBEDDING_MODEL": "none", **environment},
            )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().decode().strip()
        assert self.address, self.log()
        self.wait(lambda: self._status("/readyz") == 200)

    @contextmanager
    def running(self) -> Iterator[TeamPlace]:
        """Make the repositories, and run the server; it ends even if it does not start."""
        self.make_repositories()
        try:
            self.start()
            yield self
        finally:
            self.close()

    def _status(self, path: str) -> int:
        try:
            return self.ask("GET", path).status
        except OSError:
            return 0

    def wait(self, condition: Callable[[], T]) -> T:
        """Wait until something is true; what it was."""
        end = time.monotonic() + _LONGEST
        while not (found := condition()):
            assert time.monotonic() < end, self.log()
            assert self.process is None or self.process.poll() is None, self.log()
            time.sleep(0.05)
        return found

    def log(self) -> str:
        """What the server has logged."""
        return self._log.read_text("utf-8") if self._log.exists() else ""

    def workers(self) -> list[int]:
        """The processes that answer requests, if there are several."""
        assert self.process is not None
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                command = (folder / "cmdline").read_bytes()
            except OSError:
                continue  # it has ended
            if int(fields[1]) == self.process.pid and b"spawn_main" in command:
                found.append(int(folder.name))
        return sorted(found)

    def close(self) -> None:
        """Stop the server."""
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(_LONGEST)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            assert self.process.stdout is not None
            self.process.stdout.close()
            self.process = None

    def ask(
        self,
        method: str,
        path: str,
        *,
        token: str = "",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send one request, exactly as said."""
        connection = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=_LONGEST)
        own = {"authorization": f"Bearer {token}"} if token else {}
        try:
            connection.request(method, path, body, {**own, **(headers or {})})
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, text)

    def search(self, token: str, query: str, **more: Any) -> list[dict[str, Any]]:
        """What `/search` finds."""
        asked = json.dumps({"query": query, **more}).encode()
        answer = self.ask("POST", "/search", token=token, body=asked)
        assert answer.status == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["memories"]
        return found

    def converse(self, token: str, talk: Callable[[Client], Awaitable[T]]) -> T:
        """Talk to the server over MCP, with the official client."""

        async def session() -> T:
            headers = {"authorization": f"Bearer {token}"}
            async with httpx2.AsyncClient(headers=headers, timeout=_LONGEST) as http_client:
                transport = streamable_http_client(f"{self.address}/mcp", http_client=http_client)
                async with Client(transport) as client:
                    return await talk(client)

        return anyio.run(session)

    def call(self, token: str, tool: str, **arguments: Any) -> tuple[Any, bool]:
        """Call a tool over MCP; its result, and whether it is an error."""

        async def talk(client: Client) -> tuple[Any, bool]:
            result = await client.call_tool(tool, arguments)
            text = result.content[0].text  # type: ignore[union-attr]
            return (text if result.is_error else json.loads(text)), bool(result.is_error)

        return self.converse(token, talk)

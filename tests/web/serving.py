"""The pages of a repository, as `recollect ui` serves them, and a client without a browser."""

from __future__ import annotations

import http.client
import os
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from recollect.web.access import Access
from recollect.web.guard import Guard
from recollect.web.serving import IDLE_SECONDS, PageServer, listen

_CSRF = re.compile(r'name="csrf" value="([^"]+)"')


class Answer(NamedTuple):
    """The answer to a request."""

    status: int
    headers: Mapping[str, str]
    text: str


class Served:
    """A running server, and requests to it that say exactly what a test wants."""

    def __init__(self, guard: Guard, access: Access, server: PageServer) -> None:
        self.guard = guard
        self.access = access
        self.server = server
        self.cookie = ""

    def raw(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Answer:
        """Send a request with these headers and no others, except for a host and a length."""
        host, _, port = self.guard.host.partition(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            given = {"Host": self.guard.host, **(headers or {})}
            if body is not None:
                given = {"Content-Length": str(len(body)), **given}
            for name, value in given.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            response = connection.getresponse()
            text = response.read().decode()
            return Answer(
                response.status, {name.lower(): v for name, v in response.getheaders()}, text
            )
        finally:
            connection.close()

    def sign_in(self) -> Answer:
        """Exchange the token for the cookie."""
        address = urlsplit(self.guard.address)
        answer = self.raw("GET", f"{address.path}?{address.query}")
        self.cookie = answer.headers.get("set-cookie", "").partition(";")[0]
        return answer

    def get(self, path: str, **headers: str) -> Answer:
        """Get a page as the browser that signed in."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.raw("GET", self.guard.base + path, {"Cookie": self.cookie, **named})

    def post(self, path: str, fields: Mapping[str, str], **headers: str) -> Answer:
        """Send a form of our own page, as the browser that signed in."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.raw(
            "POST",
            self.guard.base + path,
            {
                "Cookie": self.cookie,
                "Origin": f"http://{self.guard.host}",
                "Content-Type": "application/x-www-form-urlencoded",
                **named,
            },
            urlencode({"csrf": self.guard.csrf, **fields}).encode(),
        )

    def follow(self, answer: Answer) -> Answer:
        """Get the page that an action leads to."""
        assert answer.status == 303, answer.text
        return self.raw("GET", answer.headers["location"], {"Cookie": self.cookie})


@contextmanager
def served(
    repo: Path, *, read_only: bool = False, idle: float = IDLE_SECONDS, signed_in: bool = True
) -> Iterator[Served]:
    """Serve the pages of a repository; by default to a client that has the cookie."""
    guard = Guard()
    access = Access(repo, os.environ, read_only=read_only)
    listening = listen(guard)
    server = PageServer(access, guard, idle)
    thread = threading.Thread(target=server.serve_on, args=(listening,), daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    found = Served(guard, access, server)
    try:
        if signed_in:
            found.sign_in()
        yield found
    finally:
        server.should_exit = True
        thread.join(60)
        listening.close()

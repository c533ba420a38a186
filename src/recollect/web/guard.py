"""Who may talk to the pages: one browser, the one that was opened with the token.

Every request passes here before anything else reads it. What is checked, and against whom:

- The path starts with a random part. Cookies don't distinguish ports, so a browser sends ours to
  every server on this address; because of its path, it only sends it below this one.
- `Host` is our address. A page of another site whose name is rebound to this machine has another.
- `Origin` and `Sec-Fetch-Site`, if the browser sends them, are ours: no other page may ask.
- The cookie. The token in the first address gives it, once. Another user of this machine has none.
- For an action: the request names our origin, and carries a token that only our pages contain.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_BYTES = 24
_SAFE = ("GET", "HEAD")
_OPEN = "/open"
# A request that the page sends by itself: it does not count as use.
LIVE: Final = "x-recollect-live"
CSRF_HEADER: Final = "x-recollect-token"
MOST_BODY: Final = 1 << 20
# No script, style or image from anywhere else, none in the page itself, and no frame around it.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": _POLICY,
    "cache-control": "no-store",
    # Without any referrer, a browser would say "null" as the origin of our own forms.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
# The browser came from outside, so it would not send the strict cookie with a redirect. It does
# with a page of ours that leads on.
_WELCOME = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Recollect</title>
<meta http-equiv="refresh" content="0;url={home}"><a href="{home}">Open Recollect</a></html>"""
_AGAIN = "Start `recollect ui` again, and open the address that it prints."


class Guard:
    """The secrets of one run of the server, and the checks that use them."""

    def __init__(self) -> None:
        self.base = "/" + secrets.token_urlsafe(_BYTES)
        self.csrf = secrets.token_urlsafe(_BYTES)
        self._token: str | None = secrets.token_urlsafe(_BYTES)
        self._cookie = secrets.token_urlsafe(_BYTES)
        self._lock = threading.Lock()
        # Where the server listens, such as `127.0.0.1:4711`; set once it does.
        self.host = ""
        self.last_use = time.monotonic()

    @property
    def address(self) -> str:
        """The address that opens the pages; its token works once."""
        return f"http://{self.host}{self.base}{_OPEN}?token={self._token}"

    def wrap(self, app: ASGIApp) -> ASGIApp:
        """Return the application behind the checks."""

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                return  # there are no web sockets here
            answer = self._answer(scope)
            checked = with_headers(send)
            if answer is not None:
                await answer(scope, receive, checked)
                return
            if LIVE not in Headers(scope=scope):
                self.last_use = time.monotonic()
            await app({**scope, "path": scope["path"][len(self.base) :]}, receive, checked)

        return guarded

    def _answer(self, scope: Scope) -> Response | None:
        """Return the answer to a request that goes no further; None for one that does."""
        headers = Headers(scope=scope)
        if headers.getlist("host") != [self.host]:
            return _refusal("This address is not the one that Recollect listens at.", 421)
        path = str(scope["path"])
        if not path.startswith(self.base + "/"):
            return _refusal(f"There is nothing here. {_AGAIN}", 404)
        origin = f"http://{self.host}"
        if headers.get("origin", origin) != origin:
            return _refusal("Another page asked for this. It gets nothing.")
        if path == self.base + _OPEN and scope["method"] == "GET":
            return self._open(scope)
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return _refusal("Another page asked for this. It gets nothing.")
        if not self._has_cookie(headers):
            return _refusal(f"This browser may not see these pages. {_AGAIN}")
        if scope["method"] not in _SAFE:
            return self._check_action(headers)
        return None

    def _open(self, scope: Scope) -> Response:
        """Exchange the token for the cookie; the token is used up by that."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        with self._lock:
            token = self._token
            fits = token is not None and secrets.compare_digest(given.encode(), token.encode())
            if fits:
                self._token = None
        home = f"{self.base}/"
        if not fits:
            if self._has_cookie(Headers(scope=scope)):
                return HTMLResponse(_WELCOME.format(home=home))
            return _refusal(f"This address was used already, or its token is wrong. {_AGAIN}")
        self.last_use = time.monotonic()
        response = HTMLResponse(_WELCOME.format(home=home))
        response.set_cookie(
            self._cookie_name, self._cookie, path=self.base, httponly=True, samesite="strict"
        )
        return response

    def _check_action(self, headers: Headers) -> Response | None:
        if "origin" not in headers:
            return _refusal("An action must say which page it comes from.")
        length = headers.get("content-length", "")
        if not length.isdigit() or int(length) > MOST_BODY:
            return _refusal("That is too long.", 413)
        return None

    def allows(self, form: Mapping[str, object], headers: Headers) -> bool:
        """Whether an action carries the token of our pages, in its form or as a header."""
        given = str(form.get("csrf") or headers.get(CSRF_HEADER, ""))
        return secrets.compare_digest(given.encode(), self.csrf.encode())

    @property
    def _cookie_name(self) -> str:
        return "recollect-" + self.host.rpartition(":")[2]

    def _has_cookie(self, headers: Headers) -> bool:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        found = cookies.get(self._cookie_name)
        return found is not None and secrets.compare_digest(
            found.value.encode(), self._cookie.encode()
        )


def _refusal(why: str, status: int = 403) -> Response:
    return PlainTextResponse(why + "\n", status)


def with_headers(send: Send) -> Send:
    """Return what sends an answer, with the headers that protect a page."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending

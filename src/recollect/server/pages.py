"""The pages of a server at `/ui`: read-only, for a browser that has signed in.

They look as those of `recollect ui` do, and show what the tools of agents show, by the same
questions. Before a page, in this order: `Host` is an address of ours, no page of another site asks,
and somebody is known by a token, the proxy or the cookie.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from anyio import to_thread
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from recollect.core.age import age_of
from recollect.core.kinds import KINDS
from recollect.errors import NotAllowed, RecollectError, ValidationError
from recollect.redact.gate import redact_message
from recollect.server.identity import Unauthenticated, identify, is_foreign_page
from recollect.server.logs import log
from recollect.server.people import SIGNED_IN, Person
from recollect.server.statuses import MORE, status_of
from recollect.server.team import Team
from recollect.web.assets import asset
from recollect.web.differences import changes
from recollect.web.environment import address, ages, make_environment
from recollect.web.guard import with_headers

BASE: Final = "/ui"
_COOKIE = "recollect-team"
_PAGES = (("/", "Search", "s"), ("/repositories", "Repositories", "r"))
_ROWS = 20
_MOST_FORM = 10_000
_MOST_OFFSET = 200
_PARTS = ("match", "recency", "importance", "trust", "strength")
# What a person does next; the hints of these errors are for agents and for a clone.
_HINTS: Final = {
    403: "The page Repositories lists those that you may see.",
    404: "Search for it: it may be retired, or have another name now.",
}
# The browser came from another site, so it did not send the strict cookie. It does with a page of
# ours that leads on.
_ONWARDS = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Recollect</title>
<meta http-equiv="refresh" content="0;url={to}"><a href="{to}">Open Recollect</a></html>"""


class TeamPages:
    """Renders the pages of one worker."""

    def __init__(self, team: Team) -> None:
        self._team = team
        self._asking = team.services.asking
        self._environment = make_environment("recollect.server", "recollect.web")
        self._environment.globals.update(
            to=self.to,
            asset=lambda name: self.to(f"/static/{name}", v=self._environment.globals["version"]),
            age_of=age_of,
        )

    def to(self, path: str, /, **query: Any) -> str:
        """Return the address of a page."""
        return address(BASE, path, query)

    def application(self) -> ASGIApp:
        """Return the pages behind their checks."""
        routes = [
            Route("/", self._search),
            Route("/repositories", self._repositories),
            Route("/memory/{uid}", self._memory),
            Route("/sign-in", self._sign_in, methods=["POST"]),
            Route("/sign-out", self._sign_out, methods=["POST"]),
            Route("/static/{name}", asset),
        ]
        handlers = {
            RecollectError: self._failed,
            HTTPException: self._refused,
            Exception: self._broken,
        }
        app = Starlette(routes=routes, exception_handlers=handlers)

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            checked = with_headers(send)
            answer = await self._answer(Request(scope, receive))
            await (answer or app)(scope, receive, checked)

        return guarded

    async def _answer(self, request: Request) -> Response | None:
        """Return the answer to a request that goes no further; None for one that does."""
        if not _is_ours(request.headers, self._team.settings.address):
            said = 'If this address is right, whoever runs the server adds: address = "https://…"'
            return self._problem(request, 421, "This is not an address of this server.", said)
        is_read = request.method in ("GET", "HEAD")
        if is_read and _is_link(request.headers):
            query = f"?{request.url.query}" if request.url.query else ""
            return HTMLResponse(_ONWARDS.format(to=escape(request.url.path + query)))
        names_us = request.headers.getlist("origin") != [] or is_read
        if is_foreign_page(request.scope) or not names_us:
            return self._problem(request, 403, "Another page asked for this.", "It gets nothing.")
        path = _path(request)
        if path.startswith("/static/") or path == "/sign-in":
            return None
        try:
            request.state.person = await to_thread.run_sync(self._identify, request)
        except Unauthenticated as error:
            return self._door(request, "" if not _secret(request) else error.message)
        except RecollectError as error:
            return await self._failed(request, error)
        return None

    def _identify(self, request: Request) -> Person:
        people, proxy = self._team.people, self._team.settings.proxy
        return identify(request.scope, people, proxy, lambda: people.by_browser(_secret(request)))

    async def _search(self, request: Request) -> Response:
        person: Person = request.state.person
        asked = request.query_params
        given = {name: asked.get(name, "").strip()[:200] for name in ("repository", "kind")}
        query = asked.get("q", "").strip()[:2000]
        start = asked.get("offset", "")
        offset = min(int(start[:4]), _MOST_OFFSET) if start.isascii() and start.isdigit() else 0
        wanted: dict[str, Any] = {name: value for name, value in given.items() if value}
        wanted |= {"offset": offset, "limit": _ROWS}
        rows: list[tuple[Any, Any]] = []
        has_more, weaker, now = False, 0, 0.0
        if query:
            weak = asked.get("all") == "1"
            found = await to_thread.run_sync(
                self._asking.find, person, {**wanted, "query": query, "all": weak}
            )
            shown = found.hits[offset : offset + _ROWS]
            rows = [(hit, {name: getattr(hit.why, name) for name in _PARTS}) for hit in shown]
            has_more, weaker, now = len(found.hits) > offset + _ROWS, found.weaker, found.now
        elif given["repository"]:
            latest = await to_thread.run_sync(self._asking.latest, person, wanted)
            rows = [(one, None) for one in latest.memories]
            has_more, now = latest.total > offset + _ROWS, latest.now
        return self._page(
            request,
            "team_search.html",
            title="Search",
            now=now,
            query=query,
            given=given,
            names=sorted(person.repositories & set(self._team.settings.names)),
            kinds=[kind.name for kind in KINDS],
            rows=rows,
            weaker=weaker,
            next_offset=offset + _ROWS if has_more and offset < _MOST_OFFSET else 0,
        )

    async def _repositories(self, request: Request) -> Response:
        listed = await to_thread.run_sync(self._asking.ages, request.state.person)
        return self._page(request, "team_repositories.html", title="Repositories", listed=listed)

    async def _memory(self, request: Request) -> Response:
        found = await to_thread.run_sync(
            self._asking.detail, request.state.person, request.path_params["uid"]
        )
        return self._page(
            request,
            "team_memory.html",
            title=found.memory.summary,
            now=found.now,
            found=found,
            history=changes(found.versions),
        )

    async def _sign_in(self, request: Request) -> Response:
        form = await _form(request)
        client = request.client.host if request.client is not None else ""
        try:
            person, secret = await to_thread.run_sync(
                self._team.people.sign_in, form.get("token", "").strip(), client
            )
        except NotAllowed as error:
            return self._door(request, error.message, form.get("back", ""))
        request.state.person = person
        await to_thread.run_sync(
            self._team.audit.note, person.name, "sign_in", "", person.repositories, 0
        )
        answer = RedirectResponse(_back(form.get("back", "")), 303)
        answer.set_cookie(
            _COOKIE,
            secret,
            max_age=int(SIGNED_IN.total_seconds()),
            path=BASE,
            secure=self._is_https(request),
            httponly=True,
            samesite="strict",
        )
        return answer

    async def _sign_out(self, request: Request) -> Response:
        secret, form = _secret(request), await _form(request)
        if not hmac.compare_digest(form.get("csrf", "").encode(), _csrf(secret).encode()):
            raise HTTPException(403, "This does not come from a page of this server.")
        await to_thread.run_sync(self._team.people.sign_out, secret)
        answer = RedirectResponse(self.to("/"), 303)
        answer.delete_cookie(_COOKIE, path=BASE)
        return answer

    def _is_https(self, request: Request) -> bool:
        """Whether people come through a proxy with TLS: only its address has that scheme."""
        known = urlsplit(self._team.settings.address)
        return known.scheme == "https" and request.headers.get("host", "").lower() == known.netloc

    def _door(self, request: Request, message: str, back: str = "") -> Response:
        """The page to sign in with, in place of the page that somebody asked for."""
        if not back and request.method == "GET":
            back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return self._page(
            request,
            "team_sign_in.html",
            title="Sign in",
            status=401,
            message=message,
            back=back,
            hours=int(SIGNED_IN.total_seconds()) // 3600,
        )

    def _page(
        self, request: Request, template: str, *, now: float = 0.0, status: int = 200, **values: Any
    ) -> Response:
        person: Person | None = getattr(request.state, "person", None)
        secret = _secret(request)
        html = self._environment.get_template(template).render(
            here=_path(request),
            pages=_PAGES if person is not None else (),
            place=person.name if person is not None else "",
            csrf=_csrf(secret),
            can_leave=person is not None and bool(secret),
            notice=None,
            **ages(now),
            **values,
        )
        return HTMLResponse(html, status, headers=MORE.get(status))

    def _problem(self, request: Request, status: int, message: str, hint: str) -> Response:
        return self._page(
            request,
            "team_problem.html",
            title="Problem",
            status=status,
            message=redact_message(message),
            hint=redact_message(hint),
        )

    async def _failed(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, RecollectError)
        status = status_of(error)
        return self._problem(request, status, error.message, _HINTS.get(status, error.hint))

    async def _refused(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        said = "There is no such page." if error.status_code == 404 else str(error.detail)
        return self._problem(request, error.status_code, said, "Go to the start.")

    async def _broken(self, request: Request, error: Exception) -> Response:
        log("page", error=type(error).__name__)
        said = f"The server failed ({type(error).__name__})."
        return self._problem(request, 500, said, "Try again, or ask whoever runs it.")


def _path(request: Request) -> str:
    return str(request.scope["path"]).removeprefix(BASE)


def _is_ours(headers: Headers, known: str) -> bool:
    """Whether a request names us: the configured address, or one that no name can be rebound to."""
    given = headers.getlist("host")
    if len(given) != 1:
        return False
    if known and given[0].lower() == urlsplit(known).netloc:
        return True
    try:
        name = urlsplit(f"//{given[0]}").hostname or ""
        return name == "localhost" or bool(ipaddress.ip_address(name))
    except ValueError:
        return False


def _is_link(headers: Headers) -> bool:
    """Whether somebody followed a link on a page of another site."""
    is_other = headers.get("sec-fetch-site", "none") in ("cross-site", "same-site")
    return is_other and headers.get("sec-fetch-dest") == "document" and "origin" not in headers


def _secret(request: Request) -> str:
    try:
        found = SimpleCookie(request.headers.get("cookie", "")).get(_COOKIE)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _csrf(secret: str) -> str:
    """What only the pages of a browser contain; its cookie can't be told from it."""
    return hashlib.sha256(b"form " + secret.encode()).hexdigest()


def _back(path: str) -> str:
    """Lead back to a page of ours, never to another site."""
    is_ours = path.startswith(f"{BASE}/") and path.isascii() and path.isprintable()
    return path if is_ours and "\\" not in path else f"{BASE}/"


async def _form(request: Request) -> dict[str, str]:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MOST_FORM:
            raise ValidationError("The form is too long.", "Send only the token.")
    try:
        given = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=10)
    except ValueError:
        raise ValidationError("That is not a form.", "Use the page to sign in.") from None
    return {name: values[0] for name, values in given.items()}

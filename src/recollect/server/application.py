"""The routes of a server, and what stands before them: who asks, how much, how long it took."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.errors import NotAllowed, RecollectError, ValidationError
from recollect.mcp.arguments import Parameters
from recollect.redact.gate import redact_message
from recollect.server import metrics
from recollect.server.identity import identify, is_foreign_page
from recollect.server.logs import log
from recollect.server.mcp_endpoint import MOST_BODY, make_endpoint
from recollect.server.pages import BASE, TeamPages
from recollect.server.people import Person
from recollect.server.statuses import MORE, status_of
from recollect.server.team import Team
from recollect.server.tools import TOOLS

_HOOK_BODY = 1 << 20
_SIGNATURE = "x-hub-signature-256"
_HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
# What `GET /search` takes besides the query, and how the tool of the same name calls it.
_SEARCH = TOOLS["search_memories"].parameters
_COUNTS = ("limit", "offset")
Answer = Callable[[Request], Awaitable[Response]]


def make_application(team: Team) -> Starlette:
    """Return the application of one worker."""
    endpoint = make_endpoint(team.services)

    async def search(request: Request) -> Response:
        given = await _asked(request)
        person: Person = request.state.person
        found = await to_thread.run_sync(team.services.asking.search, person, given)
        return JSONResponse(found)

    async def ready(_request: Request) -> Response:
        ages = await to_thread.run_sync(team.check)
        waiting = sum(age.read is None and not age.problem for age in ages)
        said = {
            "database": "ok",
            "mirrors": len(ages),
            "never_read": waiting,
            "failing": sum(bool(age.problem) for age in ages),
            "oldest_seconds": round(max((age.read or 0.0 for age in ages), default=0.0)),
        }
        return JSONResponse(said, 503 if waiting else 200)

    async def numbers(request: Request) -> Response:
        visible: frozenset[str] = frozenset()
        if "authorization" in request.headers:
            person = await to_thread.run_sync(
                identify, request.scope, team.people, team.settings.proxy
            )
            visible = person.repositories
        ages = await to_thread.run_sync(team.mirrors.ages)
        text = metrics.exposition(ages, visible)
        return Response(text, media_type=metrics.CONTENT_TYPE)

    async def hook(request: Request) -> Response:
        secret = team.settings.webhook_secret.encode()
        body = await _body(request, _HOOK_BODY)
        expected = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
        given = request.headers.getlist(_SIGNATURE)
        fits = len(given) == 1 and hmac.compare_digest(given[0].encode(), expected.encode())
        if not secret or not fits:
            raise NotAllowed(
                "The signature is missing or wrong.",
                "Set the same secret in the webhook and in RECOLLECT_SERVER_WEBHOOK_SECRET.",
            )
        name = request.path_params["repository"]
        if name not in team.settings.names:
            return JSONResponse({"message": "The server does not follow this repository."}, 404)
        await to_thread.run_sync(team.mirrors.ask, name)
        return JSONResponse({"done": "asked for a fetch"}, 202)

    async def healthy(_request: Request) -> Response:
        return PlainTextResponse("ok\n")

    async def to_pages(_request: Request) -> Response:
        return RedirectResponse(f"{BASE}/", 303)

    async def known(_request: Request, error: Exception) -> Response:
        assert isinstance(error, RecollectError)
        return _refusal(error)

    async def unknown(request: Request, error: Exception) -> Response:
        log("request", path=_route(request.url.path), error=type(error).__name__)
        return JSONResponse({"message": f"The server failed ({type(error).__name__})."}, 500)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with endpoint.run():
            team.start()
            try:
                yield
            finally:
                await to_thread.run_sync(team.stop)

    mcp = Route("/mcp", _Raw(endpoint.handle_request), methods=["POST"])
    return Starlette(
        routes=[
            Route("/healthz", healthy),
            Route("/readyz", ready),
            Route("/metrics", numbers),
            Route("/search", search, methods=["GET", "POST"]),
            Route("/hooks/fetch/{repository}", hook, methods=["POST"]),
            mcp,
            Route(BASE, to_pages),
            Mount(BASE, TeamPages(team).application()),
        ],
        exception_handlers={RecollectError: known, Exception: unknown},
        lifespan=lifespan,
    )


class _Raw:
    """An ASGI application as an endpoint; a plain function would be called with a request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def guarded(app: ASGIApp, team: Team) -> ASGIApp:
    """Return the application behind what every request passes first."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)  # the start and the end of the server
            return
        route, started, status = _route(str(scope["path"])), time.monotonic(), 500
        person = ""

        async def reply(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(raw=list(message["headers"]))
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                message = {**message, "headers": headers.raw}
            await send(message)

        try:
            try:
                # The pages answer it themselves: people follow links to them.
                if route != BASE and is_foreign_page(scope):
                    raise NotAllowed("A page of another site sent this.", "Ask from no page.")
                if route in _PERSONAL:
                    found = await to_thread.run_sync(
                        identify, scope, team.people, team.settings.proxy
                    )
                    person = found.name
                    scope.setdefault("state", {})["person"] = found
            except RecollectError as error:
                await _refusal(error)(scope, receive, reply)
                return
            await app(scope, receive, reply)
        finally:
            seconds = time.monotonic() - started
            known = scope.get("state", {}).get("person")
            person = known.name if isinstance(known, Person) else person
            metrics.REQUESTS.labels(route, str(status)).inc()
            metrics.SECONDS.labels(route).observe(seconds)
            if route not in _QUIET:
                log("request", route=route, status=status, ms=round(seconds * 1000), person=person)

    return serve


_PERSONAL = ("/mcp", "/search")
_QUIET = ("/healthz", "/readyz", "/metrics")
_ROUTES = (*_PERSONAL, *_QUIET, "/hooks", BASE)


def _route(path: str) -> str:
    """The route of a path, for logs and numbers: what others type is not repeated there."""
    first = "/" + path.split("/", 2)[1] if path.startswith("/") else path
    return first if first in _ROUTES else "other"


def _refusal(error: RecollectError) -> Response:
    status = status_of(error)
    said = {"error": type(error).__name__, "message": error.message, "hint": error.hint}
    return JSONResponse(redact_message(said), status, headers=MORE.get(status))


async def _body(request: Request, most: int) -> bytes:
    """Read the body of a request, as far as it is allowed to go."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise ValidationError(f"The body has more than {most} bytes.", "Send less.")
        parts.append(part)
    return b"".join(parts)


async def _asked(request: Request) -> Mapping[str, Any]:
    """The arguments of a search, from the address or, so that no proxy logs them, the body."""
    if request.method == "POST":
        try:
            given = json.loads(await _body(request, MOST_BODY))
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            raise ValidationError("The body is not a JSON object.", 'Send {"query": "…"}.')
        return _checked(_SEARCH, given)
    values: dict[str, Any] = dict(request.query_params)
    values["query"] = values.pop("q", values.get("query", ""))
    for name in _COUNTS:
        if name in values:
            text = values[name]
            values[name] = int(text) if text.isascii() and text.isdigit() else text
    if "tags" in values:
        values["tags"] = values["tags"].split(",")
    if "all" in values:
        values["all"] = values["all"] in ("1", "true")
    return _checked(_SEARCH, values)


def _checked(parameters: Parameters, given: Mapping[str, Any]) -> Mapping[str, Any]:
    checked = parameters.check(given)
    if not checked["query"].strip():
        raise ValidationError("The query is empty.", "Send it as: /search?q=…")
    return checked

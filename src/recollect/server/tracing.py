"""OpenTelemetry, only where the environment asks for it and the package is installed."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec

from starlette.types import ASGIApp, Receive, Scope, Send

_ASKED = "recollect.query"


def traced(app: ASGIApp) -> ASGIApp:
    """Return the application with spans for its requests, if the environment asks for them.

    `OTEL_*` variables say where they go. Without the packages, a variable has no effect.
    """
    wanted = any(name.startswith("OTEL_") for name in os.environ)
    if not wanted or os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return app
    if find_spec("opentelemetry.instrumentation") is None:
        return app
    from recollect.server.logs import log

    try:
        from opentelemetry.instrumentation.asgi import OpenTelemetryMiddleware
        from opentelemetry.instrumentation.auto_instrumentation import initialize
    except ImportError as error:
        log("tracing", error=f"{error.name} is not installed")
        return app
    initialize()  # reads OTEL_*, and sets up the exporter
    return _without_query(OpenTelemetryMiddleware, app)


def _without_query(wrap: Callable[[ASGIApp], ASGIApp], app: ASGIApp) -> ASGIApp:
    """Return the wrapped application; what people ask for is in no span, as it is in no log."""

    async def inside(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "query_string": scope.pop(_ASKED, b"")}, receive, send)

    wrapped = wrap(inside)

    async def outside(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)  # the start and the end of the server
            return
        hidden = {**scope, "query_string": b"", _ASKED: scope["query_string"]}
        await wrapped(hidden, receive, send)

    return outside

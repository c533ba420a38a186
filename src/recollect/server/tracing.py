"""OpenTelemetry, only where the environment asks for it and the package is installed."""

from __future__ import annotations

import os
from importlib.util import find_spec

from starlette.types import ASGIApp


def traced(app: ASGIApp) -> ASGIApp:
    """Return the application with spans for its requests, if the environment asks for them.

    `OTEL_*` variables say where they go. Install `opentelemetry-instrumentation-asgi` and an
    exporter; without them, a variable has no effect.
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
    wrapped: ASGIApp = OpenTelemetryMiddleware(app)
    return wrapped

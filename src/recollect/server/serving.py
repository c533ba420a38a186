"""Starts the workers of a server, and ends them."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import click
import uvicorn
from starlette.types import ASGIApp

from recollect.errors import ServerError
from recollect.server.application import guarded, make_application
from recollect.server.checking import create_tables
from recollect.server.logs import log, take_over_logging
from recollect.server.metrics import share_between_workers
from recollect.server.settings import Settings, read_settings
from recollect.server.team import Team
from recollect.server.tracing import traced

# How a worker learns which file to read.
_CONFIG = "RECOLLECT_SERVER_CONFIG"
_LAST_SECONDS = 10  # for requests that are still running at the end
_MOST_AT_ONCE = 1000
_BACKLOG = 512


def create() -> ASGIApp:
    """Return the application of a worker; the supervisor calls it in each."""
    take_over_logging()
    settings = read_settings(Path(os.environ[_CONFIG]), os.environ)
    team = Team(settings, dict(os.environ))
    return traced(guarded(make_application(team), team))


def serve(settings: Settings) -> None:
    """Serve until a signal."""
    create_tables(settings)
    listening = _listen(settings)
    os.environ[_CONFIG] = str(settings.path.absolute())
    if settings.workers > 1:
        share_between_workers(settings.data)
    take_over_logging()
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"http://{shown}:{port}")
    log("start", workers=settings.workers, repositories=len(settings.repositories))
    uvicorn.run(
        "recollect.server.serving:create",
        factory=True,
        # With several, a process above them starts another one for each that ends.
        workers=settings.workers,
        fd=listening.fileno(),
        log_config=None,
        access_log=False,
        lifespan="on",
        ws="none",
        # Who is connected is who is connected, whatever a header says.
        proxy_headers=False,
        server_header=False,
        date_header=False,
        limit_concurrency=_MOST_AT_ONCE,
        timeout_graceful_shutdown=_LAST_SECONDS,
    )


def _listen(settings: Settings) -> socket.socket:
    """Open the socket before any worker starts, so that an error belongs on the terminal."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise ServerError(
            f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}.",
            "Choose another port in `listen`, or stop what uses this one.",
        ) from None
    listening.set_inheritable(True)
    return listening

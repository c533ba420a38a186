"""Start and end the server of the pages: on this machine only, until Ctrl-C or an idle hour."""

from __future__ import annotations

import os
import socket
import threading
import time
import webbrowser
from contextlib import suppress
from html import escape
from pathlib import Path

import click
import uvicorn

import recollect
from recollect.config.locate import make_private
from recollect.errors import StorageError
from recollect.web.access import Access
from recollect.web.application import make_application
from recollect.web.guard import Guard

LOOPBACK = "127.0.0.1"
IDLE_SECONDS = 3600.0
_LAST_SECONDS = 2  # for requests that are still running at the end
_DOOR = "ui-{}.html"
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


class PageServer(uvicorn.Server):
    """A server that also ends when nobody has used it for a while."""

    def __init__(self, access: Access, guard: Guard, idle: float = IDLE_SECONDS) -> None:
        self._guard = guard
        self._access = access
        self._idle = idle
        application = make_application(access, guard, is_ending=lambda: self.should_exit)
        super().__init__(
            uvicorn.Config(
                guard.wrap(application),
                log_level="critical",
                access_log=False,
                lifespan="off",
                ws="none",
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=_LAST_SECONDS,
            )
        )

    async def on_tick(self, counter: int) -> bool:
        """Say whether to end: at a signal, or after an idle hour."""
        if time.monotonic() - self._guard.last_use > self._idle:
            self.should_exit = True
        return await super().on_tick(counter)

    def serve_on(self, listening: socket.socket) -> None:
        """Serve until the end."""
        try:
            self.run(sockets=[listening])
        finally:
            self._access.close()


def listen(guard: Guard, port: int = 0) -> socket.socket:
    """Open the socket: on the loopback address, where no other machine can reach it."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen()  # a browser that is faster than the server waits
    except OSError as error:
        listening.close()
        raise StorageError(
            f"Cannot listen on port {port}: {error.strerror}.",
            "Choose another port, or leave out --port.",
        ) from None
    guard.host = f"{LOOPBACK}:{listening.getsockname()[1]}"
    return listening


def main(directory: str | None, *, mine: bool, port: int, opens: bool, read_only: bool) -> None:
    """Serve the pages of the memory around a directory."""
    with recollect.open(directory, mine=mine) as store:  # an error belongs on the terminal
        store.refresh()
        folder = store.ledger.repository.state_dir
    guard = Guard()
    access = Access(_place(directory), os.environ, mine=mine, read_only=read_only)
    listening = listen(guard, port)
    server = PageServer(access, guard)
    access.warm_up()
    click.echo(guard.address)
    door = open_browser(folder, guard.address) if opens else None
    try:
        server.serve_on(listening)
    except KeyboardInterrupt:
        pass  # that is how it ends
    finally:
        if door is not None:
            door.unlink(missing_ok=True)


def _place(directory: str | None) -> Path:
    return Path(directory or Path.cwd()).expanduser().absolute()


def open_browser(folder: Path, address: str) -> Path | None:
    """Open the browser by way of a private file.

    Every user of the machine can read the arguments of a program, and the token must not be there.
    """
    door = folder / _DOOR.format(os.getpid())
    try:
        make_private(folder)
        door.unlink(missing_ok=True)  # of a process that was killed
        file = os.open(door, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW, 0o600)
        with os.fdopen(file, "w", encoding="utf-8") as page:
            page.write(_leading_to(address))
    except OSError:
        return None  # the address is printed
    # A browser in the terminal would take it over, and some block until they end.
    threading.Thread(target=_open, args=(door.as_uri(),), daemon=True).start()
    return door


def _open(address: str) -> None:
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(address)


def _leading_to(address: str) -> str:
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Recollect</title>'
        f'<meta http-equiv="refresh" content="0;url={escape(address)}">'
        f'<a href="{escape(address)}">Open Recollect</a></html>\n'
    )

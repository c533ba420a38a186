"""The peers, and an environment of its own for each, installed once and kept.

The folder is `recollect-peers` in the user's cache directory, or what RECOLLECT_PEERS names.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

GRANITE = "granite-embedding-30m"
MINILM = "all-MiniLM-L6-v2"
OWN = ""


class Peer(NamedTuple):
    """A memory for agents that installs from the registry."""

    # Also the name of its adapter.
    name: str
    package: str
    version: str
    # What it is measured with: its own default, or one of our models, given by a server.
    models: tuple[str, ...] = (GRANITE, OWN)
    extras: str = ""
    # Packages besides, for a reason that its adapter gives.
    also: tuple[str, ...] = ()
    python: tuple[int, int] = (3, 11)
    # Whether the sqlite3 of its Python must load extensions.
    extensions: bool = False

    @property
    def requirement(self) -> str:
        """What to install."""
        return f"{self.package}{self.extras}=={self.version}"


PEERS = (
    Peer("mempalace", "mempalace", "3.11.0", (GRANITE, MINILM, OWN)),
    Peer("memsearch", "memsearch", "0.4.23", extras="[onnx]"),
    Peer(
        "mcp_memory_service",
        "mcp-memory-service",
        "12.2.0",
        (GRANITE, MINILM, OWN),
        extensions=True,
    ),
    Peer("mem0", "mem0ai", "2.2.1"),
    Peer("basic_memory", "basic-memory", "0.23.2", also=("pysqlite3-binary",), python=(3, 12)),
)


class NotInstalled(Exception):
    """A peer can't be installed here."""


def cache_folder() -> Path:
    """Where environments and the caches of the peers are kept."""
    named = os.environ.get("RECOLLECT_PEERS")
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(named) if named else Path(caches) / "recollect-peers"


def python_of(peer: Peer) -> Path:
    """The interpreter that has the peer; installs it at the first use."""
    folder = cache_folder() / f"{peer.package}-{peer.version}"
    python = folder / "bin" / "python"
    ready = folder / ".installed"
    if ready.exists():
        return python
    base = _suitable(peer)
    shutil.rmtree(folder, ignore_errors=True)
    wanted = (peer.requirement, *peer.also)
    if uv := shutil.which("uv"):
        _run(uv, "venv", "--quiet", "--python", str(base), str(folder))
        _run(uv, "pip", "install", "--quiet", "--python", str(python), *wanted)
    else:
        _run(str(base), "-m", "venv", str(folder))
        _run(str(python), "-m", "pip", "install", "--quiet", *wanted)
    ready.touch()
    return python


def _suitable(peer: Peer) -> Path:
    for python in _interpreters():
        code = (
            f"import sqlite3, sys; sys.exit(sys.version_info[:2] < {peer.python} or"
            f" {peer.extensions} and not hasattr(sqlite3.Connection, 'enable_load_extension'))"
        )
        if subprocess.run([python, "-c", code], capture_output=True, check=False).returncode == 0:
            return python
    version = ".".join(map(str, peer.python))
    raise NotInstalled(
        f"needs Python {version} or newer"
        + (" whose sqlite3 loads extensions" if peer.extensions else "")
    )


def _interpreters() -> Iterator[Path]:
    yield Path(sys.executable)
    for version in ("3.11", "3.12", "3.13"):
        for folder in (*os.environ.get("PATH", "").split(os.pathsep), "/usr/bin"):
            if (found := Path(folder) / f"python{version}").exists():
                yield found
        yield from sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["unknown"]
        raise NotInstalled(f"does not install: {lines[-1]}")

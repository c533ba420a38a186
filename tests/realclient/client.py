"""The real clients, pinned, from npm, in a cache folder outside the repository.

The npm package is a small wrapper; the program is a native executable in a package of its own for
each platform. We take it from there and run no install script, because many machines block those.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from recollect.hosts.claude_code import HOST

T = TypeVar("T")

VERSION = HOST.TESTED
PACKAGE = f"@anthropic-ai/claude-code@{VERSION}"
NPM_OPTIONS = ("--ignore-scripts", "--include=optional", "--no-audit", "--no-fund")
INSTALL_TIMEOUT = 600.0

# Read once, before any test changes the environment.
CACHE = Path(os.environ.get("RECOLLECT_TEST_CACHE") or Path.home() / ".cache" / "recollect-tests")
REQUIRED = bool(os.environ.get("CI") or os.environ.get("RECOLLECT_REQUIRE_CLIENT"))


class ClientMissing(Exception):
    """The client is not here and cannot be fetched; the text says why."""


def or_skip(install: Callable[[], T]) -> T:
    """Return what a function installs. Without npm the test is skipped, or fails if required."""
    import pytest  # benchmarks use this module without it

    try:
        return install()
    except ClientMissing as missing:
        if REQUIRED:
            pytest.fail(str(missing))
        pytest.skip(str(missing))


class Client(NamedTuple):
    """A client: what npm calls it, and where its executables are then."""

    name: str
    version: str
    package: str
    executables: str


CLAUDE_CODE = Client(
    "claude-code", VERSION, PACKAGE, "node_modules/@anthropic-ai/claude-code-*/claude"
)


def installed_client(cache: Path = CACHE, client: Client = CLAUDE_CODE) -> Path:
    """The client's executable; installed first where it is missing.

    Two processes may ask at once: one installs, the other waits and finds the folder complete.
    """
    folder = cache / f"{client.name}-{client.version}"
    installed_package(folder, client.package, lambda room: _executable(room, client))
    return _executable(folder, client)


def installed_package(folder: Path, package: str, finish: Callable[[Path], object]) -> Path:
    """The folder of an npm package; installed and finished first where it is missing."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _locked(folder.parent / f"{folder.name}.lock"):
            if not folder.is_dir():
                _install(folder, package, finish)
    return folder


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _install(folder: Path, package: str, finish: Callable[[Path], object]) -> None:
    """Fill a folder beside the right one, finish it, and rename it when it is complete."""
    npm = shutil.which("npm")
    if npm is None:
        raise ClientMissing(f"npm is not on PATH, so {package} cannot be installed.")
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}.", dir=folder.parent) as scratch:
        room = Path(scratch, "client")
        room.mkdir()
        try:
            done = subprocess.run(
                [npm, "install", "--prefix", str(room), *NPM_OPTIONS, package],
                cwd=room,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=INSTALL_TIMEOUT,
            )
        except subprocess.TimeoutExpired as slow:
            reason = f"npm took over {INSTALL_TIMEOUT:.0f} s for {package}."
            raise ClientMissing(reason) from slow
        if done.returncode:
            said = done.stderr.strip()[-1000:]
            raise ClientMissing(f"npm could not install {package}: {said}")
        finish(room)
        room.rename(folder)


@cache
def _executable(folder: Path, client: Client) -> Path:
    """The executable of the platform's own package that runs here and has the right version.

    A client takes seconds to say its version on a busy machine, so each process asks once.
    """
    found = sorted(folder.glob(client.executables))
    for path in found:
        try:
            said = subprocess.run(
                [path, "--version"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=60,
                env={"HOME": str(folder), "PATH": os.defpath},
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if client.version in (word.strip(".") for word in said.stdout.split()):
            return path
    raise ClientMissing(f"no client in {folder} runs on this machine (tried {len(found)}).")

"""Which processes belong to a folder: they were started there, or their environment names it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def processes_of(folder: Path) -> dict[int, str]:
    """The processes that live in a folder, except our own: their ids and command lines."""
    found = _from_proc(folder) if sys.platform == "linux" else _from_ps(folder)
    found.pop(os.getpid(), None)
    return found


def left_behind(folder: Path, grace: float) -> dict[int, str]:
    """The processes that are still there after a time of grace. They are ended."""
    end = time.monotonic() + grace
    while found := processes_of(folder):
        if time.monotonic() > end:
            for process in found:
                _kill(process)
            break
        time.sleep(0.02)
    return found


def _kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def _from_proc(folder: Path) -> dict[int, str]:
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environment = (entry / "environ").read_bytes()
            command = (entry / "cmdline").read_bytes()
            place = (entry / "cwd").readlink()
        except OSError:  # It has ended, or it is another user's.
            continue
        if os.fsencode(folder) in environment + command or place.is_relative_to(folder):
            found[int(entry.name)] = command.replace(b"\0", b" ").decode("utf-8", "replace")
    return found


def _from_ps(folder: Path) -> dict[int, str]:
    listing = subprocess.run(
        ["ps", "-axwwE", "-o", "pid=,command="], capture_output=True, text=True, check=True
    )
    found = {}
    for line in listing.stdout.splitlines():
        process, _, command = line.strip().partition(" ")
        if str(folder) in command:
            found[int(process)] = command
    return found

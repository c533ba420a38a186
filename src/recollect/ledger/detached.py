"""Starts a process of ours that nobody waits for, and that can ask nobody anything."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path


def start(
    module: str, arguments: Sequence[str], directory: Path, environment: Mapping[str, str]
) -> bool:
    """Run a module of ours without terminal and output; return whether it started."""
    try:
        process = subprocess.Popen(
            # -P: the directory is somebody's repository, whose modules must not be ours.
            [sys.executable, "-P", "-m", module, *arguments],
            cwd=directory,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    # An engine lives on: without this, what has ended would stay as a zombie.
    threading.Thread(target=process.wait, name="recollect-detached", daemon=True).start()
    return True

"""Errors in hooks, which nobody saw: a small file that `recollect doctor` reads.

It holds the type of an error, our own message and the code locations, no user text.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

from recollect.config.locate import make_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FAILURES_FILE = "hook-failures.jsonl"
_MOST_BYTES = 64 * 1024
_FRAMES = 6


def describe(error: BaseException) -> dict[str, Any]:
    """Describe an error without any user text."""
    frames: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(f"{Path(code.co_filename).name}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    # Only our own errors have messages without foreign text.
    message = getattr(error, "message", "")
    if message:  # they may quote what was rejected
        from recollect.redact.gate import redact_message

        message = redact_message(str(message))
    return {"error": type(error).__name__, "message": message, "at": frames[-_FRAMES:]}


def note_failure(folder: Path, event: str, details: Mapping[str, Any]) -> None:
    """Record a failure; if even that fails, do nothing."""
    append_line(folder, FAILURES_FILE, json.dumps({"time": time.time(), "event": event, **details}))


def append_line(folder: Path, name: str, line: str) -> None:
    """Add a line to a small file that only this user can read; if that fails, do nothing."""
    path = folder / name
    try:
        make_private(folder)
        if path.exists() and path.stat().st_size > _MOST_BYTES:
            path.replace(path.with_suffix(".old"))
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(line + "\n")
    except OSError:
        return


def recent_failures(folder: Path, since: float) -> list[dict[str, Any]]:
    """Return the failures since a moment, oldest first."""
    try:
        lines = (folder / FAILURES_FILE).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            failure = json.loads(line)
        except ValueError:
            continue
        if isinstance(failure, dict) and float(failure.get("time", 0)) >= since:
            found.append(failure)
    return found

"""Structured logs: one JSON object for each line, on standard error.

They say what happened, to whom and how long it took. They never contain a query, the text of a
memory, a token or an address with a password: every value passes redaction.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
from datetime import UTC, datetime
from typing import Any

from recollect.redact.gate import redact_message

_lock = threading.Lock()


def log(event: str, *, person: str = "", **fields: Any) -> None:
    """Write one line; `person` is the name of an account, which may be an address."""
    said: dict[str, Any] = {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "event": event,
    }
    said |= {name: redact_message(v) if isinstance(v, str) else v for name, v in fields.items()}
    said |= {"person": person} if person else {}
    line = json.dumps(said, ensure_ascii=True, default=str) + "\n"
    with _lock:
        try:
            sys.stderr.write(line)
            sys.stderr.flush()
        except (OSError, ValueError):  # nobody reads it
            return


class LogHandler(logging.Handler):
    """Sends the messages of libraries to the same log, without their arguments."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the message. Its arguments may contain addresses and bodies: they stay out."""
        kind = record.exc_info[0] if record.exc_info else None
        more = {"error": kind.__name__} if kind is not None else {}
        log("library", logger=record.name, level=record.levelname, message=str(record.msg), **more)


def take_over_logging() -> None:
    """Have libraries log through us, from warnings on."""
    root = logging.getLogger()
    root.handlers[:] = [LogHandler()]
    root.setLevel(logging.WARNING)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "mcp"):
        found = logging.getLogger(name)
        found.handlers.clear()
        found.propagate = True

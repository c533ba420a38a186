"""Events that were ended before they were done: a small file that `recollect why` reads.

An event that runs out of time cannot wait for a database, so it adds a line to a file. The lines
hold names, times and what stages noted by then, no text of people or memories.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from recollect.state.failures import append_line
from recollect.state.sessions import Trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

UNFINISHED_FILE = "unfinished.jsonl"
# The step that says it.
RAN_OUT = "ran out of time"
ENDED = "was ended"


def note_unfinished(folder: Path, trace: Trace) -> None:
    """Record an event that was ended; if even that fails, do nothing."""
    append_line(folder, UNFINISHED_FILE, json.dumps(trace._asdict()))


def unfinished_events(folder: Path, session: str | None = None) -> list[Trace]:
    """Return the events that were ended, oldest first, each once."""
    found: list[Trace] = []
    for name in (UNFINISHED_FILE.replace(".jsonl", ".old"), UNFINISHED_FILE):
        try:
            lines = (folder / name).read_text("utf-8", "replace").splitlines()
        except OSError:
            continue
        for line in lines:
            trace = _read(line)
            if trace is None or (session and trace.session != session):
                continue
            if not any(_is_same(trace, other) for other in found[-3:]):
                found.append(trace)
    return found


def _is_same(one: Trace, other: Trace) -> bool:
    """Whether a process that was ended and its parent both noted an event."""
    return (one.session, one.event, one.at) == (other.session, other.event, other.at)


def _read(line: str) -> Trace | None:
    try:
        given = json.loads(line)
        steps: Sequence[Mapping[str, Any]] = [
            {"what": str(step["what"]), **step} for step in given["steps"]
        ]
        return Trace(
            float(given["at"]),
            str(given["session"]),
            str(given["event"]),
            float(given["milliseconds"]),
            steps,
        )
    except (ValueError, TypeError, KeyError):
        return None

"""Whether the remote of a new clone has notes: a small file, written by the process that looked."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FILE = "remote-notes.json"
_AGAIN = 86_400.0  # seconds until a clone that found no notes looks again


def known(folder: Path) -> dict[str, Any]:
    """Return what is known: `kinds` of notes there, when it was `tried`, and if it was `told`."""
    try:
        said = json.loads((folder / _FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def save(folder: Path, said: Mapping[str, Any]) -> None:
    """Replace what is known; if that fails, the next session looks again."""
    from recollect.config.locate import make_private
    from recollect.config.replacing import replace_file
    from recollect.errors import RecollectError

    with suppress(RecollectError, OSError):
        make_private(folder)
        replace_file(folder / _FILE, json.dumps(said).encode())


def is_settled(folder: Path, now: float) -> bool:
    """Return whether the remote need not be asked: it was, lately, or this clone has notes."""
    said = known(folder)
    return "kinds" in said or now - said.get("tried", 0.0) < _AGAIN


def settle(folder: Path) -> None:
    """Note that this clone needs no offer: it has notes, or has synced."""
    save(folder, {"kinds": 0})


def offer(folder: Path, wait: float = 0.0) -> str:
    """Say once that the remote has memories which this clone never got; else return nothing.

    This asks no remote. `wait` is how many seconds to wait for the process that does.
    """
    end = time.monotonic() + wait
    while "kinds" not in (said := known(folder)) and time.monotonic() < end:
        time.sleep(0.05)
    if not said.get("kinds") or said.get("told"):
        return ""
    save(folder, {**said, "told": True})
    return "the remote has memories that this clone does not. To get them, run: recollect sync"

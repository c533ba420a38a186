"""What is marked to be remembered is put aside before anything else is done.

Before an engine is asked, before git is: whatever hangs, freezes or is killed then, it is on the
disk, without its secrets. Whoever keeps it takes it away; what stays here was left by somebody who
never came to that, and is brought to the ledger with one of the next events.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from recollect.state.engine_socket import common_dir
from recollect.state.spool import STASH_FOLDER, Spool


def put_aside(name: str, moment: int, given: bytes, environment: Mapping[str, str]) -> None:
    """Put what an event asks to keep where it survives this process.

    Where that cannot be, it is kept, or told of, as if this did not exist.
    """
    with suppress(Exception):
        _put(name, moment, given, environment)


def _put(name: str, moment: int, given: bytes, environment: Mapping[str, str]) -> None:
    from recollect.config.config import load_config
    from recollect.hooks.input import existing
    from recollect.hooks.marking import draft_of, identity, marked_in
    from recollect.hosts.registry import host_of
    from recollect.redact.gate import clean, make_redactor

    payload = json.loads(given)
    host = host_of(payload, environment)
    event = host.read_event(name, payload, environment)._replace(moment=moment)
    marked = [] if event.ignored else marked_in(event)
    directory = event.directory or environment.get(host.PROJECT_VARIABLE, "")
    directory = existing(directory, environment)
    folder = _folder(directory)
    if not marked or folder is None:
        return
    redactor = make_redactor(load_config(Path(directory), environment))
    aside = Spool(folder)
    created = datetime.fromtimestamp(moment / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for number, item in enumerate(marked):
        draft = draft_of(event, item, clean(redactor, item.content, []))
        draft = clean(redactor, draft, [])
        aside.put(identity(event, draft, number), {**draft, "created": created})


def _folder(directory: str) -> Path | None:
    """Where to put it, found without git; None outside of any repository."""
    if not directory or not Path(directory).is_dir():
        return None
    git_dir = Path(common_dir(directory))
    is_one = (git_dir / "HEAD").is_file() and (git_dir / "objects").is_dir()
    return git_dir / "recollect" / STASH_FOLDER if is_one else None

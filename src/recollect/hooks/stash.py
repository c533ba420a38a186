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
from typing import TYPE_CHECKING

from recollect.config.locate import git_state
from recollect.state.spool import STASH_FOLDER, Spool

if TYPE_CHECKING:
    from recollect.hooks.supervisor import Relay
    from recollect.hosts.protocol import Host

_AT_ONCE = 100  # drafts that are put aside together
NOT_ASIDE = (
    "Recollect: it took too long, and not all of this was kept. Look with: recollect list, and"
    " mark less text at once, or use: recollect capture"
)


def stash(
    name: str,
    moment: int,
    given: bytes,
    environment: Mapping[str, str],
    relay: Relay | None = None,
) -> None:
    """Put what an event asks to keep where it survives this process.

    Where that cannot be, it is kept, or told of, as if this did not exist. Through the `relay` you
    are told if this process ends while it is at it.
    """
    with suppress(Exception):
        _put(name, moment, given, environment, relay)


def _put(
    name: str,
    moment: int,
    given: bytes,
    environment: Mapping[str, str],
    relay: Relay | None,
) -> None:
    from recollect.config.config import load_config
    from recollect.core.fields import is_too_long
    from recollect.hooks.input import IN_DOUBT, existing
    from recollect.hooks.marking import draft_of, identity, marked_in
    from recollect.hosts.registry import host_of
    from recollect.redact.gate import Gate, clean_event, make_redactor
    from recollect.state.local_key import DRAFT, sign

    payload = json.loads(given)
    host = host_of(payload, environment)
    event = host.read_event(name, payload, environment)._replace(moment=moment)
    marked = [] if event.ignored else marked_in(event)
    directory = event.directory or environment.get(host.PROJECT_VARIABLE, "")
    directory = existing(directory, environment)
    folder = _folder(directory)
    if not marked or folder is None:
        return
    _tell(relay, host, name, NOT_ASIDE)
    config = load_config(Path(directory), environment)
    gate, event = Gate(make_redactor(config)), clean_event(event, config)
    aside = Spool(folder)
    created = datetime.fromtimestamp(moment / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    drafts = {}
    for number, item in enumerate(marked):
        if is_too_long(item.content):
            continue  # whoever asked is told at once
        draft = gate(draft_of(event, item, gate(item.content)))
        nonce, whole = identity(event, draft, number), {**draft, "created": created}
        drafts[nonce] = sign(config.home, DRAFT, nonce, whole)
        if len(drafts) == _AT_ONCE:
            aside.put_all(drafts)
            drafts = {}
    aside.put_all(drafts)
    _tell(relay, host, name, IN_DOUBT)


def _tell(relay: Relay | None, host: Host, name: str, alarm: str) -> None:
    """What to say if this process ends before it says anything else."""
    if relay is not None:
        from recollect.hosts.protocol import Reply

        reply = Reply()
        reply.alarm.append(alarm)
        relay.ready(host.write_reply(name, reply).encode("ascii"))


def _folder(directory: str) -> Path | None:
    """Where to put it; None outside of any repository."""
    state = git_state(directory)
    return None if state is None else state / STASH_FOLDER

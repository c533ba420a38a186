"""Saves marked text to disk before the hook does anything slow.

The stash is written before the hook asks an engine or runs git. If anything hangs or is killed
after that, the text is on disk, without secrets. The process that captures the text removes it from
the stash. What remains there comes from a process that did not get that far; one of the next events
captures it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from recollect.config.locate import git_state
from recollect.hooks.received import Received, receive
from recollect.state.spool import STASH_FOLDER, Spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.hooks.supervisor import Relay
    from recollect.hosts.protocol import Host

_BATCH = 100  # drafts written together
NOT_STASHED = (
    "Recollect: this took too long, and some of the marked text was not saved. Check with:"
    " recollect list. Then mark less text at once, or use: recollect capture"
)


def stash(
    name: str,
    moment: int,
    given: bytes,
    environment: Mapping[str, str],
    relay: Relay | None = None,
    *,
    host: str = "",
) -> Received | None:
    """Save what an event asks to remember; return the event, or None if it cannot be read.

    A stash that fails is no error: the rest of the hook captures the text, or reports that it
    cannot. If this process ends while it writes, the `relay` tells the user.
    """
    received: Received | None = None
    with suppress(Exception):
        received = receive(name, given, environment, host)
        received = _save(received, moment, environment, relay)
    return received


def _save(
    received: Received, moment: int, environment: Mapping[str, str], relay: Relay | None
) -> Received:
    from recollect.config.config import load_config
    from recollect.core.fields import is_too_long
    from recollect.hook_client import IN_DOUBT, existing
    from recollect.hooks.marking import all_marked_in, draft_of, files_named, identity
    from recollect.redact.gate import Gate, clean_event, make_redactor
    from recollect.state.local_key import DRAFT, sign

    host, event = received.host, received.event._replace(moment=moment)
    if event.ignored:
        return received
    received = received._replace(marked=all_marked_in(event))
    marked = [item for item in received.marked or () if item.is_own]
    directory = event.directory or environment.get(host.PROJECT_VARIABLE, "")
    directory = existing(directory, environment)
    folder = _folder(directory)
    if not any(item.content for item in marked) or folder is None:
        return received
    _announce(relay, host, event.name, NOT_STASHED)
    config = load_config(Path(directory), environment)
    gate, event = Gate(make_redactor(config)), clean_event(event, config)
    spool = Spool(folder)
    created = datetime.fromtimestamp(moment / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    drafts = {}
    redacted: dict[str, str] = {}
    files = files_named(event)
    for number, item in enumerate(marked):
        if is_too_long(item.content) or not item.content:
            continue  # the user is told right away
        redacted[item.content] = gate(item.content)
        draft = gate(draft_of(event, item, redacted[item.content]))
        nonce, whole = identity(event, draft, number), {**draft, "created": created}
        if files:
            whole["files_read"] = gate(files)
        drafts[nonce] = sign(config.home, DRAFT, nonce, whole)
        if len(drafts) == _BATCH:
            spool.put_all(drafts)
            drafts = {}
    spool.put_all(drafts)
    _announce(relay, host, event.name, IN_DOUBT)
    if not event.directory:
        return received  # the runner reads the configuration of another directory
    return received._replace(config=config, redacted=redacted)


def _announce(relay: Relay | None, host: Host, name: str, alarm: str) -> None:
    """Set what the user reads if this process ends before it answers."""
    if relay is not None:
        from recollect.hosts.protocol import Reply

        reply = Reply()
        reply.alarm.append(alarm)
        relay.ready(host.write_reply(name, reply).encode("ascii"))


def _folder(directory: str) -> Path | None:
    """The folder of the stash; None outside a repository."""
    state = git_state(directory)
    return None if state is None else state / STASH_FOLDER

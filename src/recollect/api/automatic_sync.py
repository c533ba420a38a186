"""Sync without being asked: in a process of its own, which nobody waits for and which asks nothing.

A hook or a command starts it and goes on. It has no terminal, so that neither git nor ssh can ask
for a password; what needs one fails, and `recollect doctor` says so. It ends by itself. Where sync
is off, a hook asks only that, so imports are inside the functions that need them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress

from recollect.config.config import data_dir
from recollect.errors import RecollectError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from recollect.store.store import Store

# What the process does: look whether the remote has notes, get them, or exchange them.
LOOK: Final = "look"
FETCH: Final = "fetch"
SYNC: Final = "sync"
_OFF, _BOTH = "off", "on"
# With these, git asks for nothing. `true` is the program, which answers nothing.
_QUIET: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
}
_LONGEST = 20.0  # seconds for each call of git


def at_start(store: Store, environment: Mapping[str, str]) -> str:
    """Start what a session starts with; return what that is, or empty."""
    if store.ledger.repository.is_user_ledger:
        return ""
    if store.config.text("sync.auto") != _OFF:
        return _start(store, FETCH, environment)
    if store.config.flag("sync.offer") and _is_new_clone(store):
        return _start(store, LOOK, environment)
    return ""


def at_end(store: Store, environment: Mapping[str, str]) -> str:
    """Start what a session ends with; return what that is, or empty."""
    is_wanted = store.config.text("sync.auto") == _BOTH
    if store.ledger.repository.is_user_ledger or not is_wanted:
        return ""
    return _start(store, SYNC, environment)


def _is_new_clone(store: Store) -> bool:
    """Whether a clone has a remote, no shared notes, and has not asked for them lately."""
    from recollect.state import remote_notes

    folder, git = store.ledger.repository.state_dir, store.ledger.repository.git
    if remote_notes.is_settled(folder, time.time()):
        return False
    from recollect.ledger.refs import PREFIXES, REMOTES, list_tips
    from recollect.ledger.remote import find_remote

    if list_tips(git, *PREFIXES.values()) or list_tips(git, REMOTES):
        remote_notes.settle(folder)
        return False
    with suppress(RecollectError):
        find_remote(git, store.config.text("sync.remote") or None)
        return True
    remote_notes.save(folder, {"tried": time.time()})
    return False


def _start(store: Store, task: str, environment: Mapping[str, str]) -> str:
    """Start the process, with neither terminal nor output."""
    from recollect.ledger.detached import start

    directory = store.work_tree or store.ledger.repository.git.directory
    quiet = {**environment, **_QUIET, **_batch_mode(store, environment)}
    return task if start(__name__, (task, str(directory)), directory, quiet) else ""


def _batch_mode(store: Store, environment: Mapping[str, str]) -> dict[str, str]:
    """Return what makes ssh ask nothing, unless the user has a command of their own for it.

    Such a command may need other options. Without a terminal, it cannot ask either.
    """
    git = store.ledger.repository.git
    if environment.get("GIT_SSH") or environment.get("GIT_SSH_COMMAND"):
        return {}
    if git.run("config", "--get", "core.sshCommand", ok=(0, 1), personal=True).strip():
        return {}
    return {"GIT_SSH_COMMAND": "ssh -o BatchMode=yes"}


def main(task: str, directory: str) -> None:
    """Do the task; note what failed for `recollect doctor`."""
    from recollect.api.opening import open_recollect

    try:
        with open_recollect(directory) as store:
            if task == LOOK:
                from recollect.ledger.remote import find_remote, kinds_at
                from recollect.state import remote_notes

                folder, git = store.ledger.repository.state_dir, store.ledger.repository.git
                remote_notes.save(folder, {"tried": time.time()})
                remote = find_remote(git, store.config.text("sync.remote") or None)
                remote_notes.save(folder, {"kinds": kinds_at(git, remote, _LONGEST)})
            else:
                from recollect.api.sync import sync

                sync(store, pushes=task == SYNC, timeout=_LONGEST)
    except Exception as error:
        if task == LOOK:  # nobody asked for it, so nobody needs to repair it
            return
        from recollect.state.failures import describe, note_failure

        note_failure(data_dir(os.environ), "sync", describe(error))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

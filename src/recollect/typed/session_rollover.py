"""Keeps the newest session summaries of each person and retires the oldest.

Each person has their own window, so that a colleague's work of today does not push out yours of
yesterday.
"""

from __future__ import annotations

from collections.abc import Collection

from recollect.core.kinds import SESSIONS
from recollect.core.memory import Memory
from recollect.core.status import ACTIVE, RETIRED
from recollect.core.unconfirmed import VIA_IMPORT
from recollect.store.prepare import prepare_status
from recollect.store.store import Store
from recollect.typed.session_window import name_unique, overflow

_FROM_TRANSCRIPTS = f"{VIA_IMPORT}transcripts"
REASON = "replaced by a newer session"


def retire_oldest(store: Store, newest: Collection[str]) -> list[Memory]:
    """Retire the summaries beyond the window, but never those just written; return them.

    Nothing is lost: you can restore a retired memory until `gc` purges it.
    """
    own = _own(store)
    most = max(1, int(store.config.number("sessions.max_retained")))
    before = [memory for memory in own if memory.uid not in newest]
    now = store.now()
    leaving = overflow(before, most - (len(own) - len(before)), now)
    changes = [prepare_status(store, memory, RETIRED, REASON) for memory in leaving]
    if changes:
        store.ledger.write(changes, "retire")
    return leaving


def warnings_for(store: Store, gone: Collection[Memory]) -> list[str]:
    """Return warnings with what only these summaries say."""
    if not gone:
        return []
    sessions = [*_own(store), *gone]
    others = [memory for memory in store.memories() if memory.kind != SESSIONS]
    found = name_unique(sessions, list(gone), others)
    return [leaving.warning() for leaving in found if leaving.unique]


def _own(store: Store) -> list[Memory]:
    """Return the active sessions that share a window: this person's, and those without an author.

    An import has no author. What somebody learns from past transcripts is a history of its own, and
    ages like other memories.
    """
    return [
        memory
        for memory in store.memories(kind=SESSIONS, status=ACTIVE)
        if memory.author in (None, "", store.ledger.author)
        and memory.provenance.get("via") != _FROM_TRANSCRIPTS
    ]

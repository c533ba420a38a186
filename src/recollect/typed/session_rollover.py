"""The rolling window of session summaries: the newest stay, the oldest are retired.

Each person has a window: what a colleague did today does not push out what you did yesterday.
"""

from __future__ import annotations

from collections.abc import Collection

from recollect.core.kinds import SESSIONS
from recollect.core.memory import Memory
from recollect.core.status import ACTIVE, RETIRED
from recollect.store.prepare import prepare_status
from recollect.store.store import Store
from recollect.typed.session_window import name_unique, overflow

REASON = "a newer session took its place"


def retire_oldest(store: Store, newest: Collection[str]) -> list[Memory]:
    """Retire the summaries beyond the window, but never those that just came; gives them.

    Nothing is lost by it: a retired memory can be restored until `gc`.
    """
    own = _own(store)
    most = max(1, int(store.config.number("sessions.max_retained")))
    before = [memory for memory in own if memory.uid not in newest]
    now = store.ledger.clock().timestamp()
    leaving = overflow(before, most - (len(own) - len(before)), now)
    changes = [prepare_status(store, memory, RETIRED, REASON) for memory in leaving]
    if changes:
        store.ledger.write(changes, "retire")
    return leaving


def warnings_for(store: Store, gone: Collection[Memory]) -> list[str]:
    """What only these summaries say, in sentences."""
    if not gone:
        return []
    sessions = [*_own(store), *gone]
    others = [memory for memory in store.memories() if memory.kind != SESSIONS]
    found = name_unique(sessions, list(gone), others)
    return [leaving.warning() for leaving in found if leaving.unique]


def _own(store: Store) -> list[Memory]:
    sessions = store.memories(kind=SESSIONS, status=ACTIVE)
    return [memory for memory in sessions if memory.author == store.ledger.author]

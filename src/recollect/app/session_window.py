"""The rolling window of session summaries: the newest stay, the oldest are retired."""

from __future__ import annotations

from recollect.app.recollect import Recollect
from recollect.app.writing import prepare_status
from recollect.capture.session_window import overflow
from recollect.core.kinds import SESSIONS
from recollect.core.status import ACTIVE, RETIRED

_REASON = "a newer session took its place"


def retire_oldest(store: Recollect) -> list[str]:
    """Retire the summaries beyond the window; names what is said nowhere else.

    Nothing is lost by it: a retired memory can be restored until `gc`.
    """
    most = max(1, int(store.config.number("sessions.max_retained")))
    sessions = store.memories(kind=SESSIONS, status=ACTIVE)
    if len(sessions) <= most:
        return []
    others = [memory for memory in store.memories() if memory.kind != SESSIONS]
    leaving = overflow(sessions, others, most)
    changes = [prepare_status(store, gone.memory, RETIRED, _REASON) for gone in leaving]
    store.ledger.write(changes, "retire")
    return [gone.warning() for gone in leaving if gone.unique]

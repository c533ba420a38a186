"""What `status` reports: how many memories there are, how they are indexed, what waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Sized
from typing import Any

from recollect.api.waiting import Waiting
from recollect.core.age import seconds_of
from recollect.core.memory import Memory
from recollect.core.status import RETIRED
from recollect.errors import RecollectError
from recollect.sleep.clock import clock_problem
from recollect.store.store import Store

_WEEK = 7 * 86_400.0
# A memory that was updated more often than this may be several things in one.
_OFTEN = 5


def status_of(store: Store, purges: Sized, waiting: Waiting) -> dict[str, Any]:
    """The counts, as `recollect status --json` prints them."""
    memories = store.memories(status="all")
    index = store.indexing.fresh()
    model, path, team = index.model(), store.indexing.path, store.indexing.team
    week_ago = store.now() - _WEEK
    requests, tokens = store.local.observed.requests_since(week_ago)
    return {
        "memories": len(memories),
        "kinds": dict(sorted(Counter(memory.kind for memory in memories).items())),
        "statuses": dict(sorted(Counter(memory.status for memory in memories).items())),
        "kinds_and_statuses": _by_kind_and_status(memories),
        "often_updated": [
            m.as_reference() | {"times_updated": m.times_updated}
            for m in memories
            if m.times_updated > _OFTEN
        ],
        "retired_lately": [m.as_reference() for m in memories if _is_retired_since(m, week_ago)],
        "bytes": sum(len(f"{m.summary}{m.text}".encode()) for m in memories),
        "index": str(path) if path.exists() else None,
        "index_bytes": path.stat().st_size if path.exists() else 0,
        "database": team.address if team else None,
        "database_problem": (team.problem or None) if team else None,
        "model": model,
        "without_vectors": index.count_pending(model) if model else len(memories),
        "unsent_notes": _unsent(store),
        "pending_purges": len(purges),
        "unconfirmed": waiting.unconfirmed,
        "suggestions": waiting.suggestions,
        "suggested_changes": waiting.changes,
        "drafts": {"requests": requests, "tokens": tokens},
        "clock": clock_problem(store) or None,
    }


def _by_kind_and_status(memories: Sequence[Memory]) -> dict[str, dict[str, int]]:
    """Return the number of memories of each status, for each kind."""
    counts = Counter((memory.kind, memory.status) for memory in memories)
    table: dict[str, dict[str, int]] = {}
    for (kind, status), count in sorted(counts.items()):
        table.setdefault(kind, {})[status] = count
    return table


def _is_retired_since(memory: Memory, moment: float) -> bool:
    changed = seconds_of(memory.status_changed)
    return memory.status == RETIRED and changed is not None and changed >= moment


def _unsent(store: Store) -> int | None:
    """Return how many notes the remote does not have; None if there is no remote."""
    if store.ledger.repository.is_user_ledger:
        return None
    from recollect.ledger.remote import find_remote, unsent_notes

    try:
        remote = find_remote(store.ledger.repository.git, store.config.text("sync.remote") or None)
        return unsent_notes(store.ledger, remote)
    except RecollectError:
        return None

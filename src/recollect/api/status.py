"""What `status` reports: how many memories there are, how they are indexed, what waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sized
from typing import Any

from recollect.api.waiting import Waiting
from recollect.sleep.clock import clock_problem
from recollect.store.store import Store

_WEEK = 7 * 86_400.0


def status_of(store: Store, purges: Sized, waiting: Waiting) -> dict[str, Any]:
    """The counts, as `recollect status --json` prints them."""
    memories = store.memories(status="all")
    index = store.indexing.fresh()
    model, path = index.model(), store.indexing.path
    week_ago = store.ledger.clock().timestamp() - _WEEK
    requests, tokens = store.local.observed.requests_since(week_ago)
    return {
        "memories": len(memories),
        "kinds": dict(sorted(Counter(memory.kind for memory in memories).items())),
        "statuses": dict(sorted(Counter(memory.status for memory in memories).items())),
        "index": str(path) if path.exists() else None,
        "index_bytes": path.stat().st_size if path.exists() else 0,
        "model": model,
        "without_vectors": index.count_pending(model) if model else len(memories),
        "pending_purges": len(purges),
        "unconfirmed": waiting.unconfirmed,
        "suggestions": waiting.suggestions,
        "suggested_changes": waiting.changes,
        "drafts": {"requests": requests, "tokens": tokens},
        "clock": clock_problem(store) or None,
    }

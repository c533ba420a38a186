"""What `status` reports: how many memories there are, how they are indexed, what waits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sized
from typing import Any

from recollect.sleep.clock import clock_problem
from recollect.store.store import Store


def status_of(store: Store, purges: Sized, changes: Sized) -> dict[str, Any]:
    """The counts, as `recollect status --json` prints them."""
    memories = store.memories(status="all")
    index = store.indexing.fresh()
    model, path = index.model(), store.indexing.path
    return {
        "memories": len(memories),
        "kinds": dict(sorted(Counter(memory.kind for memory in memories).items())),
        "statuses": dict(sorted(Counter(memory.status for memory in memories).items())),
        "index": str(path) if path.exists() else None,
        "index_bytes": path.stat().st_size if path.exists() else 0,
        "model": model,
        "without_vectors": index.count_pending(model) if model else len(memories),
        "pending_purges": len(purges),
        "suggested_changes": len(changes),
        "clock": clock_problem(store) or None,
    }

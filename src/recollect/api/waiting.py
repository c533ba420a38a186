"""What waits for the user: unconfirmed memories, suggestions, and changes by others."""

from __future__ import annotations

from recollect.capture.suggestions import suggestions
from recollect.capture.unconfirmed import count_unconfirmed
from recollect.core.named_tuple import NamedTuple
from recollect.store.history import waiting_changes
from recollect.store.store import Store


class Waiting(NamedTuple):
    """How many unconfirmed memories, suggestions and changes by others wait for a decision."""

    unconfirmed: int
    suggestions: int
    changes: int

    def in_words(self) -> str:
        """Return it for people, such as `2 unconfirmed memories, 1 suggestion`; empty if none."""
        parts = (
            (self.unconfirmed, "unconfirmed memory", "unconfirmed memories"),
            (self.suggestions, "suggestion", "suggestions"),
            (self.changes, "suggested change", "suggested changes"),
        )
        return ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in parts if n)


def waiting_for_review(store: Store) -> Waiting:
    """Count what waits for a decision."""
    return Waiting(count_unconfirmed(store), len(suggestions(store)), len(waiting_changes(store)))

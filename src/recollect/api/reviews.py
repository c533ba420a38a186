"""Review: suggestions, changes by others, and purges by others, each accepted or rejected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.api.writes import Writes

# A hook imports this module: whatever it does not need is imported where it is used.
if TYPE_CHECKING:
    from recollect.api.sync import PendingPurge
    from recollect.capture.suggestions import Suggestion
    from recollect.core.authority import SuggestedChange
    from recollect.core.memory import Memory


class Review(NamedTuple):
    """What waits for a decision: suggested memories, and changes that somebody else suggests."""

    suggestions: list[Suggestion]
    changes: list[SuggestedChange]


class Reviews(Writes):
    """The methods that list what waits for a decision, and decide."""

    def suggestions(self) -> list[Suggestion]:
        """The suggestions that wait for review, oldest first."""
        from recollect.capture.suggestions import suggestions

        return suggestions(self)

    def review(self, names: Sequence[str] | None = None) -> Review:
        """What waits for review; with names, those suggestions and changes only.

        A name is the end of a uid. One that means nothing, or several, is refused.
        """
        from recollect.capture.suggestions import named

        changes = self.suggested_changes()
        if names is None:
            return Review(self.suggestions(), changes)
        meant = {
            name: [c for c in changes if name and c.record.lower().endswith(name.lower())]
            for name in names
        }
        chosen = [found[0] for found in meant.values() if len(found) == 1]
        others = [name for name, found in meant.items() if len(found) != 1]
        return Review(named(self, others), chosen)

    def accept(self, names: Sequence[str] | None = None, *, by: str = "user") -> list[Memory]:
        """Accept suggestions and changes, all or by name; gives the memories that they became.

        `by` is who accepts: `user` or `agent`.
        """
        from recollect.api.review import accept

        chosen = self.review(names)
        memories = accept(self, chosen.suggestions, by=by)
        return memories + [self.accept_change(change.record) for change in chosen.changes]

    def reject(self, names: Sequence[str] | None = None) -> Review:
        """Reject suggestions and changes, all or by name; they are not suggested again."""
        from recollect.capture.suggestions import reject

        chosen = self.review(names)
        reject(self, chosen.suggestions)
        for change in chosen.changes:
            self.reject_change(change.record)
        return chosen

    def suggested_changes(self) -> list[SuggestedChange]:
        """Changes by others of what only the author or you decide: trust, lifetime, provenance."""
        from recollect.store.history import waiting_changes

        return waiting_changes(self)

    def accept_change(self, record: str) -> Memory:
        """Write a change that somebody else suggested, in your name."""
        from recollect.store.history import accept_change

        return accept_change(self, record)

    def reject_change(self, record: str) -> Memory:
        """Keep a memory as it is; the change is not suggested again."""
        from recollect.store.history import reject_change

        return reject_change(self, record)

    def pending_purges(self) -> list[PendingPurge]:
        """The purges by others that wait for your answer; until then your copies stay."""
        from recollect.api.sync import pending_purges

        return pending_purges(self)

    def accept_purges(self) -> list[str]:
        """Apply the pending purges by others; gives what could not be erased, in sentences."""
        from recollect.api.sync import accept_purges

        return accept_purges(self, self.pending_purges())

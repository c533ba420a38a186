"""Review: unconfirmed memories, suggestions, and changes and purges by others."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.api.writes import Writes
from recollect.core.named_tuple import NamedTuple

# A hook imports this module: whatever it does not need is imported where it is used.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.api.sync import PendingPurge
    from recollect.capture.suggestions import Suggestion
    from recollect.core.authority import SuggestedChange
    from recollect.core.memory import Memory


class Review(NamedTuple):
    """What waits for a decision: suggestions, changes that others suggest, unconfirmed memories."""

    suggestions: list[Suggestion]
    changes: list[SuggestedChange]
    unconfirmed: list[Memory]

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.suggestions) + len(self.changes) + len(self.unconfirmed)


class Reviews(Writes):
    """The methods that list what waits for a decision, and decide."""

    def unconfirmed(self) -> list[Memory]:
        """The memories that were noticed and that nobody has confirmed, oldest first."""
        from recollect.capture.unconfirmed import unconfirmed

        return unconfirmed(self)

    def would_supersede(self, memory: Memory) -> Memory | None:
        """The memory that is archived if somebody accepts an unconfirmed one."""
        from recollect.capture.unconfirmed import updated_by

        return updated_by(self, memory)

    def merge_candidates(self, memory: Memory) -> list[Memory]:
        """The memories that a memory could be merged into, the most similar first."""
        from recollect.capture.merging import merge_candidates

        return merge_candidates(self, memory)

    def merge_into(self, name: str, into: str) -> Memory:
        """Add the text of a memory to another one, which it gives.

        The merged memory is archived or, if it was unconfirmed, retired.
        """
        from recollect.capture.merging import merge_into

        return merge_into(self, self.get(name), self.get(into))

    def suggestions(self) -> list[Suggestion]:
        """The suggestions that wait for review, oldest first."""
        from recollect.capture.suggestions import suggestions

        return suggestions(self)

    def review(self, names: Sequence[str] | None = None) -> Review:
        """What waits for review; with names, only those.

        A name is the id of an unconfirmed memory, or the end of the uid of a suggestion or change.
        One that means nothing, or several, is refused.
        """
        from recollect.capture import suggestions, unconfirmed

        changes = self.suggested_changes()
        if names is None:
            return Review(self.suggestions(), changes, self.unconfirmed())
        memories = [name for name in names if suggestions.is_memory_name(self, name)]
        noticed = {m.uid: m for m in (unconfirmed.named(self, name) for name in memories)}
        names = [name for name in names if name not in memories]
        meant = {
            name: [c for c in changes if name and c.record.lower().endswith(name.lower())]
            for name in names
        }
        chosen = [found[0] for found in meant.values() if len(found) == 1]
        others = [name for name, found in meant.items() if len(found) != 1]
        return Review(suggestions.named(self, others), chosen, list(noticed.values()))

    def accept(
        self,
        names: Sequence[str] | None = None,
        *,
        by: str = "user",
        user_said: str = "",
        keep_both: bool = False,
    ) -> list[Memory]:
        """Accept what waits for review, all or by name; gives the memories that it became.

        `by` is who accepts: `user` or `agent`. For an unconfirmed memory, an agent needs the exact
        words with which the user agreed. If an unconfirmed memory would supersede another one, that
        one is archived, unless you keep both.
        """
        from recollect.api.review import accept, accept_unconfirmed

        chosen = self.review(names)
        memories = accept_unconfirmed(
            self, chosen.unconfirmed, by=by, user_said=user_said, keep_both=keep_both
        )
        memories += accept(self, chosen.suggestions, by=by)
        return memories + [self.accept_change(change.record) for change in chosen.changes]

    def reject(self, names: Sequence[str] | None = None) -> Review:
        """Reject what waits for review, all or by name; neither it nor its like comes again."""
        from recollect.capture import suggestions, unconfirmed

        chosen = self.review(names)
        gone = unconfirmed.reject(self, chosen.unconfirmed)
        chosen = chosen._replace(unconfirmed=gone)
        suggestions.reject(self, chosen.suggestions)
        for change in chosen.changes:
            self.reject_change(change.record)
        return chosen

    def put_back(self, rejected: Sequence[Suggestion]) -> None:
        """Take back the rejection of suggestions: they wait for review again."""
        from recollect.capture.suggestions import put_back

        put_back(self, rejected)

    def forget_learned(self) -> None:
        """Forget what detection has learned from what you accepted and rejected."""
        from recollect.capture.adaptation import reset

        reset(self)

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

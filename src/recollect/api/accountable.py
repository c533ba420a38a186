"""The part of `Recollect` that is about who changed what: versions, suggestions, purges, undo."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

# Hooks need none of this; it is imported where it is used.
if TYPE_CHECKING:
    from recollect.api.sync import PendingPurge
    from recollect.core.authority import SuggestedChange
    from recollect.core.memory import Memory
    from recollect.sleep.undo import Undo
    from recollect.state.runs import Run
    from recollect.store.history import Version
    from recollect.store.store import Recollect


class Accountable:
    """What a memory's owner can see and decide about the changes of others, and take back."""

    @property
    def _whole(self) -> Recollect:
        return cast("Recollect", self)

    def pending_purges(self) -> list[PendingPurge]:
        """The purges by others that wait for your answer; until then your copies stay."""
        from recollect.api.sync import pending_purges

        return pending_purges(self._whole)

    def accept_purges(self) -> list[str]:
        """Apply the purges by others that wait; gives what could not be erased, in sentences."""
        from recollect.api.sync import accept_purges

        return accept_purges(self._whole, self.pending_purges())

    def accept_change(self, record: str) -> Memory:
        """Write a change that somebody else suggested in your own name."""
        from recollect.store.history import accept_change

        return accept_change(self._whole, record)

    def reject_change(self, record: str) -> Memory:
        """Keep a memory as it is; the change is not suggested again."""
        from recollect.store.history import reject_change

        return reject_change(self._whole, record)

    def versions(self, memory_id: str) -> list[Version]:
        """The versions of a memory with their texts, oldest first: one for each record."""
        from recollect.store.history import versions

        return versions(self._whole, memory_id)

    def suggested_changes(self) -> list[SuggestedChange]:
        """Changes by others of what only an author or you decide: trust, lifetime, provenance."""
        from recollect.store.history import waiting_changes

        return waiting_changes(self._whole)

    def undo(self, target: str, *, dry_run: bool = False) -> Undo:
        """Take back the last change of a memory, or a run by its name; `--last` is the last run.

        Undo writes new records, and the history keeps all. A purge cannot be undone.
        """
        from recollect.sleep.undo import undo

        return undo(self._whole, target, dry_run=dry_run)

    def runs(self) -> list[Run]:
        """The imports and sleeps of this clone that can be undone, newest first."""
        return [run for run in self._whole.local.runs.all() if not run.is_undone]

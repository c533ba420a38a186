"""`recollect.open`: the memory of one repository, for Python.

The command line, the hooks, the MCP server and the web page are thin users of this object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.api.effects import AFTER_PURGE, AFTER_WRITE, update_mirror
from recollect.store.store import Store

# What a hook needs on every prompt is imported above; the rest where it is used.
if TYPE_CHECKING:
    from recollect.api.sync import PendingPurge, SyncResult
    from recollect.config.config import Config
    from recollect.core.authority import SuggestedChange
    from recollect.core.memory import Memory
    from recollect.ledger.health import Finding
    from recollect.ledger.ledger import Ledger
    from recollect.search.search import Hit
    from recollect.sleep.undo import Undo
    from recollect.state.runs import Run
    from recollect.store.history import Version


class Recollect(Store):
    """The memories of one repository: capture, find, read, change, share, erase."""

    def __init__(self, ledger: Ledger, config: Config, project: str | None = None) -> None:
        super().__init__(ledger, config, project)
        self.after_write, self.after_purge = AFTER_WRITE, AFTER_PURGE

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        mode: str | None = None,
        min_similarity: float | None = None,
        as_of: str | None = None,
        counting: bool = True,
        **filters: Any,
    ) -> list[Hit]:
        """The memories that answer a query, best first, each with its score and why.

        Private, secret and unclassified memories are found only when `sensitivity` asks for them.
        Without `counting`, whoever shows some of the hits to a reader notes that.
        """
        from recollect.search.store import search_store

        return search_store(
            self,
            query,
            limit,
            mode=mode,
            min_similarity=min_similarity,
            as_of=as_of,
            counting=counting,
            **filters,
        )

    def purge(self, memory_id: str) -> list[str]:
        """Erase a memory for good, here and, after the next sync, in every clone.

        The uid of a quarantined record will do. Gives what could not be erased, in sentences.
        """
        from recollect.sleep.purge import purge_named

        return purge_named(self, memory_id)

    def sync(self, remote: str | None = None) -> SyncResult:
        """Exchange memories with a remote; afterwards both sides hold the same."""
        from recollect.api.health import untrusted_programs
        from recollect.api.sync import sync

        self.ledger.warnings += untrusted_programs(self)
        return sync(self, remote)

    def pending_purges(self) -> list[PendingPurge]:
        """The purges by others that wait for your answer; until then your copies stay."""
        from recollect.api.sync import pending_purges

        return pending_purges(self)

    def accept_purges(self) -> list[str]:
        """Apply the purges by others that wait; gives what could not be erased, in sentences."""
        from recollect.api.sync import accept_purges

        return accept_purges(self, self.pending_purges())

    def accept_change(self, record: str) -> Memory:
        """Write a change that somebody else suggested in your own name."""
        from recollect.store.history import accept_change

        return accept_change(self, record)

    def reject_change(self, record: str) -> Memory:
        """Keep a memory as it is; the change is not suggested again."""
        from recollect.store.history import reject_change

        return reject_change(self, record)

    def versions(self, memory_id: str) -> list[Version]:
        """The versions of a memory with their texts, oldest first: one for each record."""
        from recollect.store.history import versions

        return versions(self, memory_id)

    def suggested_changes(self) -> list[SuggestedChange]:
        """Changes by others of what only an author or you decide: trust, lifetime, provenance."""
        from recollect.store.history import waiting_changes

        return waiting_changes(self)

    def undo(self, target: str, *, dry_run: bool = False) -> Undo:
        """Take back the last change of a memory, or a run by its name; `--last` is the last run.

        Undo writes new records, and the history keeps all. A purge cannot be undone.
        """
        from recollect.sleep.undo import undo

        return undo(self, target, dry_run=dry_run)

    def runs(self) -> list[Run]:
        """The imports and sleeps of this clone that can be undone, newest first."""
        return [run for run in self.local.runs.all() if not run.is_undone]

    def mirror(self) -> None:
        """Bring the mirror up to date, where there is one; what goes wrong is told, not raised."""
        update_mirror(self, ())

    def verify(self) -> list[Finding]:
        """Compare the index with everything that the refs hold."""
        from recollect.api.health import check_records

        return list(check_records(self.ledger, self.indexing))

    def doctor(self) -> list[Finding]:
        """Look at everything that can be wrong, and say what to do."""
        from recollect.api.health import check_all

        return check_all(self)

"""`recollect.open`: the memory of one repository, for Python.

The command line, the hooks, the MCP server and the web page are thin users of this object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.api.effects import AFTER_PURGE, AFTER_WRITE, update_mirror
from recollect.index.protocol import ALL, Filters
from recollect.store.store import Store

# What a hook needs on every prompt is imported above; the rest where it is used.
if TYPE_CHECKING:
    from recollect.config.config import Config
    from recollect.core.memory import Memory
    from recollect.ledger.health import Finding
    from recollect.ledger.ledger import Ledger
    from recollect.ledger.sync import SyncReport
    from recollect.search.search import Hit


class SyncResult(NamedTuple):
    """What a sync brought and what it did."""

    report: SyncReport
    received: list[Memory]
    purged: list[str]


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

        Gives what could not be erased, in sentences; normally nothing.
        """
        from recollect.sleep.purge import purge

        return purge(self, [self.get(memory_id)])

    def sync(self, remote: str | None = None) -> SyncResult:
        """Exchange memories with a remote; afterwards both sides hold the same."""
        from recollect.capture.suggestions import forget
        from recollect.ledger.sync import sync
        from recollect.sleep.purge import purge_remains
        from recollect.state.session_files import take_away

        everything = Filters(statuses=ALL)
        before = {memory.uid: memory for memory in self.indexing.fresh().select(everything)}
        report = sync(
            self.ledger,
            remote or self.config.text("sync.remote") or None,
            timeout=self.config.number("sync.timeout"),
        )
        after = self.indexing.fresh().select(everything)
        self.local.forget(sorted(report.purged))
        for uid in report.purged & before.keys():
            forget(self, before[uid])
        if report.purged:
            take_away(self.ledger.repository.state_dir)
        purge_remains(self, after)
        self.mirror()
        return SyncResult(
            report,
            [m for m in after if m.uid not in before or before[m.uid].version != m.version],
            sorted(before[uid].id for uid in report.purged if uid in before),
        )

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

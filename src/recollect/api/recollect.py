"""`recollect.open`: the memory of one repository, for Python.

The command line, the MCP server and the hooks are thin users of this object. Its methods stand in
one module for each subject: `reads`, `writes`, `reviews`, `upkeep`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.api.effects import AFTER_PURGE, AFTER_WRITE
from recollect.api.upkeep import Upkeep

# A hook imports this module: whatever it does not need is imported where it is used.
if TYPE_CHECKING:
    from recollect.api.sync import SyncResult


class Recollect(Upkeep):
    """The memories of one repository: capture, find, review, share, look after, erase."""

    after_write = AFTER_WRITE
    after_purge = AFTER_PURGE

    def sync(self, remote: str | None = None) -> SyncResult:
        """Exchange memories with a remote; afterwards both sides have the same."""
        from recollect.api.health import untrusted_programs
        from recollect.api.sync import sync

        self.ledger.warnings += untrusted_programs(self)
        return sync(self, remote)

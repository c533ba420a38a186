"""`recollect.open`: the memory of one repository, for Python.

The command line, the MCP server and the hooks are thin users of this object. Its methods stand in
one module for each subject: `reads`, `writes`, `reviews`, `upkeep`. Sync, and what explains the
memory and its past, stand here.
"""

from __future__ import annotations

from recollect.api.effects import AFTER_PURGE, AFTER_WRITE
from recollect.api.upkeep import Upkeep

# A hook imports this module: whatever it does not need is imported where it is used.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from recollect.api.activity import DaySpent, Injection, SessionReport, SessionSummary
    from recollect.api.blame import Blame
    from recollect.api.sync import SyncResult
    from recollect.api.sync_preview import SyncPreview
    from recollect.core.memory import Memory


class Recollect(Upkeep):
    """The memories of one repository: capture, find, review, share, look after, erase."""

    after_write = AFTER_WRITE
    after_purge = AFTER_PURGE
    # What the surface that uses this object may do (`core.capabilities`); None: everything.
    allowed: frozenset[str] | None = None

    def sync(self, remote: str | None = None) -> SyncResult:
        """Exchange memories with a remote; afterwards both sides have the same."""
        from recollect.api.health import untrusted_programs
        from recollect.api.sync import sync

        self.ledger.warnings += untrusted_programs(self)
        return sync(self, remote)

    def preview_sync(self, remote: str | None = None) -> SyncPreview:
        """What `sync` would send and bring; it asks the remote and changes no memory."""
        from recollect.api.sync_preview import preview_sync

        return preview_sync(self, remote)

    def sessions(self, limit: int = 50) -> list[SessionSummary]:
        """The last sessions of agents, each with what it got from the memory and what it kept."""
        from recollect.api.activity import sessions

        return sessions(self, limit)

    def session_report(self, session: str) -> SessionReport | None:
        """The events of a session, its log, and the memories from it; None if it is unknown."""
        from recollect.api.activity import session_report

        return session_report(self, session)

    def injections(self, memory_id: str) -> list[Injection]:
        """The sessions in which a memory was injected, and whether they used it."""
        from recollect.api.activity import injections

        return injections(self, memory_id)

    def spending(self) -> list[DaySpent]:
        """The tokens that hooks put into contexts, by day, and how many memories were used."""
        from recollect.api.activity import spending

        return spending(self)

    def file_states(self, memory: Memory) -> dict[str, str]:
        """Whether each file that a memory names is `FRESH`, has `CHANGED` since, or is `GONE`."""
        from recollect.ledger.worktree import compare_files, files_since

        named, root = files_since(memory, self.now()), self.work_tree
        if named is None or root is None:
            return {}
        anchor, born, files = named
        asked = {path: (anchor, born, (path,)) for path in files}
        return compare_files(self.ledger.repository, root, asked)

    def file_since(self, path: str, memories: Sequence[Memory]) -> dict[str, str]:
        """What became of one file since each of some memories, by uid; see `file_states`."""
        from recollect.ledger.worktree import compare_files, files_since

        root, now = self.work_tree, self.now()
        if root is None:
            return {}
        asked = {}
        for memory in memories:
            named = files_since(memory, now)
            if named is not None and path in named[2]:
                asked[memory.uid] = (*named[:2], (path,))
        return compare_files(self.ledger.repository, root, asked)

    def change_since(self, memory: Memory, path: str) -> tuple[str, str] | None:
        """A file that a memory names, as it was at the commit of the memory and as it is now.

        None if that commit is not here, or the file cannot be read as text.
        """
        from recollect.ledger.worktree import then_and_now

        commit, root = self.commit_info(memory), self.work_tree
        named = path in (*memory.files_modified, *memory.files_read)
        if commit is None or root is None or not named:
            return None
        return then_and_now(self.ledger.repository, root, commit.sha, path)

    def related(self, memory: Memory) -> list[Memory]:
        """The memories that a memory relates to, and those that relate to it."""
        index = self.indexing.fresh()
        found = [*index.get_many(list(memory.relates_to)), *index.relating([memory.uid])]
        return list({one.uid: one for one in found if one.uid != memory.uid}.values())

    def known_files(self, **filters: Any) -> dict[str, int]:
        """The files that memories name, each with how many of those that pass the filters do."""
        wanted = self.filters(**filters)
        return self.indexing.using(lambda index: index.file_counts(wanted))

    def blame(self, path: str, *, limit: int | None = None, **filters: Any) -> Blame:
        """Which memories speak about which lines of a file: by commit, by name, and by path.

        With a limit, only the newest memories that name the file.
        """
        from recollect.api.blame import blame

        return blame(self, path, limit, **filters)

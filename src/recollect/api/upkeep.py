"""Upkeep: sleep and its parts, erasing what is due, checks and repairs, the mirror, imports."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from recollect.api.effects import update_mirror
from recollect.api.reviews import Reviews

# A hook imports this module: whatever it does not need is imported where it is used.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from recollect.api.mirroring import SwitchedOff, SwitchedOn
    from recollect.api.results import Expired, Reindexed
    from recollect.api.scan import Leak
    from recollect.core.memory import Memory
    from recollect.importing.collect import Progress as Reading
    from recollect.importing.learning import SourceHere
    from recollect.importing.past_commits import PastCommits
    from recollect.importing.plan import ImportPlan
    from recollect.index.protocol import Progress
    from recollect.ledger.health import Finding
    from recollect.mirror.mirror import Difference, Report
    from recollect.sleep.plan import Plan
    from recollect.sleep.purge import Garbage
    from recollect.sleep.undo import Undo
    from recollect.state.runs import Run


class Upkeep(Reviews):
    """The methods that keep the memories in order."""

    def is_sleep_due(self) -> bool:
        """Whether a session has ended or a day has passed since the last sleep."""
        from recollect.sleep.run import is_due

        return is_due(self)

    def sleep(self, *, dry_run: bool = False, force: bool = False) -> Plan:
        """Merge similar memories and archive stale ones; gives what was done.

        It runs whether it is due or not. With `dry_run` nothing is written. `force` says that the
        clock is right; without it, a clock that has jumped is refused. Both work the same in
        `lifecycle`, `summarize_old`, `gc` and `purge_expired`.
        """
        from recollect.sleep.run import make_plan, sleep

        if dry_run:
            return make_plan(self)
        self.check_clock(force=force)
        return sleep(self)

    def lifecycle(self, *, dry_run: bool = False, force: bool = False) -> Plan:
        """Archive, retire and restore the memories whose time has come, without merging any."""
        from recollect.sleep.run import plan_of_lifecycle, sleep

        if dry_run:
            return plan_of_lifecycle(self)
        self.check_clock(force=force)
        return sleep(self, plan_of_lifecycle)

    def summarize_old(
        self, days: float = 30, *, dry_run: bool = False, force: bool = False
    ) -> Plan:
        """Merge similar memories that are older than so many days, and nothing else."""
        from recollect.sleep.run import plan_of_summaries, sleep

        if dry_run:
            return plan_of_summaries(self, days)
        self.check_clock(force=force)
        return sleep(self, lambda store: plan_of_summaries(store, days))

    def gc(self, *, dry_run: bool = False, force: bool = False) -> Garbage:
        """Erase for good what has been retired for longer than `delete.grace_period_days`."""
        from recollect.sleep.purge import collect_garbage, garbage

        if dry_run:
            return garbage(self)
        self.check_clock(force=force)
        return collect_garbage(self)

    def purge_expired(
        self,
        memories: Sequence[Memory] | None = None,
        *,
        dry_run: bool = False,
        force: bool = False,
    ) -> Expired:
        """Erase for good the memories whose lifetime (`ttl`) is over.

        If you showed a list of them to somebody first, pass it: then only these are erased.
        """
        from recollect.api.results import Expired
        from recollect.sleep.purge import expired, purge

        found = list(expired(self) if memories is None else memories)
        if dry_run:
            return Expired(found, [])
        self.check_clock(force=force)
        return Expired(found, purge(self, found))

    def clock_problem(self) -> str:
        """Why the clock cannot be trusted, in a sentence; empty if it can."""
        from recollect.sleep.clock import clock_problem

        return clock_problem(self)

    def check_clock(self, *, force: bool = False) -> None:
        """Raise `ClockJumped` if the clock cannot be trusted; `force` says that it is right."""
        from recollect.sleep.clock import check_clock

        check_clock(self, force=force)

    def undo(self, target: str, *, dry_run: bool = False) -> Undo:
        """Undo the last change of a memory, or a run by its name; `--last` is the last run.

        Undo writes new records, and the history keeps all. A purge cannot be undone.
        """
        from recollect.sleep.undo import undo

        return undo(self, target, dry_run=dry_run)

    def runs(self) -> list[Run]:
        """The imports and sleeps of this clone that can be undone, newest first."""
        return [run for run in self.local.runs.all() if not run.is_undone]

    def verify(self) -> list[Finding]:
        """Compare the index with every record in the notes."""
        from recollect.api.verification import check_records

        return list(check_records(self.ledger, self.indexing))

    def doctor(self) -> list[Finding]:
        """Check git, the configuration, hooks, records and the rest; each finding has a hint."""
        from recollect.api.health import check_all

        return check_all(self)

    def repair(self, progress: Progress | None = None) -> list[Finding]:
        """Rebuild damaged notes and the index, then verify."""
        from recollect.api.repair import repair

        return repair(self, progress)

    def reindex(
        self,
        *,
        full: bool = False,
        reading: Progress | None = None,
        embedding: Progress | None = None,
    ) -> Reindexed:
        """Bring the index up to date, and compute the vectors that are missing.

        With `full`, the index is rebuilt from the notes. `reading` and `embedding` are called with
        the number of memories that are done.
        """
        from recollect.api.results import Reindexed
        from recollect.index.protocol import ALL, Filters

        index = self.indexing.rebuild(reading) if full else self.indexing.fresh(reading)
        embedded = self.indexing.embed_pending(index, replace=True, progress=embedding)
        return Reindexed(index.count(Filters(statuses=ALL)), embedded, index.model())

    def scan(self) -> list[Leak]:
        """Look for secrets in every memory and its history."""
        from recollect.api.scan import scan

        return list(scan(self))

    def status(self) -> dict[str, Any]:
        """Counts of memories by kind and status, the index, and what waits for you."""
        from recollect.api.status import status_of
        from recollect.api.waiting import waiting_for_review

        return status_of(self, self.pending_purges(), waiting_for_review(self))

    def mirror(self) -> None:
        """Bring the mirror up to date, if it is on; problems become warnings."""
        update_mirror(self, ())

    def instruction_block(self, path: Path, *, on: bool, dry_run: bool = False) -> str:
        """Put a block with the most important memories into a file for agents, or take it out.

        From then on, every write updates it. Returns the difference in the file.
        """
        from recollect.mirror.instruction_block import switch_off, switch_on

        return (switch_on if on else switch_off)(self, path, dry_run=dry_run).difference

    def mirror_on(self) -> SwitchedOn:
        """Switch the mirror on in the project's configuration, and write its files."""
        from recollect.api.mirroring import switch_on

        return switch_on(self)

    def mirror_off(self, *, remove: bool = False) -> SwitchedOff:
        """Switch the mirror off; with `remove`, delete the files that nobody changed."""
        from recollect.api.mirroring import switch_off

        return switch_off(self, remove=remove)

    def mirror_differences(self) -> list[Difference]:
        """The files of the mirror that differ from the ledger."""
        from recollect.api.mirroring import enabled_mirror

        return enabled_mirror(self).differences()

    def mirror_repair(self) -> Report:
        """Suggest what people changed in the mirror, and write all other files again."""
        from recollect.api.mirroring import enabled_mirror

        return enabled_mirror(self).update()

    @property
    def mirror_folder(self) -> str:
        """The folder of the mirror, relative to the working tree."""
        from recollect.mirror.mirror import Mirror

        return Mirror(self).folder.name

    def sources(self) -> list[SourceHere]:
        """Every source of imports; the places say what is here to read."""
        from recollect.importing.learning import sources_here

        return sources_here(self, Path.home(), os.environ)

    def plan_import(
        self,
        sources: Sequence[str] | None = None,
        path: str | os.PathLike[str] | None = None,
        *,
        progress: Reading | None = None,
    ) -> ImportPlan:
        """Read sources, all or by name, and plan what to keep; nothing is written.

        With a path, one source reads that instead of what it finds. `progress` is called with the
        source, how much is done, how much there is, and the seconds that are left, if known.
        """
        from recollect.importing.learning import plan_import

        return plan_import(self, Path.home(), os.environ, sources, path, progress)

    def run_import(
        self, plan: ImportPlan, *, progress: Callable[[int, int], None] | None = None
    ) -> ImportPlan:
        """Write exactly what a plan says; the plan that it gives names its run, for undo."""
        from recollect.importing.run import run_import

        return run_import(self, plan, progress)

    def undo_import(self, run: str, *, dry_run: bool = False) -> Undo:
        """Undo an import as a whole; a name that is no import is refused."""
        from recollect.importing.learning import undo_import

        return undo_import(self, run, dry_run=dry_run)

    def index_history(
        self, *, dry_run: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> PastCommits:
        """Read the commits that are new in the history, so that `search_history` finds them.

        They are kept in a file of this clone that can be deleted at any time, without secrets. With
        `dry_run`, nothing is written, and `added` is how many would be read.
        """
        from recollect.importing.past_commits import index_history, preview_history

        return preview_history(self) if dry_run else index_history(self, progress)

    def embed_history(self, progress: Callable[[int], None] | None = None) -> int:
        """Compute the vectors that commits need, so that search finds them in other words, too.

        Returns how many were missing. If it is interrupted, the next call goes on.
        """
        from recollect.importing.past_commits import embed_history

        return embed_history(self, progress)

    def pending_vectors(self) -> int:
        """How many memories have no vector yet of the model that is used."""
        embedder = self.indexing.embedder
        return self.indexing.fresh().count_pending(embedder.name) if embedder else 0

    def pending_history(self) -> int:
        """How many commits that need a vector have none yet; 0 before the history is read."""
        from recollect.importing.past_commits import count_pending

        return count_pending(self)

    def forget_history(self) -> bool:
        """Delete what `index_history` made; whether there was something."""
        from recollect.store.commit_index import remove

        return remove(self.ledger.repository)

    def is_learning_offered(self) -> bool:
        """Whether an offer to learn was shown, dismissed, or followed in this repository."""
        return self.local.sessions.is_learning_offered()

    def dismiss_learning(self) -> None:
        """Let no session offer to learn in this repository again."""
        self.local.make_folder()
        self.local.sessions.note_learning_offered(self.now())

"""Learning: import from the sources that are here, as a plan that you can look at first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.api.upkeep import Upkeep

# A hook imports this module: whatever it does not need is imported where it is used.
if TYPE_CHECKING:
    from collections.abc import Callable

    from recollect.importing.collect import Progress
    from recollect.importing.learning import SourceHere
    from recollect.importing.plan import ImportPlan
    from recollect.sleep.undo import Undo


class Learning(Upkeep):
    """The methods that import what a repository and its tools already know."""

    def sources(self) -> list[SourceHere]:
        """Every source of imports; the places say what is here to read."""
        from recollect.importing.learning import sources_here

        return sources_here(self, Path.home(), os.environ)

    def plan_import(
        self,
        sources: Sequence[str] | None = None,
        path: str | os.PathLike[str] | None = None,
        *,
        progress: Progress | None = None,
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

    def is_learning_offered(self) -> bool:
        """Whether an offer to learn was shown, dismissed, or followed in this repository."""
        return self.local.imported.is_offered()

    def dismiss_learning(self) -> None:
        """Let no session offer to learn in this repository again."""
        self.local.make_folder()
        self.local.imported.mark_offered(self.now())

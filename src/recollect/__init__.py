"""Recollect: a memory for coding agents that lives in your repository, in git notes.

>>> import recollect
>>> with recollect.open(".") as memory:
...     memory.capture("decisions", "Use PostgreSQL for persistence", "Why: concurrent writes")
"""

from __future__ import annotations

from recollect.version import __version__

TYPE_CHECKING = False  # that of `typing` costs a hook a fifth of its time
if TYPE_CHECKING:
    import os

    from recollect.api.recollect import Recollect

__all__ = ["__version__", "open"]


def open(  # noqa: A001
    path: str | os.PathLike[str] | None = None, *, mine: bool = False
) -> Recollect:
    """Open the memory of the repository around a path; outside of any, the user ledger.

    `mine` opens the user ledger wherever one is: what belongs to the person.
    """
    from recollect.api.opening import open_recollect

    return open_recollect(path, mine=mine)

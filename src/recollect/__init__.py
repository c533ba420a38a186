"""Recollect: memory for coding agents, stored in your repository as git notes.

>>> import recollect
>>> with recollect.open(".") as memory:
...     memory.capture("decisions", "Use PostgreSQL for persistence", "Why: concurrent writes")
"""

from __future__ import annotations

from recollect.version import __version__

TYPE_CHECKING = False  # importing it from `typing` costs a hook a fifth of its time
if TYPE_CHECKING:
    import os

    from recollect.api.recollect import Recollect

__all__ = ["__version__", "open"]


def open(  # noqa: A001
    path: str | os.PathLike[str] | None = None, *, mine: bool = False
) -> Recollect:
    """Open the memory of the repository around a path; outside of any repository, the user ledger.

    With `mine`, open the user ledger wherever you are: your own memories.
    """
    from recollect.api.opening import open_recollect

    return open_recollect(path, mine=mine)

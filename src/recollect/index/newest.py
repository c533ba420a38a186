"""The newest memories of an index.

A uid begins with its creation time, so no sorting is needed. But the writer of a record chooses its
uid and its date: what claims to be from the future comes last, and an author who wrote all of the
newest does not hide what others wrote before.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.core.crowding import SKEW, Traits, choose, crowd_in
from recollect.core.uid import make_uid
from recollect.index.tables import BIRTH, Tables, has_others

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Fetch this many times more than requested, since some may repeat others.
_WIDER = 4
_DATED = f"{BIRTH} < ? AND coalesce(memory.created, 0) <= ?"
_Row = tuple[str, str, bytes]


def newest_uids(
    tables: Tables, condition: str, parameters: Sequence[Any], limit: int, now: float
) -> list[str]:
    """Return the uids of the newest memories that match a condition."""
    latest = now + SKEW
    dates = (make_uid(int(latest * 1000), 0)[1:], latest)

    def look(also: str, values: Sequence[Any], most: int) -> list[_Row]:
        rows = tables.rows(
            f"SELECT uid, voice, sketch FROM memory WHERE {condition} AND {also}"
            f" ORDER BY {BIRTH} DESC, uid DESC LIMIT ?",
            (*parameters, *values, most),
        )
        return [(uid, voice, sketch) for uid, voice, sketch in rows]

    found = look(_DATED, dates, limit * _WIDER)
    crowd = crowd_in([voice for _, voice, _ in found])
    if crowd is not None and len(found) == limit * _WIDER and has_others(tables, crowd):
        found += look(f"{_DATED} AND memory.voice <> ?", (*dates, crowd), limit)
        found = sorted(set(found), key=lambda row: (row[0][1:], row[0]), reverse=True)
    if len(found) < limit:
        found += look(f"NOT ({_DATED})", dates, limit)
    return [uid for uid, *_ in choose(found, limit, lambda row: Traits(*row[1:]))]

"""Writes the plan of an import, in batches that survive a kill.

The run is recorded before it writes. After a kill, the next import writes the rest, and both runs
can be undone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from recollect.importing.plan import ImportPlan
from recollect.index.protocol import ALL, Filters
from recollect.ledger.writes import Creation
from recollect.sleep.undo import recorded
from recollect.state.runs import IMPORT
from recollect.store.store import Store

# Records in one commit per kind: a kill loses at most so many, and the next import writes them.
BATCH: Final = 100


def run_import(
    store: Store, plan: ImportPlan, progress: Callable[[int, int], None] | None = None
) -> ImportPlan:
    """Write a plan; return it with the name of its run. Without anything to write, no run."""
    settle_killed_runs(store)
    store.local.make_folder()
    store.local.sessions.note_learning_offered(store.now())
    known = {m.nonce for m in store.indexing.fresh().select(Filters(statuses=ALL))}
    writes = [
        write
        for planned in plan.kept
        for write in planned.writes
        # another import may have written it since the plan was made
        if not (isinstance(write, Creation) and write.nonce in known)
    ]
    if not writes:
        return plan
    with store.deferred_effects("import"), recorded(store, IMPORT, writes) as written:
        for start in range(0, len(writes), BATCH):
            written += store.write(writes[start : start + BATCH], "import")
            if progress is not None:
                progress(len(written), len(writes))
    wrote = {(record.uid, record.memory_uid) for record in written}
    mine = (run for run in store.local.runs.all() if not wrote.isdisjoint(run.records))
    return plan._replace(run=next((run.name for run in mine), ""))


def settle_killed_runs(store: Store) -> None:
    """Let each run that was killed name only what it wrote, not what it had planned."""
    runs = store.local.runs.all()
    killed = [run for run in runs if run.kind == IMPORT and not run.is_undone and run.is_open]
    if not killed:
        return
    index = store.indexing.fresh()
    by_nonce = {m.nonce: m for m in index.select(Filters(statuses=ALL)) if m.nonce}
    for run in killed:
        done = []
        for name, memory_uid in run.records:
            made = by_nonce.get(name)
            if made is not None:
                done.append((made.uid, made.uid))
                continue
            owner = by_nonce.get(memory_uid)
            uid = memory_uid if owner is None else owner.uid
            done += [(r.uid, uid) for r in index.history(uid) if name in (r.uid, r.nonce)]
        store.local.runs.end(run.name, written=done)

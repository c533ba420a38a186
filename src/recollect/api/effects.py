"""What follows from a write or a purge, by name; `Recollect` registers these effects.

They run after the write itself has succeeded, so a problem here becomes a warning, not an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.core.kinds import SESSIONS
from recollect.core.memory import VIA_SLEEP
from recollect.errors import RecollectError
from recollect.store.store import MAINTENANCE, Done, Store

# The reasons of writes that deal with unconfirmed memories themselves.
_OF_UNCONFIRMED = frozenset({"confirm", "reject"})
_UNDO = "undo"
_IMPORT = "import"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.core.memory import Memory
    from recollect.ledger.writes import Write


def retire_old_sessions(store: Store, done: Sequence[Done], reason: str) -> None:
    """Retire the oldest session summaries when a new one exceeds the window."""
    sessions = [record.uid for w, record in done if getattr(w, "kind", "") == SESSIONS]
    if sessions and (reason == _IMPORT or reason not in MAINTENANCE):
        from recollect.typed.session_rollover import retire_oldest, warnings_for

        try:
            # What somebody writes now is the newest; what an import brings is as old as it says.
            gone = retire_oldest(store, () if reason == _IMPORT else sessions)
        except RecollectError as error:
            store.ledger.warnings.append(f"Old sessions were not retired: {error.message}")
        else:
            if not store.has_deadline:  # nobody reads the warnings of a hook, and they take time
                store.ledger.warnings += warnings_for(store, gone)


def follow_status_change(store: Store, done: Sequence[Done], reason: str) -> None:
    """Restore the sources of a merged memory that was retired; close or reopen facts."""
    moved = [record.memory_uid for w, record in done if "status" in w.fields]
    if moved and reason not in MAINTENANCE:
        from recollect.core.status import RETIRED
        from recollect.sleep.purge import bring_back_sources

        found = store.indexing.fresh().get_many(moved)
        retired = {memory.uid: memory for memory in found if memory.status == RETIRED}
        bring_back_sources(store, retired)
        close_or_reopen_facts(store, found)


def archive_merged_sources(store: Store, done: Sequence[Done], reason: str) -> None:
    """Archive the sources of a merged memory that was accepted."""
    merged = [record.uid for w, record in done if _is_merge(w)]
    if merged and reason not in MAINTENANCE:
        from recollect.sleep.run import archive_sources

        for memory in store.indexing.fresh().get_many(merged):
            archive_sources(store, memory)


def _is_merge(write: Write) -> bool:
    provenance = write.fields.get("provenance")
    return "summary" in write.fields and (provenance or {}).get("via") == VIA_SLEEP


def close_or_reopen_facts(store: Store, changed: Sequence[Memory]) -> None:
    """Close or reopen other facts when a fact was added, changed or removed."""
    from recollect.core.kinds import FACTS

    if any(memory.kind == FACTS for memory in changed):
        from recollect.facts.expiry import expire_facts

        expire_facts(store)


def follow_unconfirmed(store: Store, done: Sequence[Done], reason: str) -> None:
    """Reject unconfirmed memories that somebody retired, and forget what somebody restored.

    Also settle those that say what somebody has just captured.
    """
    if reason in MAINTENANCE:
        return
    moved = [record.memory_uid for w, record in done if "status" in w.fields and record.of]
    made = [record.uid for w, record in done if not record.of and not getattr(w, "is_local", True)]
    if moved and reason not in _OF_UNCONFIRMED:
        from recollect.core.status import RETIRED, UNCONFIRMED

        found = [m for m in store.indexing.fresh().get_many(moved) if m.was_unconfirmed]
        if found:
            from recollect.capture.rejections import forget_rejected
            from recollect.capture.unconfirmed import reject, text_of

            if reason != _UNDO:  # the run was wrong, not what it said
                reject(store, [m for m in found if m.status == RETIRED])
            forget_rejected(store, [text_of(m) for m in found if m.status == UNCONFIRMED])
    if made:
        from recollect.capture.absorbing import settle_twins

        settle_twins(store, made)


def update_mirror(store: Store, _changed: Sequence[object], _reason: str = "") -> None:
    """Bring the mirror up to date, if it is on."""
    if store.config.flag("mirror.enabled") and not store.has_deadline:
        from recollect.mirror.mirror import follow

        follow(store)


def refresh_instruction_blocks(store: Store, _changed: Sequence[object], _reason: str = "") -> None:
    """Update the blocks that the user wants in files that agents read."""
    from recollect.state.instruction_blocks import files_with_block

    if not store.has_deadline and files_with_block(store.ledger.repository.state_dir):
        from recollect.mirror.instruction_block import refresh

        refresh(store)


AFTER_WRITE = (
    retire_old_sessions,
    archive_merged_sources,
    follow_status_change,
    follow_unconfirmed,
    update_mirror,
    refresh_instruction_blocks,
)
AFTER_PURGE = (close_or_reopen_facts, update_mirror, refresh_instruction_blocks)

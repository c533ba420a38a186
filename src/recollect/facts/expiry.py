"""Archives facts that are no longer true, and restores facts that are true again.

The rule in `core.facts` decides when a fact is true, and queries use that rule. This module only
records whether a fact appears among other memories. It marks its changes with `status_by`, so that
it never overrides a person who archived or restored a fact. Every clone writes the same records
from the same facts, and nothing if nothing is due.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.core.age import seconds_of
from recollect.core.facts import Fact, closers, fact_of, with_ends
from recollect.core.kinds import FACTS
from recollect.core.memory import Memory, status_before_hiding
from recollect.core.status import ARCHIVED, VISIBLE
from recollect.errors import RecollectError
from recollect.sleep.lifecycle import status_since
from recollect.sleep.plan import BY_FACT, BY_GC, Step
from recollect.sleep.run import changeable, write_steps
from recollect.store.store import Store


def all_facts(store: Store) -> list[Fact]:
    """Return every public fact that nobody deleted, oldest first."""
    memories = store.memories(kind=FACTS, status=(*VISIBLE, ARCHIVED), sensitivity="public")
    # A memory that `gc` archived was deleted before.
    return [f for f in map(fact_of, (m for m in memories if m.status_by != BY_GC)) if f is not None]


def now_of(store: Store) -> str:
    """Return the current time, in the format of facts."""
    return store.ledger.clock().strftime("%Y-%m-%dT%H:%M:%SZ")


def expire_facts(store: Store, facts: Sequence[Fact] | None = None) -> None:
    """Archive facts that are over and restore those that hold again, including other clones' facts.

    The caller has already written its own change. If this step fails, it adds a warning, and the
    next call repeats it.
    """
    try:
        known = all_facts(store) if facts is None else facts
        steps = list(_steps(known, now_of(store)))
        if not steps:
            return
        mine = {m.uid for m in changeable(store.indexing.fresh(), [step.memory for step in steps])}
        write_steps(store, [step for step in steps if step.memory.uid in mine], "fact")
    except RecollectError as error:
        store.ledger.warnings.append(f"Could not archive expired facts: {error.message}")


def _steps(facts: Sequence[Fact], now: str) -> Iterator[Step]:
    for fact, closer in zip(with_ends(facts), closers(facts), strict=True):
        memory = fact.memory
        is_over = bool(fact.valid_until) and fact.valid_until <= now
        # Use a time that is the same in every clone, and earlier than any later change by a person,
        # so that the person's change wins if both happen.
        since = status_since(memory) or 0.0
        if is_over and memory.status in VISIBLE and not _is_wanted(memory, closer):
            reason = "no longer valid" if closer is None else "replaced by a newer fact"
            yield Step(memory, ARCHIVED, reason, BY_FACT, since)
        elif not is_over and (memory.status, memory.status_by) == (ARCHIVED, BY_FACT):
            yield Step(memory, status_before_hiding(memory), "valid again", BY_FACT, since)


def _is_wanted(memory: Memory, closer: Fact | None) -> bool:
    """Return whether a person restored the fact after it was over."""
    steps = [change for change in memory.changes if change.get("field") == "status"]
    if memory.status_by is not None or not steps or steps[-1].get("old_value") != ARCHIVED:
        return False
    known = seconds_of(closer.memory.created) if closer is not None else None
    return known is None or (status_since(memory) or 0.0) >= known

"""Facts that are over leave everyday recall, and come back when they are open again.

What is true when is a rule over all facts (`core.facts`), and queries go by that. What is written
down here is only whether a fact is shown beside other memories; it says so with `status_by`, so
that what a person archived or brought back is left alone. Every clone writes the same records from
the same knowledge, and nothing where all is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect.core.age import seconds_of
from recollect.core.facts import Fact, closers, fact_of, settled
from recollect.core.kinds import FACTS
from recollect.core.memory import Memory, status_before_hiding
from recollect.core.status import ARCHIVED, VISIBLE
from recollect.errors import RecollectError
from recollect.sleep.lifecycle import moved
from recollect.sleep.plan import BY_FACT, BY_GC, Step
from recollect.sleep.run import ours, write_steps
from recollect.store.store import Store


def all_facts(store: Store) -> list[Fact]:
    """Every public fact that nobody deleted, oldest first."""
    memories = store.memories(kind=FACTS, status=(*VISIBLE, ARCHIVED), sensitivity="public")
    # What `gc` archives was deleted before.
    return [f for f in map(fact_of, (m for m in memories if m.status_by != BY_GC)) if f is not None]


def now_of(store: Store) -> str:
    """The moment at which facts are true now."""
    return store.ledger.clock().strftime("%Y-%m-%dT%H:%M:%SZ")


def expire_facts(store: Store, facts: Sequence[Fact] | None = None) -> None:
    """Archive what is over, bring back what is open again; also what other clones stored.

    What led to this is written already: what goes wrong here is told, and the next one does it.
    """
    try:
        known = all_facts(store) if facts is None else facts
        steps = list(_steps(known, now_of(store)))
        if not steps:
            return
        mine = {m.uid for m in ours(store.indexing.fresh(), [step.memory for step in steps])}
        write_steps(store, [step for step in steps if step.memory.uid in mine], "fact")
    except RecollectError as error:
        store.ledger.warnings.append(f"Facts that are over were not archived: {error.message}")


def _steps(facts: Sequence[Fact], now: str) -> Iterator[Step]:
    for fact, closer in zip(settled(facts), closers(facts), strict=True):
        memory = fact.memory
        is_over = bool(fact.valid_until) and fact.valid_until <= now
        # Not now, but the same in every clone; and before whatever a person does meanwhile, so
        # that the person has the last word where both changed it apart.
        since = moved(memory) or 0.0
        if is_over and memory.status in VISIBLE and not _is_wanted(memory, closer):
            reason = "its time is over" if closer is None else "a newer fact says otherwise"
            yield Step(memory, ARCHIVED, reason, BY_FACT, since)
        elif not is_over and (memory.status, memory.status_by) == (ARCHIVED, BY_FACT):
            yield Step(memory, status_before_hiding(memory), "true again", BY_FACT, since)


def _is_wanted(memory: Memory, closer: Fact | None) -> bool:
    """Whether a person brought it back from the archive, after it was over."""
    steps = [change for change in memory.changes if change.get("field") == "status"]
    if memory.status_by is not None or not steps or steps[-1].get("old_value") != ARCHIVED:
        return False
    known = seconds_of(closer.memory.created) if closer is not None else None
    return known is None or (moved(memory) or 0.0) >= known

"""How the work of sleep grows with the number of memories.

Two measures for each size: planning alone, on memories of which a fifth say the same as others, and
a whole night on a real repository in which three of four memories have outlived their retention.
"""

from __future__ import annotations

import math
import random
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import recollect
from benchmarks.corpus import KINDS, build_repository, some_words
from recollect.core.memory import Memory
from recollect.core.uid import make_uid
from recollect.sleep.lifecycle import NO_USAGE
from recollect.sleep.planning import plan_sleep
from recollect.sleep.run import policy_of, sleep

_BORN = datetime(2026, 1, 1, tzinfo=UTC)
_ALIKE = 0.2
_COPIES = 5


class Night(NamedTuple):
    """What one size took, in seconds, and what came of it."""

    memories: int
    planning: float
    merges: int
    whole: float
    steps: int


def measure(size: int) -> Night:
    """One size."""
    found = make_memories(size)
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(folder) / "repo"
        build_repository(repo, size)
        with recollect.open(repo) as store:
            policy = policy_of(store.config)
            start = time.perf_counter()
            plan = plan_sleep(found, NO_USAGE, policy, (_BORN + timedelta(days=30)).timestamp())
            planning = time.perf_counter() - start
            # Idle time counts from when a clone first slept over a memory, and nothing is archived
            # as long as nobody has used anything for a while.
            store.ledger.clock = lambda: _BORN + timedelta(days=1)
            sleep(store)
            store.ledger.clock = lambda: _BORN + timedelta(days=250)
            start = time.perf_counter()
            done = sleep(store)
            whole = time.perf_counter() - start
    return Night(size, planning, len(plan.merges), whole, len(done.steps))


def make_memories(size: int, seed: int = 5) -> list[Memory]:
    """Memories of rare and common words; a fifth of them come in five wordings of one thing."""
    rng = random.Random(seed)
    made: list[Memory] = []
    while len(made) < size:
        summary, body = some_words(rng, 8)[:100], some_words(rng, 20)
        copies = _COPIES if rng.random() < _ALIKE / _COPIES else 1
        kind = rng.choice(KINDS[1:])
        for _ in range(copies):
            changed = body.split()
            changed[rng.randrange(len(changed))] = some_words(rng, 1)
            made.append(_memory(len(made), kind, rng, summary, " ".join(changed)))
    return made[:size]


def _memory(number: int, kind: str, rng: random.Random, summary: str, body: str) -> Memory:
    stamp = "2026-01-01T00:00:00Z"
    return Memory(
        uid=make_uid(1_760_000_000_000 + number, rng.getrandbits(80)),
        id=f"{kind}:{'a' * 40}:{number}",
        kind=kind,
        summary=summary.strip(),
        body=body,
        created=stamp,
        status_changed=stamp,
    )


def exponent(small: tuple[int, float], large: tuple[int, float]) -> float:
    """By which power of the size the time grows."""
    return math.log(large[1] / small[1]) / math.log(large[0] / small[0])

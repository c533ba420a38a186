"""Memories of every age, status and kind, and what was made of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import strategies as st

from recollect.core.kinds import KINDS
from recollect.core.memory import Memory
from recollect.core.strength import Uses
from recollect.core.uid import make_uid
from recollect.sleep.lifecycle import UsageSummary
from recollect.sleep.plan import Plan
from recollect.sleep.planning import archiving, as_memory
from recollect.sleep.policy import Policy

NOW = 1_800_000_000.0
DAY = 86_400.0
POLICY = Policy(retention={kind.name: 0.0 if kind.permanent else 90.0 for kind in KINDS}, most=12)

_WORDS = ("cart", "rounds", "half", "port", "shared", "fixture", "server", "times", "out", "test")


def stamp(seconds: float) -> str:
    """A moment as a record has it."""
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@st.composite
def memories(draw: st.DrawFn, number: int = 0) -> Memory:
    """One memory."""
    born = NOW - draw(st.integers(0, 400)) * DAY
    moved = draw(st.one_of(st.just(born), st.floats(born, NOW).map(int).map(float)))
    status = draw(
        st.sampled_from(("active", "active", "active", "resolved", "archived", "retired"))
    )
    if moved == born:
        status = "active"
    words = draw(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=7, unique=True))
    kind = draw(st.sampled_from(("learnings", "notes", "decisions", "sessions", "solutions")))
    return Memory(
        uid=make_uid(int(born * 1000), number),
        id=f"{kind}:{'a' * 40}:{number}",
        kind=kind,
        summary=" ".join(words),
        body=draw(st.sampled_from(("", "The server starts on a fixed port.", "- one\n- two\n"))),
        tags=tuple(draw(st.lists(st.sampled_from(("a", "b", "c")), unique=True))),
        concepts=tuple(draw(st.lists(st.sampled_from(("gotcha", "pattern")), unique=True))),
        asked_as=tuple(draw(st.lists(st.sampled_from("abcdefg"), max_size=5, unique=True))),
        files_modified=tuple(draw(st.lists(st.sampled_from(("x.py", "y.py")), unique=True))),
        importance=draw(st.sampled_from((0.0, 0.3, 0.5, 0.8, 1.0))),
        sensitivity=draw(st.sampled_from(("public", "public", "private", "secret", "unknown"))),
        ttl=draw(st.sampled_from((None, None, None, 3, 100))),
        provenance=draw(
            st.sampled_from(({}, {"said_by": "tool", "via": "tool", "hook": "tool-post"}))
        ),
        created=stamp(born),
        status=status,
        status_changed=stamp(moved),
        status_by=draw(st.sampled_from((None, "age", "merge"))) if status == "archived" else None,
        version=f"v{number}",
    )


@st.composite
def stores(draw: st.DrawFn, most: int = 25) -> tuple[list[Memory], UsageSummary]:
    """Memories, and what the log knows of them."""
    count = draw(st.integers(0, most))
    found = [draw(memories(number)) for number in range(count)]
    uses = {}
    for memory in found:
        if draw(st.integers(0, 3)) == 0:
            uses[memory.uid] = Uses(draw(st.integers(1, 9)), NOW - draw(st.integers(0, 300)) * DAY)
    shown = {
        memory.uid: NOW - draw(st.integers(0, 60)) * DAY
        for memory in found
        if draw(st.integers(0, 5)) == 0
    }
    return found, UsageSummary(uses, shown)


def outcome(store: Sequence[Memory], plan: Plan) -> list[Memory]:
    """The memories after a plan was carried out."""
    after = {memory.uid: memory for memory in store}
    for made in plan.merges:
        after[made.uid] = as_memory(made)
        for step in archiving(made.sources, made.due):
            source = after[step.memory.uid]
            links = (*source.relates_to, made.uid)
            after[source.uid] = _changed(source, step.status, step.by)._replace(relates_to=links)
    for step in plan.steps:
        after[step.memory.uid] = _changed(after[step.memory.uid], step.status, step.by)
    return list(after.values())


def _changed(memory: Memory, status: str, by: str) -> Memory:
    return memory._replace(status=status, status_by=by, status_changed=stamp(NOW))


def memory(number: int, days: float, **fields: object) -> Memory:
    """A memory that was born so many days ago."""
    born = stamp(NOW - days * DAY)
    given = {
        "uid": f"0{number:025}",
        "id": f"notes:{'a' * 40}:{number}",
        "kind": "notes",
        "summary": f"unlike {number}",
        "created": born,
        "status_changed": born,
        **fields,
    }
    return Memory(**given)  # type: ignore[arg-type]

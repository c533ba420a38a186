"""Facts: subject, predicate, object, each a memory of its own, so that they merge and sync.

A fact is true for a time. Of some predicates there is one value at a time ("version", "owner",
"default branch"): there a newer fact closes the older one, which stays, archived, true until then.
Whoever stores a fact may say otherwise. The same fact, said again, is not stored twice.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.app.recollect import Recollect
from recollect.app.writing import change_of, prepare_status
from recollect.core.fields import check_timestamp
from recollect.core.kinds import FACTS
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.patterns import pattern
from recollect.core.status import ARCHIVED, RETIRED, VISIBLE
from recollect.errors import ValidationError
from recollect.ledger.lock import exclusive

PARTS = ("subject", "predicate", "object")
_LOCK = "facts.lock"
_MOST_PART = 500
_SPACE = pattern(r"[\s_\-]+")
# Predicates that hold one value at a time: by the whole, by their first word, by their last.
_ONE = frozenset(
    {
        *("is", "version", "status", "state", "owner", "owned_by", "maintained_by", "license"),
        *("port", "default", "deadline", "location", "located_at", "lives_in", "named", "name"),
        *("url", "size", "count", "limit", "timeout", "stored_in", "deployed_to"),
    }
)
_FIRST = frozenset({"current", "default", "latest", "primary", "main"})
_LAST = frozenset(
    {
        *("version", "status", "state", "owner", "port", "deadline", "url", "name", "date"),
        *("count", "size", "limit", "timeout"),
    }
)


class Fact(NamedTuple):
    """A fact and the memory that it is kept in."""

    memory: Memory
    subject: str
    predicate: str
    object: str
    valid_from: str
    valid_until: str
    source: str

    @property
    def key(self) -> tuple[str, ...]:
        """What makes two facts the same."""
        return tuple(normal(part) for part in (self.subject, self.predicate, self.object))

    def is_valid(self, moment: str) -> bool:
        """Whether it is true at a moment; it is no longer true at its end."""
        return self.valid_from <= moment and (not self.valid_until or moment < self.valid_until)


class Found(NamedTuple):
    """A fact that a query found, and how many steps away it is."""

    fact: Fact
    hop: int


class Stored(NamedTuple):
    """A fact after storing it: whether it is new, and what it closed."""

    fact: Fact
    is_new: bool
    closed: Sequence[Fact]


def normal(text: str) -> str:
    """A part of a fact as it is compared: `Depends on` is `depends_on`."""
    plain = unicodedata.normalize("NFC", text).casefold().strip()
    return _SPACE.sub("_", plain.rstrip("."))


def holds_one_value(predicate: str) -> bool:
    """Whether a predicate is one of those that hold one value at a time."""
    words = normal(predicate).split("_")
    return normal(predicate) in _ONE or words[0] in _FIRST or words[-1] in _LAST


def fact_of(memory: Memory) -> Fact | None:
    """The fact that a memory holds; None for one that is none, or broken."""
    content = memory.content or {}
    parts = [content.get(name) for name in PARTS]
    if memory.kind != FACTS or not all(isinstance(part, str) and part for part in parts):
        return None
    subject, predicate, thing = map(str, parts)
    begins, ends = content.get("valid_from"), content.get("valid_until")
    return Fact(
        memory,
        subject,
        predicate,
        thing,
        str(begins or memory.created or ""),
        str(ends or ""),
        str(content.get("source") or ""),
    )


def store_fact(
    store: Recollect,
    subject: str,
    predicate: str,
    thing: str,
    *,
    confidence: float | None = None,
    source: str | None = None,
    valid_from: str | None = None,
    valid_until: str | None = None,
    replaces: bool | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Stored:
    """Keep a fact. `source` is a memory's uid; `replaces` overrules what the predicate says."""
    parts = [
        _part(name, part) for name, part in zip(PARTS, (subject, predicate, thing), strict=True)
    ]
    clean = [str(store.redact(part)) for part in parts]
    begins = check_timestamp(valid_from) if valid_from else _now(store)
    ends = check_timestamp(valid_until) if valid_until else ""
    if ends and ends <= begins:
        raise ValidationError("A fact cannot end before it begins.", "Swap the two dates.")
    lock = store.ledger.repository.state_dir / _LOCK
    with exclusive(lock, store.config.number("lock.timeout")):
        known = all_facts(store)
        wanted = tuple(normal(part) for part in clean)
        for fact in known:
            overlaps = not fact.valid_until or fact.valid_until > begins
            if fact.key == wanted and overlaps and fact.memory.status != RETIRED:
                store.local.usage.record([fact.memory.uid], "said", _seconds(store))
                return Stored(fact, False, ())
        one = holds_one_value(clean[1]) if replaces is None else replaces
        others = (
            [f for f in known if f.key[:2] == wanted[:2] and _is_open(f, begins)] if one else []
        )
        later = min((f.valid_from for f in others if f.valid_from > begins), default="")
        ends = min(filter(None, (ends, later)), default="")
        draft = _draft(clean, begins, ends, source, confidence, provenance)
        memory = store.capture_many([draft])[0]
        closed = [_close(store, f, begins, memory) for f in others if f.valid_from <= begins]
        if later:  # what is known is newer: this one was true before
            memory = store.set_status(memory.uid, ARCHIVED, "a newer fact was known already")
    stored = fact_of(memory)
    assert stored is not None
    return Stored(stored, True, closed)


def _draft(
    parts: Sequence[str],
    begins: str,
    ends: str,
    source: str | None,
    confidence: float | None,
    provenance: Mapping[str, Any] | None,
) -> dict[str, Any]:
    sentence = " ".join(" ".join(part.split()) for part in parts)
    content = dict(zip(PARTS, parts, strict=True))
    times = {"valid_from": begins, "valid_until": ends, "source": source}
    return {
        "kind": FACTS,
        "summary": shorten_line(sentence),
        "body": sentence if len(sentence) > SUMMARY_LENGTH else "",
        "content": {**content, **{name: value for name, value in times.items() if value}},
        "confidence": confidence,
        "relates_to": [source] if source else None,
        "provenance": provenance,
    }


def _is_open(fact: Fact, begins: str) -> bool:
    """Whether a fact is still true when another one begins, also where its end is planned."""
    goes_on = not fact.valid_until or fact.valid_until > begins
    return goes_on and fact.memory.status in VISIBLE


def _close(store: Recollect, fact: Fact, moment: str, newer: Memory) -> Fact:
    """Let an older fact end where a newer one begins; once that is past it leaves recall."""
    content = {**(fact.memory.content or {}), "valid_until": moment}
    step = change_of(store, fact.memory, {"content": content}, None)
    if moment <= _now(store):
        status = prepare_status(store, fact.memory, ARCHIVED, f"replaced by {short(newer.id)}")
        step = step._replace(fields={**step.fields, **status.fields})
    store.write([step], "fact")
    closed = fact_of(store.get(fact.memory.uid))
    assert closed is not None
    return closed


def all_facts(store: Recollect) -> list[Fact]:
    """Every public fact that is not retired, oldest first."""
    memories = store.memories(kind=FACTS, status=(*VISIBLE, ARCHIVED), sensitivity="public")
    return [fact for fact in map(fact_of, memories) if fact is not None]


def query_facts(
    store: Recollect,
    *,
    subject: str | None = None,
    predicate: str | None = None,
    thing: str | None = None,
    at: str | None = None,
    history: bool = False,
    hops: int = 1,
) -> list[Found]:
    """Facts by any of their parts, true now or at a moment; with `history`, whenever.

    With two hops, also what is said of the things that were found.
    """
    moment = store.moment(at) if at else _now(store)
    known = _distinct(f for f in all_facts(store) if history or f.is_valid(moment))
    asked = {0: subject, 1: predicate, 2: thing}
    wanted = {place: normal(part) for place, part in asked.items() if part and part.strip()}
    found = [f for f in known if all(f.key[n] == part for n, part in wanted.items())]
    if not found:
        found = [f for f in known if all(part in f.key[n] for n, part in wanted.items())]
    result = [Found(fact, 1) for fact in found]
    if hops > 1:
        seen = {fact.memory.uid for fact in found}
        ends = {end for fact in found for end in (fact.key[0], fact.key[2])}
        result += [
            Found(fact, 2)
            for fact in known
            if fact.memory.uid not in seen and (fact.key[0] in ends or fact.key[2] in ends)
        ]
    return result


def _distinct(facts: Iterable[Fact]) -> list[Fact]:
    """Two clones may have stored the same; the first counts."""
    first: dict[object, Fact] = {}
    for fact in facts:
        first.setdefault((*fact.key, fact.valid_until), fact)
    return list(first.values())


def _part(name: str, value: str) -> str:
    text = " ".join(value.split())
    if not text or len(text) > _MOST_PART:
        raise ValidationError(f"The {name} of a fact takes 1 to {_MOST_PART} characters.")
    return text


def _now(store: Recollect) -> str:
    return store.ledger.clock().strftime("%Y-%m-%dT%H:%M:%SZ")


def _seconds(store: Recollect) -> float:
    return store.ledger.clock().timestamp()

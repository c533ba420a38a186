"""Facts: subject, predicate, object, each a memory of its own, so that they merge and sync.

A fact is true for a time. Of some predicates there is one value at a time ("version", "owner",
"default branch"): there a newer fact closes the older one, which stays, archived, true until then.
Whoever stores a fact may say otherwise. The same fact, said again, is not stored twice.

Queries go by the rule of `core.facts` alone, so that clones which stored apart agree as soon as
they have synced, and what a fact had closed is true again when that fact goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.app.closing import all_facts, now_of, settle
from recollect.app.recollect import Recollect
from recollect.core.facts import PARTS, Fact, fact_of, normal, settled
from recollect.core.fields import check_timestamp
from recollect.core.kinds import FACTS
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.errors import ValidationError
from recollect.ledger.lock import exclusive

_LOCK = "facts.lock"
_MOST_PART = 500


class Found(NamedTuple):
    """A fact that a query found, and how many steps away it is."""

    fact: Fact
    hop: int


class Stored(NamedTuple):
    """A fact after storing it: whether it is new, and what it closed."""

    fact: Fact
    is_new: bool
    closed: Sequence[Fact]


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
    begins = check_timestamp(valid_from) if valid_from else now_of(store)
    ends = check_timestamp(valid_until) if valid_until else ""
    if ends and ends <= begins:
        raise ValidationError("A fact cannot end before it begins.", "Swap the two dates.")
    lock = store.ledger.repository.state_dir / _LOCK
    with exclusive(lock, store.config.number("lock.timeout")):
        known = all_facts(store)
        wanted = tuple(normal(part) for part in clean)
        for fact in settled(known):
            if fact.key == wanted and fact.is_valid(begins):
                store.local.usage.record([fact.memory.uid], "said", _seconds(store))
                return Stored(fact, False, ())
        draft = _draft(clean, begins, ends, source, replaces, confidence, provenance)
        memory = store.capture_many([draft])[0]
        new = fact_of(memory)
        assert new is not None
        settle(store, [*known, new])
    return _stored(store, [fact for fact in known if fact.key[:2] == wanted[:2]], new)


def _stored(store: Recollect, others: Sequence[Fact], new: Fact) -> Stored:
    """A new fact, and those of the others that end otherwise because of it."""
    *ended, fact = settled([*others, new])
    closed = [now for before, now in zip(settled(others), ended, strict=True) if now != before]
    uids = [one.memory.uid for one in (*closed, fact)]
    found = store.indexing.using(lambda index: index.get_many(uids))
    by_uid = {memory.uid: memory for memory in found}
    *closed, fact = (
        one._replace(memory=by_uid.get(one.memory.uid, one.memory)) for one in (*closed, fact)
    )
    return Stored(fact, True, closed)


def _draft(
    parts: Sequence[str],
    begins: str,
    ends: str,
    source: str | None,
    replaces: bool | None,
    confidence: float | None,
    provenance: Mapping[str, Any] | None,
) -> dict[str, Any]:
    sentence = " ".join(" ".join(part.split()) for part in parts)
    content = dict(zip(PARTS, parts, strict=True))
    more = {"valid_from": begins, "valid_until": ends, "source": source, "replaces": replaces}
    return {
        "kind": FACTS,
        "summary": shorten_line(sentence),
        "body": sentence if len(sentence) > SUMMARY_LENGTH else "",
        "content": {
            **content,
            **{name: value for name, value in more.items() if value not in (None, "")},
        },
        "confidence": confidence,
        "relates_to": [source] if source else None,
        "provenance": provenance,
    }


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
    moment = store.moment(at) if at else now_of(store)
    every = settled(all_facts(store))
    known = (
        _distinct(every, history=True)
        if history
        else _distinct(f for f in every if f.is_valid(moment))
    )
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


def _distinct(facts: Iterable[Fact], *, history: bool = False) -> list[Fact]:
    """Two clones may have stored the same; the one that began first counts."""
    first: dict[object, Fact] = {}
    for fact in facts:
        name = (*fact.key, fact.valid_until if history else "")
        known = first.setdefault(name, fact)
        if fact.order < known.order:
            first[name] = fact
    return list(first.values())


def _part(name: str, value: str) -> str:
    text = " ".join(value.split())
    if not text or len(text) > _MOST_PART:
        raise ValidationError(f"The {name} of a fact takes 1 to {_MOST_PART} characters.")
    return text


def _seconds(store: Recollect) -> float:
    return store.ledger.clock().timestamp()

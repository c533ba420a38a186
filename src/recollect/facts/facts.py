"""Stores and queries facts. Each fact is a separate memory, so that facts merge and sync.

A fact is true for a time. Some predicates have one value at a time ("version", "owner", "default
branch"): there, a newer fact closes the older one, which stays archived and true until then. The
caller can override this for each fact. The same fact is not stored twice.

Queries use only the rule in `core.facts`. So clones that stored facts independently agree once they
sync, and if a fact is deleted, the fact that it closed is true again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from recollect.core.facts import PARTS, Fact, fact_of, normal, with_ends
from recollect.core.fields import check_fields
from recollect.core.kinds import FACTS
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.errors import ValidationError
from recollect.facts.expiry import all_facts, expire_facts, now_of
from recollect.ledger.lock import exclusive
from recollect.store.prepare import change_of
from recollect.store.store import Store

_LOCK = "facts.lock"
_MOST_PART = 500
_SESSION = "session:"
BOUNDARY_AT = "boundary_at"
_DETAILS = ("valid_from", "valid_until", "source", "replaces")


class Found(NamedTuple):
    """A fact that a query found, and how many hops away it is."""

    fact: Fact
    hop: int


class Stored(NamedTuple):
    """The result of storing a fact: whether it is new, and which facts it closed.

    For a known fact, `kept` names the details that were added to it, and `unkept` those that were
    not.
    """

    fact: Fact
    is_new: bool
    closed: Sequence[Fact]
    kept: tuple[str, ...] = ()
    unkept: Mapping[str, Any] = MappingProxyType({})


def store_fact(
    store: Store,
    subject: str,
    predicate: str,
    thing: str,
    *,
    confidence: float | None,
    source: str | None,
    valid_from: str | None,
    valid_until: str | None,
    replaces: bool | None,
    provenance: Mapping[str, Any] | None,
) -> Stored:
    """Store a fact. `source` names a memory; `replaces` overrides the rule of the predicate."""
    parts = [
        _part(name, part) for name, part in zip(PARTS, (subject, predicate, thing), strict=True)
    ]
    clean = [str(store.redact(part)) for part in parts]
    said = {
        "valid_from": store.moment(valid_from) if valid_from else None,
        "valid_until": store.moment(valid_until) if valid_until else None,
        "source": store.get(source).uid if source else None,
        "replaces": replaces,
        **check_fields({"confidence": confidence}),
    }
    begins = said["valid_from"] or now_of(store)
    if said["valid_until"] and said["valid_until"] <= begins:
        raise ValidationError("A fact cannot end before it begins.", "Swap the two dates.")
    lock = store.ledger.repository.state_dir / _LOCK
    with exclusive(lock, store.config.number("lock.timeout")):
        known = all_facts(store)
        wanted = tuple(normal(part) for part in clean)
        near = [fact for fact in known if fact.key[:2] == wanted[:2]]
        same = [fact for fact in with_ends(near) if fact.key == wanted and fact.is_valid(begins)]
        if same and not (replaces and _closes_more(near, same, begins)):
            return _add_details(store, near, same, said)
        draft = _draft(clean, {**said, "valid_from": begins}, provenance)
        new = fact_of(store.capture_many([draft])[0])
        assert new is not None
        expire_facts(store, [*known, new])
    return _stored(store, near, new)


def _stored(store: Store, others: Sequence[Fact], new: Fact) -> Stored:
    """Return the new fact, and the other facts whose end it changes."""
    *ended, fact = with_ends([*others, new])
    closed = [now for before, now in zip(with_ends(others), ended, strict=True) if now != before]
    uids = [one.memory.uid for one in (*closed, fact)]
    found = store.indexing.using(lambda index: index.get_many(uids))
    by_uid = {memory.uid: memory for memory in found}
    *closed, fact = (
        one._replace(memory=by_uid.get(one.memory.uid, one.memory)) for one in (*closed, fact)
    )
    return Stored(fact, True, closed)


def _closes_more(near: Sequence[Fact], same: Sequence[Fact], begins: str) -> bool:
    """Return whether storing a known fact that replaces others, from a moment on, adds something.

    It does if other facts are true at that moment, or were true beside it before, because that
    remains true of the past.
    """
    if any(fact.key != same[0].key and fact.is_valid(begins) for fact in with_ends(near)):
        return True
    return not any(one.replaces for one in same) and not _ends_stay(near, _first(same), True)


def _ends_stay(near: Sequence[Fact], fact: Fact, replaces: bool) -> bool:
    """Return whether all facts end as before if this one does, or does not, replace others."""
    changed = [
        one._replace(replaces=replaces) if one.memory.uid == fact.memory.uid else one
        for one in near
    ]
    return [f.valid_until for f in with_ends(changed)] == [f.valid_until for f in with_ends(near)]


def _first(same: Sequence[Fact]) -> Fact:
    """Return which of several equal facts queries show."""
    return min(same, key=lambda fact: fact.order)


def _add_details(
    store: Store, near: Sequence[Fact], same: Sequence[Fact], said: Mapping[str, Any]
) -> Stored:
    """Add new details to a known fact if they contradict nothing; report the others."""
    fact = _first(same)
    memory, replaces = fact.memory, said["replaces"]
    is_heard = any(f.replaces for f in same) if replaces else all(f.replaces is False for f in same)
    unlike = {
        "valid_from": said["valid_from"] not in {one.valid_from for one in same},
        "valid_until": said["valid_until"] != (memory.content or {}).get("valid_until"),
        "source": said["source"] != fact.source,
        "replaces": not is_heard,
        "confidence": said["confidence"] != memory.confidence,
    }
    news = {name: said[name] for name in unlike if said[name] is not None and unlike[name]}
    fits = {
        "source": not fact.source,
        "replaces": (replaces or len(same) == 1) and _ends_stay(near, fact, bool(replaces)),
        "confidence": (said["confidence"] or 0.0) > memory.confidence,
    }
    kept = {name: value for name, value in news.items() if fits.get(name)}
    if kept:
        content = {name: value for name, value in kept.items() if name != "confidence"}
        fields = {name: value for name, value in kept.items() if name == "confidence"}
        if "source" in kept:
            fields["relates_to"] = list(dict.fromkeys([*memory.relates_to, kept["source"]]))
        fields["content"] = {**(memory.content or {}), **content}
        store.write([change_of(store, memory, fields, None)], "fact")
    expire_facts(store)
    store.local.usage.record([memory.uid], "said", _seconds(store))
    now = fact_of(store.get(memory.uid))
    assert now is not None
    now = now._replace(valid_until=fact.valid_until)
    unkept = {name: value for name, value in news.items() if name not in kept}
    return Stored(now, False, (), tuple(kept), unkept)


def _draft(
    parts: Sequence[str], said: Mapping[str, Any], provenance: Mapping[str, Any] | None
) -> dict[str, Any]:
    sentence = " ".join(" ".join(part.split()) for part in parts)
    more = {name: said[name] for name in _DETAILS if said[name] is not None}
    return {
        "kind": FACTS,
        "summary": shorten_line(sentence),
        "body": sentence if len(sentence) > SUMMARY_LENGTH else "",
        "content": {**dict(zip(PARTS, parts, strict=True)), **more},
        "confidence": said["confidence"],
        "relates_to": [said["source"]] if said["source"] else None,
        "provenance": provenance,
    }


def query_facts(
    store: Store,
    *,
    subject: str | None = None,
    predicate: str | None = None,
    thing: str | None = None,
    at: str | None = None,
    history: bool = False,
    hops: int = 1,
) -> list[Found]:
    """Find facts by any of their parts, true now or at a moment; with `history`, at any time.

    With two hops, also find facts about the subjects and objects found.
    """
    moment = store.moment(at) if at else now_of(store)
    every = with_ends(all_facts(store))
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
    result += [Found(fact, 1) for fact in _boundaries(store, wanted, moment, history=history)]
    if hops > 1:
        seen = {fact.memory.uid for fact in found}
        ends = {end for fact in found for end in (fact.key[0], fact.key[2])}
        result += [
            Found(fact, 2)
            for fact in known
            if fact.memory.uid not in seen and (fact.key[0] in ends or fact.key[2] in ends)
        ]
    return result


def sentence_parts(text: str) -> tuple[str, str, str] | None:
    """Return subject, predicate and object of `cart depends_on redis` or `a | is part of | b`.

    Other texts may be read in several ways, so they are no fact.
    """
    parts = text.split("|") if "|" in text else text.split()
    if len(parts) != len(PARTS) or not all(part.strip() for part in parts):
        return None
    subject, predicate, thing = (part.strip() for part in parts)
    return subject, predicate, thing


def _boundaries(
    store: Store, wanted: Mapping[int, str], moment: str, *, history: bool
) -> Iterator[Fact]:
    """Yield where the episodes of a session ended, if a query asks for a session or for boundaries.

    They are facts of this machine: no memory holds them, and they are never pushed.
    """
    subject, predicate = wanted.get(0, ""), wanted.get(1, "")
    if not subject.startswith(_SESSION) and predicate != normal(BOUNDARY_AT):
        return
    for session, at, context in store.local.episodes.all_boundaries():
        when = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        name, thing = f"{_SESSION}{session}", f"{when} {context}".rstrip()
        memory = Memory(uid="", id="", kind=FACTS, summary=f"{name} {BOUNDARY_AT} {thing}")
        fact = Fact(memory, name, BOUNDARY_AT, thing, when, "", "")
        is_met = all(part in fact.key[place] for place, part in wanted.items())
        if is_met and (history or fact.is_valid(moment)):
            yield fact


def _distinct(facts: Iterable[Fact], *, history: bool = False) -> list[Fact]:
    """Drop facts that two clones stored twice; keep the one that began first."""
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
        raise ValidationError(f"The {name} of a fact must have 1 to {_MOST_PART} characters.")
    return text


def _seconds(store: Store) -> float:
    return store.now()

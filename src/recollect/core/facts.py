"""Facts: when two are the same, which predicates hold one value, and when each is true.

Clones store facts independently, so no clone can close every fact that another contradicts.
Validity is therefore a rule over all known facts, and every clone computes the same result: a fact
ends where the next one that contradicts it begins.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from recollect.core.kinds import FACTS
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

PARTS = ("subject", "predicate", "object")
_SPACE = pattern(r"[\s_\-]+")
# Predicates that hold one value at a time: by the whole, by first word, by last word.
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
    """A fact and the memory that holds it. `replaces` is None if it was not given.

    `valid_until` is what was stored or, after `with_ends`, also what follows from other facts.
    """

    memory: Memory
    subject: str
    predicate: str
    object: str
    valid_from: str
    valid_until: str
    source: str
    replaces: bool | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """Return what makes two facts the same."""
        return tuple(normal(part) for part in (self.subject, self.predicate, self.object))

    @property
    def order(self) -> tuple[str, str]:
        """Return the sort key that decides which fact is newer, the same in every clone."""
        return self.valid_from, self.memory.uid

    def is_valid(self, moment: str) -> bool:
        """Whether it is true at a moment; the end itself is excluded."""
        return self.valid_from <= moment and (not self.valid_until or moment < self.valid_until)


def normal(text: str) -> str:
    """Normalise a part of a fact for comparison: `Depends on` becomes `depends_on`."""
    plain = unicodedata.normalize("NFC", text).casefold().strip()
    return _SPACE.sub("_", plain.rstrip("."))


def holds_one_value(predicate: str) -> bool:
    """Whether a predicate holds one value at a time."""
    words = normal(predicate).split("_")
    return normal(predicate) in _ONE or words[0] in _FIRST or words[-1] in _LAST


def fact_of(memory: Memory) -> Fact | None:
    """Return the fact that a memory holds; None if it holds none or is malformed."""
    content = memory.content or {}
    parts = [content.get(name) for name in PARTS]
    if memory.kind != FACTS or not all(isinstance(part, str) and part for part in parts):
        return None
    subject, predicate, thing = map(str, parts)
    begins, ends = content.get("valid_from"), content.get("valid_until")
    replaces = content.get("replaces")
    return Fact(
        memory,
        subject,
        predicate,
        thing,
        str(begins or memory.created or ""),
        str(ends or ""),
        str(content.get("source") or ""),
        replaces if isinstance(replaces, bool) else None,
    )


def with_ends(facts: Iterable[Fact]) -> list[Fact]:
    """Return the same facts in the same order, each with the end that follows from the others.

    That end depends on what is known, so it is never stored.
    """
    facts = list(facts)
    return [_ended(fact, closer) for fact, closer in zip(facts, closers(facts), strict=True)]


def closers(facts: Sequence[Fact]) -> list[Fact | None]:
    """Return, for each fact, the fact that ends it, if any.

    A newer fact that replaces ends an older one with another value. A fact that coexists with
    others (`replaces` is false) ends only if the newer one says so (`replaces` is true).
    """
    keys = [fact.key for fact in facts]
    replacing: dict[tuple[str, ...], list[tuple[Fact, str]]] = {}
    for fact, key in sorted(zip(facts, keys, strict=True), key=lambda pair: pair[0].order):
        if holds_one_value(fact.predicate) if fact.replaces is None else fact.replaces:
            replacing.setdefault(key[:2], []).append((fact, key[2]))
    return [
        _closer(fact, key[2], replacing.get(key[:2], []))
        for fact, key in zip(facts, keys, strict=True)
    ]


def _closer(fact: Fact, thing: str, replacing: list[tuple[Fact, str]]) -> Fact | None:
    begin = bisect_right(replacing, fact.order, key=lambda pair: pair[0].order)
    for place in range(begin, len(replacing)):
        other, value = replacing[place]
        if value != thing and (fact.replaces is not False or other.replaces):
            return other
    return None


def _ended(fact: Fact, closer: Fact | None) -> Fact:
    if closer is None:
        return fact
    return fact._replace(valid_until=min(filter(None, (fact.valid_until, closer.valid_from))))

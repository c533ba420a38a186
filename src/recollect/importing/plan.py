"""Plans an import: what becomes a memory, what changes one, and what is left out and why.

A dry run shows the plan that a run then writes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from recollect.capture.novelty import DUPLICATE, Known, judge
from recollect.capture.rejections import is_rejected
from recollect.capture.unconfirmed import text_of
from recollect.core.memory import UNDOES, Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.status import RESTORED, RETIRED, UNCONFIRMED, VISIBLE
from recollect.core.unconfirmed import VIA_IMPORT, confirmed_nonce
from recollect.errors import RecollectError
from recollect.importing.collect import (
    MOST_IN_TOTAL,
    MOST_OF_SOURCE,
    TOO_MANY,
    Collected,
    nonce_of,
)
from recollect.importing.source import ORIGIN, RELATED, Item, Place
from recollect.index.protocol import ALL, Filters, Index, is_purged
from recollect.index.text import query_terms
from recollect.ledger.writes import NOBODY, Write
from recollect.store.prepare import prepare_status, prepare_update
from recollect.store.store import Store

# What happens to an item.
CREATE: Final = "create"
UPDATE: Final = "update"
RESTORE: Final = "restore"
# In the provenance of an imported memory: the item in its source, and the hash of its text.
FROM: Final = "from"
DIGEST: Final = "digest"
# Memories that a text is compared with, and the characters of it that find them.
_SIMILAR = 8
_SEARCHED = 300
# Titles with this share of common words are compared as whole texts.
_LIKE = 0.5
_ALIVE = frozenset({*VISIBLE, UNCONFIRMED})


class Planned(NamedTuple):
    """An item that changes something, and the records that do it."""

    source: str
    action: str
    item: Item
    writes: tuple[Write, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as `--json` prints it."""
        item = self.item
        return {
            "action": self.action,
            "from": item.identity,
            "kind": item.kind,
            "summary": item.summary,
            "body": item.body,
            "created": item.created,
            "commit": item.commit,
            "score": round(item.score, 3),
            "status": "active" if item.is_rule else UNCONFIRMED,
        }


class SourcePlan(NamedTuple):
    """What one source brings, and what is left out, by reason."""

    source: str
    places: tuple[Place, ...]
    looked_at: int
    kept: tuple[Planned, ...]
    # Items that are memories already.
    known: int
    left_out: Mapping[str, int]
    # Memories whose item is no longer in the source; they stay.
    removed: tuple[Memory, ...]
    problems: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as `--json` prints it."""
        return {
            "source": self.source,
            "places": [place._asdict() for place in self.places],
            "looked_at": self.looked_at,
            "kept": [planned.as_json() for planned in self.kept],
            "known": self.known,
            "left_out": dict(self.left_out),
            "removed": [{"id": m.id, "uid": m.uid, "summary": m.summary} for m in self.removed],
            "problems": list(self.problems),
        }


class ImportPlan(NamedTuple):
    """What an import does, by source; `run` names it once it is written."""

    sources: tuple[SourcePlan, ...]
    run: str = ""

    @property
    def kept(self) -> list[Planned]:
        """Everything that changes something, in order of the sources."""
        return [planned for source in self.sources for planned in source.kept]

    def as_json(self) -> dict[str, Any]:
        """Return the plan as `--json` prints it."""
        return {"run": self.run or None, "sources": [source.as_json() for source in self.sources]}


def digest_of(item: Item) -> str:
    """Return the hash of what an item says, to see later whether its source has changed."""
    text = "\n".join((item.kind, item.summary, item.body))
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def make_plan(store: Store, found: Sequence[Collected], *, whole: bool = True) -> ImportPlan:
    """Compare what sources offer with what is known; `whole`: they were read completely."""
    index = store.indexing.fresh()
    memories = index.select(Filters(statuses=ALL))
    planner = _Planner(store, index, memories)
    plans = []
    for collected in found:
        kept, known, left_out = planner.plan(collected)
        removed = planner.removed(collected) if whole and not collected.problems else ()
        plans.append(
            SourcePlan(
                collected.source,
                collected.places,
                collected.looked_at,
                tuple(kept),
                known,
                left_out,
                tuple(removed),
                collected.problems,
            )
        )
    return ImportPlan(tuple(_limited(plans)))


def _limited(plans: Iterable[SourcePlan]) -> list[SourcePlan]:
    """Keep the limit of all sources together: rules first, then what ranks highest."""
    plans = list(plans)
    everything = [planned for plan in plans for planned in plan.kept]
    room = MOST_IN_TOTAL - sum(plan.known for plan in plans)
    if len(everything) <= room:
        return plans
    ordered = sorted(everything, key=lambda p: (not p.item.is_rule, -p.item.score))
    going = {(p.source, p.item.identity) for p in ordered[max(0, room) :] if p.action == CREATE}
    limited = []
    for plan in plans:
        kept = tuple(p for p in plan.kept if (p.source, p.item.identity) not in going)
        fewer = len(plan.kept) - len(kept)
        counts = Counter(plan.left_out)
        counts[TOO_MANY] += fewer
        limited.append(plan._replace(kept=kept, left_out=dict(+counts)))
    return limited


class _Planner:
    """Compares items with the store and with those that are already planned."""

    def __init__(self, store: Store, index: Index, memories: Sequence[Memory]) -> None:
        self._store = store
        self._index = index
        self._memories = memories
        self._by_nonce: dict[str, Memory] = {
            memory.nonce: memory for memory in memories if memory.nonce
        }
        self._chosen: list[tuple[frozenset[str], str]] = []

    def plan(self, collected: Collected) -> tuple[list[Planned], int, dict[str, int]]:
        """Return what changes something, how many items are known, and what is left out."""
        kept: list[Planned] = []
        left_out = Counter(collected.left_out)
        known = 0
        for item in collected.items:
            memory = self._memory_of(collected.source, item)
            if memory is None and len(kept) + known >= MOST_OF_SOURCE:
                left_out[TOO_MANY] += 1
                continue
            try:
                action, writes, reason = (
                    self._new(collected.source, item)
                    if memory is None
                    else self._again(item, memory)
                )
            except RecollectError as error:
                action, writes, reason = "", (), f"not valid: {error.message}"
            if action:
                kept.append(Planned(collected.source, action, item, writes))
            elif reason:
                left_out[reason] += 1
            else:
                known += 1
            if not reason:
                self._remember(item)
        return kept, known, dict(left_out)

    def removed(self, collected: Collected) -> list[Memory]:
        """Return the memories of a source whose item it no longer has."""
        via = VIA_IMPORT + collected.source
        return [
            memory
            for memory in self._memories
            if memory.provenance.get("via") == via
            and memory.status in _ALIVE
            and not memory.provenance.get("confirmed")
            and memory.nonce not in collected.seen
        ]

    def _memory_of(self, source: str, item: Item) -> Memory | None:
        """Return the memory that an item became, or the one that was confirmed from it."""
        found = self._by_nonce.get(nonce_of(source, item.identity))
        if found is not None and found.status == RETIRED and found.was_unconfirmed:
            confirmed = self._by_nonce.get(confirmed_nonce(found))
            return found if confirmed is None else confirmed
        return found

    def _new(self, source: str, item: Item) -> tuple[str, tuple[Write, ...], str]:
        nonce = nonce_of(source, item.identity)
        if is_purged(self._index, nonce):
            return "", (), "purged here"
        text = _said(item)
        if is_rejected(self._store, text):
            return "", (), "rejected earlier"
        if self._is_known(item, text):
            return "", (), "already remembered"
        draft: dict[str, Any] = {
            **item.fields,
            "kind": item.kind,
            "summary": item.summary,
            "body": item.body,
            "created": item.created,
            "at": item.commit or "HEAD",
            "provenance": _provenance(source, item),
        }
        if not item.is_rule:
            draft["status"] = UNCONFIRMED
        creation = self._store.prepare(draft, nonce)
        # The same item must give the same record in every clone.
        fields = {name: value for name, value in creation.fields.items() if name != "branch"}
        return CREATE, (creation._replace(fields=fields, by=NOBODY),), ""

    def _again(self, item: Item, memory: Memory) -> tuple[str, tuple[Write, ...], str]:
        """Return what to do with an item that is a memory: nothing, an update, a restore."""
        writes: list[Write] = []
        action = ""
        if memory.status == RETIRED and self._is_undone(memory):
            action = RESTORE
            writes.append(prepare_status(self._store, memory, RESTORED, "imported again"))
        elif memory.status not in _ALIVE:
            return "", (), f"{memory.status} here"
        was = str(memory.provenance.get(DIGEST, ""))
        if digest_of(item) == was:
            return action, tuple(writes), ""
        now = digest_of(item._replace(kind=memory.kind, summary=memory.summary, body=memory.body))
        if now != was:
            return action, tuple(writes), "" if action else "changed here and in the source"
        fields = {"provenance": {**memory.provenance, DIGEST: digest_of(item)}}
        fields |= {n: v for n, v in item.fields.items() if n.startswith("files_")}
        change = prepare_update(self._store, memory, item.summary, item.body, fields)
        if change is not None:
            writes.append(change)
        return action or UPDATE, tuple(writes), ""

    def _is_undone(self, memory: Memory) -> bool:
        """Whether the undo of a run retired a memory, and not a person."""
        return UNDOES in self._index.history(memory.uid)[-1].fields

    def _is_known(self, item: Item, text: str) -> bool:
        """Whether a memory, or an item that is already planned, says the same."""
        wanted = Filters(statuses=_ALIVE, project=self._store.project)
        found = self._index.lexical(text[:_SEARCHED], wanted, _SIMILAR).matches
        similar = self._index.get_many([match.uid for match in found])
        known = [Known(memory.uid, text_of(memory)) for memory in similar]
        words = frozenset(query_terms(item.summary))
        known += [
            Known("", other)
            for others, other in self._chosen
            if len(words & others) > _LIKE * len(words | others)
        ]
        return judge(text, known).verdict == DUPLICATE

    def _remember(self, item: Item) -> None:
        words = frozenset(query_terms(item.summary))
        self._chosen.append((words, _said(item)))


def _said(item: Item) -> str:
    """Return what an item says, without the lines about where it comes from."""
    said = [p for p in item.body.split("\n\n") if not p.startswith((ORIGIN, RELATED))]
    return "\n\n".join((item.summary, *said)).strip()


def _provenance(source: str, item: Item) -> dict[str, Any]:
    given = item.fields.get("provenance")
    own = dict(given) if isinstance(given, Mapping) else {}
    return {**own, "via": VIA_IMPORT + source, FROM: item.identity, DIGEST: digest_of(item)}

"""Reads sources: keeps the best items of each, redacted, and counts what is left out and why.

What a source says about a part of it that it has read completely (a file, a session) is stored
locally, so that an import that was killed continues where it was, and the next one does not read
the part again. Only redacted text is stored. The nonce of a memory derives from its source and its
identity there, so a second import finds it, in every clone.
"""

from __future__ import annotations

import heapq
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from recollect.core.named_tuple import NamedTuple
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.uid import derive_uid
from recollect.errors import ParseError, RecollectError
from recollect.importing.source import Item, Place, Reading, Skipped, Source
from recollect.state.imported import ImportedParts
from recollect.store.store import Store

# The most memories that one run proposes, from one source and from all of them.
MOST_OF_SOURCE: Final = 550
MOST_IN_TOTAL: Final = 600
# Items of a source that are compared with what is known, and those that are stored for one part:
# as many as a run can propose, so that a run after a dry run proposes the same.
MOST_COMPARED: Final = 3 * MOST_OF_SOURCE
MOST_OF_PART: Final = MOST_OF_SOURCE
# Reasons for leaving something out.
TOO_MANY: Final = "others rank higher"

# Called with the source, what is done, what there is, and the seconds that are left, if known.
Progress = Callable[[str, int, int, float | None], None]


_TIME_BYTES = 4  # of the hash: spreads the uids of imported memories


class Collected(NamedTuple):
    """What one source offers: its items, best first, and what it left out, by reason."""

    source: str
    places: tuple[Place, ...]
    items: tuple[Item, ...]
    looked_at: int
    left_out: Mapping[str, int]
    # The nonces of everything that the source has, kept or not.
    seen: frozenset[str] = frozenset()
    # Places that could not be read, with the reason.
    problems: tuple[str, ...] = ()


class _Best:
    """The best items so far; a heap, so that a long history needs little memory."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._heap: list[tuple[float, int, Item]] = []
        self._count = 0

    def add(self, item: Item) -> bool:
        """Add an item; whether all of them still fit."""
        self._count += 1
        entry = (item.score, -self._count, item)  # of equals, the first
        if len(self._heap) < self.most:
            heapq.heappush(self._heap, entry)
            return True
        heapq.heappushpop(self._heap, entry)
        return False

    def sorted(self) -> list[Item]:
        return [item for *_, item in sorted(self._heap, key=lambda e: (-e[0], -e[1]))]


class _Parts:
    """What was read of the parts of one source: it stores new ones, and repeats known ones."""

    def __init__(self, store: Store, source: str) -> None:
        self._state: ImportedParts = store.local.imported
        self._store = store
        self._source = source
        self._current: list[Item | Skipped] = []
        self.repeated: list[Item | Skipped] = []
        self._has_folder = False

    def add(self, found: Item | Skipped) -> None:
        self._current.append(found)

    def known(self, part: str, stamp: str) -> bool:
        text = self._state.items(self._source, part, stamp)
        if text is None:
            return False
        self.repeated += [_from_json(entry) for entry in json.loads(text)]
        return True

    def done(self, part: str, stamp: str) -> None:
        if not self._has_folder:
            self._store.local.make_folder()
            self._has_folder = True
        best = _Best(MOST_OF_PART)
        skipped = [one for one in self._current if isinstance(one, Skipped)]
        for one in self._current:
            if isinstance(one, Item):
                best.add(one)
        kept: list[Item | Skipped] = [*best.sorted(), *skipped[:MOST_OF_PART]]
        self._state.keep(
            self._source,
            part,
            stamp,
            json.dumps([one._asdict() for one in kept]),
            self._store.now(),
        )
        self._current.clear()

    def start(self) -> None:
        """Forget what a place said without naming its part."""
        self._current.clear()


def nonce_of(source: str, identity: str) -> str:
    """Return the nonce of a memory that is imported: always the same."""
    text = f"import\n{source}\n{identity}"
    digest = sha256(text.encode("utf-8", "surrogateescape")).digest()
    # An item has no time that stays the same, but uids should not all begin alike.
    return derive_uid(text, int.from_bytes(digest[-_TIME_BYTES:], "big"))


def reading_of(
    store: Store, home: Path, environ: Mapping[str, str], **calls: Callable[..., Any]
) -> Reading:
    """Return what a source reads with; without calls, only to look for places."""
    return Reading(
        repository=store.work_tree or store.ledger.repository.git.directory,
        home=home,
        environ=environ,
        redact=store.redact,
        progress=calls.get("progress", lambda _done, _total: None),
        known=calls.get("known", lambda _part, _stamp: False),
        done=calls.get("done", lambda _part, _stamp: None),
    )


def collect(
    store: Store,
    source: Source,
    reading: Reading,
    places: tuple[Place, ...],
    progress: Progress | None = None,
    *,
    is_named: bool = False,
) -> Collected:
    """Read the places of a source; one that cannot be read is an error if somebody named it."""
    parts = _Parts(store, source.name)
    shown = _shown(source.name, progress)
    reading = reading._replace(progress=shown, known=parts.known, done=parts.done)
    best = _Best(MOST_COMPARED)
    left_out: Counter[str] = Counter()
    problems: list[str] = []
    looked_at = 0
    seen: set[str] = set()
    for place in places:
        parts.start()
        try:
            for found in _found(source, reading, place, parts):
                looked_at += 1
                seen.add(nonce_of(source.name, found.identity))
                if isinstance(found, Skipped):
                    left_out[found.reason] += 1
                elif not best.add(found):
                    left_out[TOO_MANY] += 1
        except RecollectError as error:
            if is_named:
                raise
            problems.append(_problem(place, error.message))
        except OSError as error:
            said = f"{error.strerror or error}."
            if is_named:
                raise ParseError(
                    f"{place.path} cannot be read: {said}", "Name another path."
                ) from None
            problems.append(_problem(place, said))
    return Collected(
        source.name, places, tuple(best.sorted()), looked_at, dict(left_out), frozenset(seen),
        tuple(problems),
    )  # fmt: skip


def _problem(place: Place, said: str) -> str:
    return said if place.path in said else f"{place.path}: {said}"


def _found(
    source: Source, reading: Reading, place: Place, parts: _Parts
) -> Iterator[Item | Skipped]:
    """Yield what a place has, redacted; parts that are known come from local state."""
    with closing(_generator(source.read(reading, place))) as stream:
        for found in stream:
            yield from _taken(parts)
            clean = _redacted(found, reading) if isinstance(found, Item) else found
            parts.add(clean)
            yield clean
    yield from _taken(parts)


def _generator(found: Iterator[Item | Skipped]) -> Any:
    yield from found


def _taken(parts: _Parts) -> list[Item | Skipped]:
    repeated, parts.repeated = parts.repeated, []
    return repeated


def _redacted(item: Item, reading: Reading) -> Item:
    summary = " ".join(reading.redact(item.summary).split())
    if len(summary) > SUMMARY_LENGTH:
        summary = shorten_line(summary)
    fields: Any = reading.redact(dict(item.fields))  # type: ignore[arg-type]
    return item._replace(summary=summary, body=reading.redact(item.body), fields=fields)


def _shown(source: str, progress: Progress | None) -> Callable[[int, int], None]:
    began = time.monotonic()

    def show(done: int, total: int) -> None:
        if progress is not None:
            passed = time.monotonic() - began
            left = passed / done * (total - done) if done and total >= done else None
            progress(source, done, total, left)

    return show


def _from_json(entry: Mapping[str, Any]) -> Item | Skipped:
    return Skipped(**entry) if "reason" in entry else Item(**entry)

"""Reading sources: parts that were read are not read again, and nothing of them is lost."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from recollect.errors import ParseError
from recollect.importing.collect import MOST_OF_PART, TOO_MANY, collect, nonce_of, reading_of
from recollect.importing.source import Item, Place, Reading, Skipped
from tests.sandbox import Sandbox


class Sessions:
    """A source with parts, which counts what it reads, and may stop in the middle."""

    name = "sessions"
    about = "for tests"

    def __init__(self, parts: dict[str, int], stops_at: str = "") -> None:
        self.parts, self.stops_at = parts, stops_at
        self.read_parts: list[str] = []

    def find(self, _reading: Reading) -> Sequence[Place]:
        """One place."""
        return [Place("all", "")]

    def read(self, reading: Reading, _place: Place) -> Iterator[Item | Skipped]:
        """Each part has items with rising scores."""
        for part, count in self.parts.items():
            if reading.known(part, str(count)):
                continue
            if part == self.stops_at:
                raise ParseError("The store is broken.")
            self.read_parts.append(part)
            yield Skipped(f"{part}:chatter", "chatter")
            for number in range(count):
                text = f"{part} decides {number} with password=hunter{number}secret"
                yield Item(f"{part}:{number}", "decisions", text, score=number / 1000)
            reading.done(part, str(count))


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository."""
    repo = sandbox.init("repo")
    sandbox.commit(repo)
    return repo


def test_a_part_is_read_once(sandbox: Sandbox, repo: Path) -> None:
    """Its items come from local state the next time; a changed part is read again."""
    store = sandbox.open(repo)
    reading = reading_of(store, repo, os.environ)
    places = (Place("all", ""),)
    first = collect(store, Sessions({"a": 2, "b": 3}), reading, places)
    again = Sessions({"a": 2, "b": 4})
    second = collect(sandbox.open(repo), again, reading, places)
    assert again.read_parts == ["b"]
    assert {item.identity for item in first.items} < {item.identity for item in second.items}
    assert second.left_out == {"chatter": 2}
    assert nonce_of("sessions", "a:chatter") in second.seen


def test_a_long_part_says_the_same_again(sandbox: Sandbox, repo: Path) -> None:
    """A run after a dry run offers what the dry run did, and misses nothing that was kept."""
    store = sandbox.open(repo)
    reading = reading_of(store, repo, os.environ)
    source, places = Sessions({"a": 150}), (Place("all", ""),)
    first, second = (collect(store, source, reading, places) for _ in range(2))
    assert source.read_parts == ["a"]
    assert first == second


def test_what_was_read_before_a_stop_is_not_lost(sandbox: Sandbox, repo: Path) -> None:
    """The problem is told, and what came before it counts."""
    store = sandbox.open(repo)
    reading = reading_of(store, repo, os.environ)
    broken = collect(store, Sessions({"a": 2, "b": 3}, "b"), reading, (Place("all", ""),))
    assert broken.problems == ("all: The store is broken.",)
    assert len(broken.items) == 2
    whole = Sessions({"a": 2, "b": 3})
    assert len(collect(store, whole, reading, (Place("all", ""),)).items) == 5
    assert whole.read_parts == ["b"]


def test_state_holds_little_and_no_secret(sandbox: Sandbox, repo: Path) -> None:
    """The best of a part, redacted; a purge deletes all of it."""
    store = sandbox.open(repo)
    reading = reading_of(store, repo, os.environ)
    collect(store, Sessions({"a": MOST_OF_PART + 9}), reading, (Place("all", ""),))
    stored = store.local.imported.items("sessions", "a", str(MOST_OF_PART + 9))
    assert stored is not None
    assert stored.count('"identity"') == MOST_OF_PART + 1
    assert "hunter" not in stored
    memory = store.capture("notes", "Something to purge")
    store.purge(memory.id)
    assert store.local.imported.items("sessions", "a", str(MOST_OF_PART + 9)) is None


def test_progress_tells_the_time_left(sandbox: Sandbox, repo: Path) -> None:
    """Once something is done."""

    class Long(Sessions):
        def read(self, reading: Reading, _place: Place) -> Iterator[Item | Skipped]:
            for number in range(3):
                reading.progress(number, 2)
            yield Skipped("x", TOO_MANY)

    seen: list[tuple[str, int, int, bool]] = []
    store = sandbox.open(repo)
    collect(
        store, Long({}), reading_of(store, repo, os.environ), (Place("all", ""),),
        lambda name, done, total, left: seen.append((name, done, total, left is None)),
    )  # fmt: skip
    assert seen == [("sessions", 0, 2, True), ("sessions", 1, 2, False), ("sessions", 2, 2, False)]

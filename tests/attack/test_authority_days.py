"""Random days of people who purge each other's memories: nothing is lost, nothing comes back."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.ledger.health import PROBLEM
from tests.attack.owners import directory, open_as
from tests.sandbox import Sandbox

PEOPLE = ("Ada <ada@example.com>", "Bob <bob@example.com>", "Eve <eve@example.com>")


@pytest.mark.parametrize("seed", range(4))
def test_random_days(sandbox: Sandbox, hub: Path, seed: int) -> None:
    """Whatever the order: authors keep what others purged, the remote does not, all converge."""
    chance = random.Random(seed)
    stores = [open_as(sandbox, who, who.split()[0].lower()) for who in PEOPLE]
    written: dict[str, tuple[int, str]] = {}
    purged: dict[str, set[int]] = {}
    for number in range(24):
        person = chance.randrange(len(stores))
        store = stores[person]
        here = [uid for uid in written if store.candidates(uid)]
        action = chance.choice(["capture", "capture", "update", "purge", "sync", "sync"])
        if action == "sync":
            store.sync()
        elif action == "capture" or not here:
            token = f"token{seed}x{number}x"
            memory = store.capture("decisions", f"About {token}", at=None)
            written[memory.uid] = (person, token)
        elif action == "update":
            uid = chance.choice(here)
            store.update(uid, body=f"{written[uid][1]} again {number}")
        else:
            uid = chance.choice(here)
            store.purge(uid)
            purged.setdefault(uid, set()).add(person)
    for store in (*stores, *stores, *stores):
        store.sync()

    trees = sandbox.trees(sandbox.hub)
    for store in stores:
        assert sandbox.trees(directory(store)) == trees
        assert set(store.sync().report.cases.values()) <= {"S0"}
        assert [finding for finding in store.verify() if finding.level == PROBLEM] == []
    _check(sandbox, stores, written, purged)
    for store in stores:
        assert store.accept_purges() == []
        store.sync()
    sandbox.collect_garbage(sandbox.hub)
    for store in stores:
        for uid in purged:
            assert not store.candidates(uid)
            assert written[uid][1].encode() not in sandbox.all_bytes(directory(store))
            assert written[uid][1].encode() not in sandbox.all_bytes(sandbox.hub)


def _check(
    sandbox: Sandbox,
    stores: list[Recollect],
    written: dict[str, tuple[int, str]],
    purged: dict[str, set[int]],
) -> None:
    shared = sandbox.reachable_bytes(sandbox.hub)
    for uid, (author, token) in written.items():
        by = purged.get(uid, set())
        assert (token.encode() in shared) == (not by)
        for person, store in enumerate(stores):
            waits = [pending.memory.uid for pending in store.pending_purges()]
            if not by:
                assert store.get(uid)
                assert uid not in waits
            elif author in by or person in by:
                assert not store.candidates(uid)
            else:
                assert not store.candidates(uid) or uid in waits
            if by and author not in by and person == author:
                assert uid in waits  # nobody else erases what its author wrote

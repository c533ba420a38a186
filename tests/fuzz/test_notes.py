"""Any bytes in a note: they are read, joined, indexed, listed and checked, and lose nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import recollect
from recollect.core.note import join, parse_note, render_note
from recollect.core.places import SHARED, Place
from recollect.index.protocol import ALL, Filters
from recollect.index.sqlite.index import SqliteIndex
from tests.fuzz.fuzzing import mutate_bytes, run
from tests.sandbox import Sandbox

ANCHOR = "818f6efc36a8195ba7ebdc81b7551692eb10de03"
PLACE = Place(SHARED, "decisions", ANCHOR)
CREATED = f"""\
---
uid: 01M7GBJJDY86YZZDQ8VQJ7NATA
op: create
id: decisions:{ANCHOR}:0
timestamp: 2026-08-23T10:00:00Z
by: "Ada <ada@example.com>"
branch: feat/ledger
content: {{"status": "accepted", "context": "c", "decision": "d", "rationale": ["r"]}}
files_modified: ["src/ledger.py"]
importance: 0.8
provenance: {{"said_by": "user", "via": "cli"}}
summary: Keep the ledger in git notes
tags: ["storage", "git"]
ttl: 30
type: decisions
---

# Context

We need a ledger that merges.

...
"""
UPDATED = """\
---
uid: 01M7GC02R1T0M3W8J5K4H2ZQ7B
op: update
of: 01M7GBJJDY86YZZDQ8VQJ7NATA
rev: 1
timestamp: 2026-08-24T09:12:00Z
by: "Bob <bob@example.com>"
changes: [{"summary": "it runs"}]
status: resolved
status_reason: it runs
---
...
"""
PURGED = """\
---
uid: 01M7GC02R1T0M3W8J5K4H2ZQ7C
op: purge
of: 01M7GBJJDY86YZZDQ8VQJ7NATA
timestamp: 2026-08-24T09:12:00Z
---
...
"""
LEGACY = """\
---
type: decision
timestamp: 2024-01-01T00:00:00Z
summary: "An older system \\u00e9 wrote this"
tags: [one, two]
spec: shop
---
Its body.
"""
PLAIN = "Somebody appended this with plain git.\n\nTwo paragraphs.\n"
INPUTS = [
    text.encode()
    for text in (
        CREATED,
        f"{CREATED}\n{UPDATED}",
        f"{CREATED}\n{UPDATED}\n{PURGED}",
        LEGACY,
        f"{LEGACY}\n{LEGACY.replace('older', 'other')}",
        PLAIN,
        f"{PLAIN}\n{CREATED}\n{LEGACY}",
        CREATED.replace("\n", "\r\n"),
    )
]
EVERYTHING = Filters(statuses=ALL)


def decoded(data: bytes) -> str:
    """A note as the ledger reads it."""
    return data.decode("utf-8", "surrogateescape")


def test_any_note_can_be_read_joined_and_indexed() -> None:
    """Reading is total, writing it again changes nothing, and the index takes it in."""

    def check(data: bytes) -> None:
        note, other = parse_note(decoded(data)), parse_note(CREATED)
        assert parse_note(render_note(note)) == note
        both = join(note, other)
        assert both == join(other, note)
        assert join(both, note) == both
        index = SqliteIndex(None)
        try:
            assert index.apply([(PLACE, both)], since={}, cursor={"ref": "tree"})
            memories = index.select(EVERYTHING)
            index.newest(EVERYTHING, 10, 1_800_000_000.0)
            index.lexical("ledger in git notes", EVERYTHING, 10)
            index.ranking([memory.uid for memory in memories])
            for memory in memories:
                index.history(memory.uid)
                memory.as_json()
                assert memory.text is not None
            list(index.journal())
            list(index.texts())
            index.waiting()
        finally:
            index.close()

    run("notes", INPUTS, check, examples=300, mutate=mutate_bytes)


def test_a_repository_with_any_note_still_works(sandbox: Sandbox, repo: Path) -> None:
    """Listing, searching, capturing and checking work beside it, and what was there is there."""
    head = sandbox.git(repo, "rev-parse", "HEAD")
    before = sandbox.git(repo, "rev-parse", "refs/notes/mem/decisions")

    def check(data: bytes) -> None:
        sandbox.git(repo, "update-ref", "refs/notes/mem/decisions", before)
        sandbox.run(repo, "update-ref", "-d", "refs/mem/seen/decisions")
        sandbox.drop_derived_files(repo)
        blob = sandbox.git(repo, "hash-object", "-w", "--stdin", stdin=data)
        sandbox.git(repo, "notes", "--ref=mem/decisions", "add", "-f", "-C", blob, head)
        with recollect.open(repo) as store:
            kept = store.capture("notes", "Still here")
            assert kept.uid in {memory.uid for memory in store.memories(status="all")}
            store.search("ledger in git notes")
            store.verify()
            found = {memory.summary for memory in store.memories(kind="notes", status="all")}
            assert "The cart rounds half up" in found
            store.purge(kept.id)

    run("repositories", INPUTS[1:7:2], check, examples=10, mutate=mutate_bytes)


def test_the_program_ends_well_with_any_note(sandbox: Sandbox, repo: Path) -> None:
    """As people call it: an answer or a message, never a traceback."""
    head = sandbox.git(repo, "rev-parse", "HEAD")

    def check(data: bytes) -> None:
        blob = sandbox.git(repo, "hash-object", "-w", "--stdin", stdin=data)
        sandbox.git(repo, "notes", "--ref=mem/reviews", "add", "-f", "-C", blob, head)
        for command in (["list", "--status", "all"], ["doctor"]):
            done = subprocess.run(
                [sys.executable, "-m", "recollect", *command],
                cwd=repo,
                capture_output=True,
            )
            assert done.returncode in (0, 1), done.stderr.decode()
            assert b"Traceback" not in done.stderr

    run("programs", INPUTS[6:7], check, examples=4, mutate=mutate_bytes)

"""A repository with a past: memories, sessions, decisions that wait; tests and pictures use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import recollect

SESSION = "5f0c2a1e-demo"
# A hook on a busy machine may be slow; what it does is what counts here.
_PATIENT = {"RECOLLECT_HOOK_DEADLINE": "20000", "RECOLLECT_HOOK_SESSION_DEADLINE": "20000"}

DECISION = "Use PostgreSQL for orders"
WHY = """\
Two workers write at once, and SQLite makes one of them wait.

- one **primary**, one replica
- migrations with `alembic`, never by hand

See [the runbook](https://example.com/runbook).
"""
REST: tuple[tuple[str, str, str, list[str]], ...] = (
    ("preferences", "Always use uv for Python environments", "", ["python"]),
    ("constraints", "No customer data may leave the EU", "The contract says so.", ["legal"]),
    ("solutions", "The flaky login test needed a frozen clock", "Freeze it at noon.", ["tests"]),
    ("tech-debt", "The invoice module has no unit tests", "", ["billing", "tests"]),
    ("runbooks", "When the queue is stuck, restart the worker", "1. drain\n2. restart", ["ops"]),
    ("learnings", "The order import must run in one transaction", "", ["database"]),
    ("notes", "Deploys happen on Tuesday mornings", "", []),
)
PRIVATE = "My review style is too harsh on Mondays"
NOTICED = "we decided to keep sessions in Redis instead of the database"


def git(repo: Path, *arguments: str) -> None:
    """Run git in the repository."""
    subprocess.run(["git", *arguments], cwd=repo, check=True, capture_output=True)


def hook(repo: Path, event: str, **given: str) -> str:
    """Run a hook as an agent does; return its output."""
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "hook", event],
        input=json.dumps({"session_id": SESSION, "cwd": str(repo), **given}),
        cwd=repo,
        env={**os.environ, **_PATIENT},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def commit(repo: Path, message: str, files: Mapping[str, str]) -> None:
    """Write files and commit them."""
    for name, text in files.items():
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", message)


def make_example(repo: Path, *, sessions: bool = True) -> None:
    """Fill a repository that has been initialized."""
    commit(
        repo,
        "Store orders in PostgreSQL",
        {"shop/store.py": "ENGINE = 'postgresql'\nPOOL = 5\n", "shop/tax.py": "RATE = 19\n"},
    )
    with recollect.open(repo) as store:
        decision = store.capture(
            "decisions",
            DECISION,
            "SQLite is too slow for two writers.",
            tags=["database"],
            files_modified=["shop/store.py", "shop/tax.py", "shop/old.py"],
        )
        store.update(decision.uid, body=WHY)
        for kind, summary, body, tags in REST:
            store.capture(kind, summary, body, tags=tags, relates_to=[decision.uid])
        store.capture("notes", PRIVATE, sensitivity="private")
        store.store_fact("orders", "stored_in", "PostgreSQL")
        store.store_fact("PostgreSQL", "version", "16")
        store.store_fact("checkout", "depends_on", "orders")
    # Later than the memory, whatever the file system rounds to.
    later = time.time() + 60
    commit(repo, "A larger pool", {"shop/store.py": "ENGINE = 'postgresql'\nPOOL = 20\n"})
    os.utime(repo / "shop" / "store.py", (later, later))
    if sessions:
        hook(repo, "session-start", source="startup")
        hook(repo, "prompt", prompt="Which database do the orders use, and how are they migrated?")
        hook(repo, "prompt", prompt=NOTICED)
        hook(repo, "stop")

"""Clones with an owner each."""

from __future__ import annotations

from pathlib import Path

from recollect.api.recollect import Recollect
from tests.sandbox import Sandbox


def open_as(sandbox: Sandbox, who: str, name: str) -> Recollect:
    """A clone whose owner is somebody."""
    repo = sandbox.clone(name)
    person, _, email = who.rstrip(">").partition(" <")
    sandbox.git(repo, "config", "user.name", person)
    sandbox.git(repo, "config", "user.email", email)
    return sandbox.open(repo)


def directory(store: Recollect) -> Path:
    """The working directory of a clone."""
    return store.ledger.repository.git.directory

"""A repository with commits, and its memory with a few things in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from tests.sandbox import Sandbox
from tests.support.agent import with_memories


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with commits."""
    sandbox.make_hub()
    return sandbox.clone("ada")


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, with a few things in it."""
    return with_memories(sandbox.open(repo))

"""A repository whose memories are mirrored."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from tests.sandbox import Sandbox
from tests.support.mirror import switch_on


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a commit, whose memories are mirrored."""
    path = sandbox.init("repo")
    switch_on(path)
    sandbox.commit(path)
    return path


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory."""
    return sandbox.open(repo)

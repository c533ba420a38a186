"""A repository that knows a few things, away from the files of whoever runs the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox import Sandbox


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a commit and memories of several kinds."""
    path = sandbox.init("shop")
    sandbox.commit(path)
    store = sandbox.open(path)
    store.capture("decisions", "Use PostgreSQL for persistence", "Two workers write at once.")
    store.capture("notes", "The cart rounds half up", files_modified=["src/cart.py"])
    store.capture("learnings", "The order import must run in one transaction")
    store.close()
    return path

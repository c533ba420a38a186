"""What random text looks like to redaction is not what these tests are about."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def unredacted(exact: None) -> None:
    """The ledger keeps every byte."""

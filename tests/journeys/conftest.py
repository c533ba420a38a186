"""What every journey starts with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.transcript import Transcript


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    """An empty directory with a home, an author and a date of its own."""
    return Transcript(tmp_path)

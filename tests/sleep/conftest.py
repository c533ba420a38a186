"""A store for the tests of sleep."""

from __future__ import annotations

import pytest

from recollect.api.recollect import Recollect
from tests.sandbox import Sandbox
from tests.support.dated import NOW, at


@pytest.fixture
def store(sandbox: Sandbox) -> Recollect:
    """A store in which it is the first of August."""
    sandbox.make_hub()
    return at(sandbox.open(sandbox.clone("ada")), NOW)

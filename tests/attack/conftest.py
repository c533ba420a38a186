"""Real repositories, as the ledger's tests have them."""

from __future__ import annotations

from tests.ledger.conftest import exact, hub, isolated, sandbox

__all__ = ["exact", "hub", "isolated", "sandbox"]

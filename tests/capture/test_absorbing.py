"""What was noticed stays, unless something lasting says it."""

from __future__ import annotations

from typing import Any

from recollect.capture import unconfirmed
from tests.sandbox import Sandbox

DECISION = "We decided to use PostgreSQL instead of SQLite because two workers write at once"


def test_the_summary_of_a_session_takes_nothing_in(sandbox: Sandbox) -> None:
    """The next summaries replace it, and the decision would be gone with it."""
    store = sandbox.open(sandbox.init("project"))
    talk = {"session": "s1", "provenance": {"said_by": "user", "via": "noticed"}}
    draft = {"kind": "decisions", "summary": DECISION, "body": "", **talk}
    noticed = unconfirmed.add(store, draft, confidence=0.8, why="signal: decisions")
    assert noticed is not None

    by_agent: dict[str, Any] = {
        "session": "s1",
        "provenance": {"said_by": "agent", "via": "session"},
    }
    store.capture("sessions", DECISION, f"{DECISION}. Tests pass.", **by_agent)
    assert store.get(noticed.uid).status == "unconfirmed"

    store.capture("decisions", DECISION, **by_agent)
    assert store.get(noticed.uid).status == "retired"

"""Decision records in the forms of Nygard and MADR."""

from __future__ import annotations

import pytest

from recollect.importing.decision_records import decision_in

MADR = """---
status: accepted
---
# Message broker

## Context and Problem Statement

Jobs are lost.

## Decision Outcome

Chosen option: "RabbitMQ", because it is durable.
"""


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (MADR, "For message broker, we chose RabbitMQ"),
        ("# 3. Tools\n\n## Decision\n\nWe adopt uv for all.\n", "Tools: We adopt uv for all"),
        ("# The owner decides\n\n## Decision\n\nNobody else may change it.\n", None),
        ("# ADR-7: Replace cron with a queue\n\n## Decision\n\nDone in May.\n",
         "We decided to replace cron with a queue"),
    ],
)  # fmt: skip
def test_the_decision_is_a_sentence(text: str, title: str | None) -> None:
    """From the title if it says it, else from the text."""
    found = decision_in("docs/adr/0007-x.md", text)
    assert found is not None
    assert title is None or found.title == title
    assert found.is_settled


@pytest.mark.parametrize("status", ["proposed", "rejected", "superseded by 9", "Draft"])
def test_what_is_not_settled_is_no_rule(status: str) -> None:
    """It comes in, but needs confirmation."""
    text = f"# 1. Use X for all\n\nStatus: {status}\n\n## Decision\n\nWe use X for all.\n"
    found = decision_in("adr/1.md", text)
    assert found is not None
    assert not found.is_settled


def test_a_page_without_a_decision_gives_none() -> None:
    """An index, or an empty file."""
    assert decision_in("adr/1.md", "") is None
    assert decision_in("adr/1.md", "# List\n") is None

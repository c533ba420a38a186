"""The labelled set: every made-up secret is found and gone, no ordinary line is touched."""

from __future__ import annotations

import pytest

from recollect.redact.redactor import Redactor
from tests.redact.labelled import Secret, negatives, secrets

SECRETS = secrets()
NEGATIVES = negatives()


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: f"{secret.name}-{len(secret.text)}")
def test_a_secret_is_found_and_gone(secret: Secret) -> None:
    """Under its own name, and without a trace of its value."""
    redaction = Redactor().redact(secret.text)
    assert secret.value not in redaction.text
    assert f"[REDACTED:{secret.name}]" in redaction.text
    assert secret.name in redaction.found
    for part in secret.value.split("\n"):
        assert part not in redaction.text


@pytest.mark.parametrize("line", NEGATIVES, ids=range(len(NEGATIVES)))
def test_ordinary_text_is_left_alone(line: str) -> None:
    """A redactor that bites into everyday text would spoil the memories it protects."""
    redaction = Redactor().redact(line)
    assert redaction.found == ()
    assert redaction.text == line


def test_the_set_is_large_enough() -> None:
    """At least 60 secrets of 40 types, at least 100 tempting lines."""
    assert len(SECRETS) >= 60
    assert len({secret.name for secret in SECRETS}) >= 40
    assert len(NEGATIVES) >= 100


def test_all_at_once() -> None:
    """What is found alone is found in company too."""
    together = "\n\n".join(
        text for pair in zip((s.text for s in SECRETS), NEGATIVES, strict=False) for text in pair
    )
    redacted = Redactor().redact(together).text
    assert [secret for secret in SECRETS[: len(NEGATIVES)] if secret.value in redacted] == []

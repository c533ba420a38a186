"""The gate: everything that is written passes it, and each text is searched once."""

from __future__ import annotations

import pytest

from recollect.redact.gate import Gate
from recollect.redact.redactor import Redaction, Redactor
from tests.redact.labelled import Draw

TOKEN = "gh" + "p_" + Draw(1)(36)


class Counting(Redactor):
    """A redactor that counts the texts it has searched."""

    searched = 0

    def redact(self, text: str) -> Redaction:
        """As the redactor does."""
        self.searched += 1
        return super().redact(text)


def test_a_thousand_memories_are_searched_once() -> None:
    """The ledger's gate gets what the store's gate has found clean."""
    redactor = Counting()
    gate = Gate(redactor)
    texts = [
        f"Memory {number} is about {TOKEN if number == 7 else 'caches'}" for number in range(3000)
    ]

    clean = gate(texts)
    again = gate(clean)

    assert again == clean
    assert redactor.searched == len(texts)
    assert clean[7] == "Memory 7 is about [REDACTED:github-token]"


def test_long_texts_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept has a limit; what is no longer kept is searched again."""
    monkeypatch.setattr("recollect.redact.gate._MOST_KNOWN", 10_000)
    redactor = Counting()
    gate = Gate(redactor)
    texts = [f"{number} {'word ' * 200}" for number in range(20)]

    gate(texts)
    gate(texts[0])

    assert redactor.searched == len(texts) + 1
    assert sum(map(len, gate._known)) < 10_000

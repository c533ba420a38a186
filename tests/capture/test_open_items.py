"""What an answer says is left to do."""

from __future__ import annotations

import pytest

from recollect.capture.open_items import MOST, open_items


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        (
            "Done.\n\nNext steps:\n- Add the test\n- Round the tax\n\nBye.",
            "Add the test|Round the tax",
        ),
        (
            "Done.\n\n## Next steps\n\n1. Add the test\n2. Round the tax",
            "Add the test|Round the tax",
        ),
        ("**TODO:** round the tax in `cart.py`", "round the tax in `cart.py`"),
        ("**Remaining**:\n- [x] Add the test\n- [ ] Round the tax", "Round the tax"),
        ("What's left:\n* Round the tax", "Round the tax"),
        ("Not done yet: the migration of old orders", "the migration of old orders"),
        ("All set. The tax tests are still failing.", "The tax tests are still failing."),
        (
            "I added it. The migration is not implemented yet.",
            "The migration is not implemented yet.",
        ),
        ("I could not reproduce the timeout on CI.", "I could not reproduce the timeout on CI."),
        ("The receipts remain to be translated.", "The receipts remain to be translated."),
        ("TODO: translate the receipts", "translate the receipts"),
        ("Done. No tests are still failing.", ""),
        ("Nothing is left to do.", ""),
        ("Next steps: none", ""),
        ("Done. Want me to add a test that still needs a name?", ""),
        ("I added the next button and a list of open orders.", ""),
        ("", ""),
    ],
)
def test_what_is_left(answer: str, items: str) -> None:
    """Below a heading, after a label, or in a sentence."""
    assert open_items(answer) == [item for item in items.split("|") if item]


def test_at_most_a_few() -> None:
    """The first of a long list."""
    assert len(open_items("Next steps:\n" + "- Do the next thing\n" * 3 + "- a b\n" * 50)) <= MOST

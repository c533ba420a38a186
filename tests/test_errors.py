"""An error says what it is about, what happened, and what to do, wherever it is printed."""

from __future__ import annotations

import pytest

from recollect import errors

KINDS = [
    found
    for found in vars(errors).values()
    if isinstance(found, type) and issubclass(found, errors.RecollectError)
]


@pytest.mark.parametrize("kind", [errors.StorageError, errors.LockTimeout, errors.UnknownKind])
def test_the_text_of_an_error_names_category_message_and_recovery(
    kind: type[errors.RecollectError],
) -> None:
    """As `str(error)`, a log and a traceback show it."""
    error = kind("It did not work.", "Try this.")

    assert str(error) == f"{kind.category}: It did not work. Try this."
    assert kind("It did not work.").hint in str(kind("It did not work."))


def test_every_error_has_a_recovery() -> None:
    """Its own, or that of its parent."""
    assert all(kind.hint for kind in KINDS)

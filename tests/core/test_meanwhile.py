"""Work beside other work gives its result, or its error, to whoever waits for it."""

from __future__ import annotations

import threading

import pytest

from recollect.core.meanwhile import meanwhile


def test_the_result_comes_from_another_thread() -> None:
    """It can be asked for more than once."""
    found = meanwhile(threading.get_ident, "test")

    assert found() != threading.get_ident()
    assert found() == found()


def test_it_runs_before_somebody_asks() -> None:
    """Otherwise it would not be beside anything."""
    began = threading.Event()

    meanwhile(began.set, "test")

    assert began.wait(60)


def test_an_error_comes_out_where_the_result_is_asked_for() -> None:
    """No thread swallows it."""

    def fail() -> None:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        meanwhile(fail, "test")()

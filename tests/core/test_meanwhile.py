"""Work beside other work gives its result, or its error, to whoever waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from recollect.core.meanwhile import InTurn, meanwhile


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


def test_works_in_turn_share_a_thread_and_nobody_waits_for_the_next_one() -> None:
    """Each begins after the one before; its result is there while the next one runs."""
    turn, may_end, done = InTurn("test"), threading.Event(), list[int]()

    def first() -> int:
        also.append(turn.begin(may_end.wait))
        also.append(turn.begin(lambda: done.append(threading.get_ident())))
        return threading.get_ident()

    also = list[Callable[[], object]]()
    thread = turn.begin(first)()  # the next one has not ended
    assert not done
    may_end.set()
    for wait in also:
        wait()

    assert done == [thread]


def test_works_begin_again_after_a_failure_and_after_the_last_one() -> None:
    """An error is that of its own work only."""
    turn = InTurn("test")

    def fail() -> None:
        raise LookupError("gone")

    failing, fine = turn.begin(fail), turn.begin(lambda: 1)

    with pytest.raises(LookupError, match="gone"):
        failing()
    assert fine() == 1
    assert turn.begin(lambda: 2)() == 2


def test_without_memory_for_a_thread_the_work_is_done_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody waits for a thread that never began."""

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)

    assert meanwhile(threading.get_ident, "test")() == threading.get_ident()

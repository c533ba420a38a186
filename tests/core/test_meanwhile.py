"""Work beside other work gives its result, or its error, to whoever waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from recollect.core.meanwhile import InTurn, in_turn, meanwhile


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


def test_things_are_made_one_after_the_other() -> None:
    """Whoever asks for the first one does not wait for the rest, and gets the same again."""
    may_go_on, made = threading.Event(), []

    def make(number: int) -> list[int]:
        if number == 1:
            may_go_on.wait(60)
        made.append(number)
        return [number]

    coming = in_turn(make, 4, "test")

    assert coming[0] == [0]
    assert (made, len(coming)) == ([0], 4)
    may_go_on.set()
    assert coming[-1] == [3]
    assert made == [0, 1, 2, 3]
    assert coming[:2] == [[0], [1]]
    assert all(one is coming[number] for number, one in enumerate(coming))


def test_what_comes_after_an_error_is_not_made() -> None:
    """The error comes out for each of them, and the ones before it are there."""

    def make(number: int) -> int:
        if number:
            raise LookupError("gone")
        return number

    coming = in_turn(make, 3, "test")

    assert coming[0] == 0
    for number in (1, 2):
        with pytest.raises(LookupError, match="gone"):
            coming[number]


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
    coming = in_turn(lambda number: [number], 3, "test")

    assert [*coming] == [[0], [1], [2]]
    assert coming[1] is coming[1]

    assert meanwhile(threading.get_ident, "test")() == threading.get_ident()

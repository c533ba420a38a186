"""Work beside other work gives its result, or its error, to whoever waits for it."""

from __future__ import annotations

import threading

import pytest

from recollect.core.meanwhile import in_turn, meanwhile


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


def test_without_memory_for_a_thread_it_is_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, however often it is asked for."""

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    coming = in_turn(lambda number: [number], 3, "test")

    assert [*coming] == [[0], [1], [2]]
    assert coming[1] is coming[1]

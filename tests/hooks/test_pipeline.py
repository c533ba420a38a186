"""One loop for every event: it halts with a reason, and survives a stage that fails."""

from __future__ import annotations

from typing import Any, cast

from recollect.hooks.pipeline import Halt, Work, run
from recollect.hooks.pipelines import PIPELINES
from recollect.hooks.session import HookSession
from recollect.hosts.protocol import EVENTS, Event


def work() -> Work:
    """Work whose stages need no memory."""
    return Work(Event("prompt"), cast(HookSession, None))


def test_a_halt_ends_it_with_its_reason() -> None:
    """What comes after in its part does not run; the next part does."""
    done: list[str] = []

    def halting(_: Work) -> None:
        raise Halt("enough")

    mine = work()
    parts = [
        [lambda _: done.append("first"), halting, lambda _: done.append("never")],
        [lambda _: done.append("another part")],
    ]
    run(parts, mine)

    assert done == ["first", "another part"]
    assert mine.trace == [{"what": "stopped", "reason": "enough"}]


def test_a_stage_that_fails_is_left_out() -> None:
    """The others may still help; the failure is kept for the log."""
    done: list[str] = []

    def broken(_: Work) -> Any:
        raise ValueError("secret text of somebody")

    mine = work()
    run([[broken, lambda _: done.append("second")]], mine)

    assert done == ["second"]
    assert mine.trace == [{"what": "failed", "error": "ValueError"}]
    assert len(mine.failures) == 1


def test_every_event_has_a_pipeline() -> None:
    """And nothing else has."""
    assert set(PIPELINES) == set(EVENTS)

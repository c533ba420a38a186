"""Now: what agents just did with the memory, live; what waits for you; whether all is well."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from recollect.api.activity import DaySpent
from recollect.api.recollect import Recollect
from recollect.api.waiting import Waiting, waiting_for_review
from recollect.core.named_tuple import NamedTuple
from recollect.web.rendering import Pages, is_fragment
from recollect.web.words import EventView, views_of

if TYPE_CHECKING:
    from recollect.ledger.health import Finding
    from recollect.state.sessions import Trace

_MOST_EVENTS = 15
_EVERY_EVENT = 1000
_BEAT = 2.0  # seconds between two looks
_SILENCE = 10  # looks after which the browser gets a sign of life


class Present(NamedTuple):
    """What the page shows."""

    events: Sequence[EventView]
    waiting: Waiting
    spent: Sequence[DaySpent]
    memories: int
    now: float


def routes(pages: Pages, is_ending: Callable[[], bool]) -> list[Route]:
    """Return the routes of the first page."""
    access = pages.access

    async def now(request: Request) -> Response:
        is_part = is_fragment(request)

        def read(store: Recollect) -> Present:
            if not access.read_only:
                store.flush_spool()
            traces = store.why(_EVERY_EVENT)
            return Present(
                views_of(store, access, _telling(traces)[:_MOST_EVENTS]),
                waiting_for_review(store),
                store.spending(),
                store.count(),
                store.now(),
            )

        found = await access.ask(read)
        return pages.page(
            request,
            "now_parts.html" if is_part else "now.html",
            title="Now",
            now=found.now,
            found=found,
        )

    async def health(request: Request) -> Response:
        def read(store: Recollect) -> tuple[list[Finding], float]:
            return store.doctor(), store.now()

        findings, at = await access.ask_slowly(read)
        return pages.page(request, "health.html", title="Health", now=at, findings=findings)

    async def events(_: Request) -> Response:
        return StreamingResponse(_changes(pages, is_ending), media_type="text/event-stream")

    return [Route("/", now), Route("/health", health), Route("/events", events)]


def _telling(traces: Sequence[Trace]) -> list[Trace]:
    """Return the events in which something happened."""
    return [trace for trace in traces if any(step["what"] != "stopped" for step in trace.steps)]


async def _changes(pages: Pages, is_ending: Callable[[], bool]) -> AsyncIterator[str]:
    """Say whenever a hook or a command has done something, until the server ends."""
    known = await pages.access.ask(_pulse)
    yield "retry: 2000\n\n"
    quiet = 0
    while not is_ending():
        await anyio.sleep(_BEAT)
        pulse = await pages.access.ask(_pulse)
        quiet += 1
        if pulse != known:
            known, quiet = pulse, 0
            yield "event: changed\ndata: .\n\n"
        elif quiet >= _SILENCE:
            quiet = 0
            yield ": still here\n\n"


def _pulse(store: Recollect) -> object:
    """Return a value that changes when an event was recorded or a memory written."""
    last = store.why(1)
    return (last[0].at, last[0].event) if last else None, store.ledger.tips()

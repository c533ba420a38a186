"""Sessions: what each agent got from the memory, why, and what was learnt."""

from __future__ import annotations

from itertools import groupby

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.api.activity import SessionReport, SessionSummary
from recollect.api.recollect import Recollect
from recollect.errors import NotFound
from recollect.web.rendering import Pages
from recollect.web.words import EventView, moment, views_of

_MOST = 100


def routes(pages: Pages) -> list[Route]:
    """Return the routes of sessions."""
    access = pages.access

    async def listing(request: Request) -> Response:
        def read(store: Recollect) -> tuple[list[SessionSummary], float]:
            return store.sessions(_MOST), store.now()

        found, now = await access.ask(read)
        days = [
            (day, list(of_day)) for day, of_day in groupby(found, lambda s: moment(s.active)[:10])
        ]
        return pages.page(request, "sessions.html", title="Sessions", now=now, days=days)

    async def one(request: Request) -> Response:
        session = request.path_params["session"]

        def read(store: Recollect) -> tuple[SessionReport, list[EventView], float]:
            report = store.session_report(session)
            if report is None:
                raise NotFound(
                    f"Nothing is known of the session {session[:60]}.",
                    "Events of sessions are kept for 30 days.",
                )
            return report, views_of(store, access, report.traces), store.now()

        report, events, now = await access.ask(read)
        return pages.page(
            request,
            "session.html",
            title=f"Session {session[:8]}",
            now=now,
            report=report,
            events=events,
        )

    return [Route("/sessions", listing), Route("/sessions/{session:path}", one)]

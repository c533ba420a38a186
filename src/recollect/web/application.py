"""The routes of the pages, and what people see when something goes wrong."""

from __future__ import annotations

import os
from collections.abc import Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from recollect.config.config import data_dir
from recollect.errors import RecallError, RecollectError
from recollect.state.failures import describe, note_failure
from recollect.web import actions, facts, now, review, searching, sessions, settings, upkeep
from recollect.web import files as file_pages
from recollect.web import memory as memory_pages
from recollect.web.access import Access
from recollect.web.assets import asset
from recollect.web.guard import Guard
from recollect.web.rendering import Pages, is_fragment


def make_application(access: Access, guard: Guard, *, is_ending: Callable[[], bool]) -> Starlette:
    """Return the application; the guard stands before it."""
    pages = Pages(access, guard)
    modules = (
        *(searching, memory_pages, actions, review, sessions),
        *(file_pages, facts, upkeep, settings),
    )
    routes = [
        *now.routes(pages, is_ending),
        *(route for module in modules for route in module.routes(pages)),
        Route("/static/{name}", asset),
    ]

    async def known_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, RecollectError)
        status = 404 if isinstance(error, RecallError) else 400
        return _problem(pages, request, status, error.message, error.hint)

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        message = "There is no such page." if error.status_code == 404 else str(error.detail)
        return _problem(pages, request, error.status_code, message, "Go back, or to the start.")

    async def unknown_error(request: Request, error: Exception) -> Response:
        note_failure(data_dir(os.environ), "ui", describe(error))
        said = f"The page failed ({type(error).__name__}). No memory was lost as far as we know."
        return _problem(pages, request, 500, said, "Try again, or run: recollect doctor")

    return Starlette(
        routes=routes,
        exception_handlers={
            RecollectError: known_error,
            HTTPException: refused,
            Exception: unknown_error,
        },
    )


def _problem(pages: Pages, request: Request, status: int, message: str, hint: str) -> Response:
    return pages.page(
        request,
        "problem_part.html" if is_fragment(request) else "problem.html",
        title="Problem",
        now=0.0,
        status=status,
        message=message,
        hint=hint,
    )

"""Renders the pages of `recollect ui`, and leads from one to the next."""

from __future__ import annotations

import secrets
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from recollect.core.memory import Memory
from recollect.errors import ValidationError
from recollect.web.access import Access, Notice
from recollect.web.environment import address, ages, make_environment
from recollect.web.guard import LIVE, Guard

# The pages in the navigation: address, name, key that opens it after `g`.
PAGES: Final = (
    ("/", "Now", "n"),
    ("/search", "Search", "s"),
    ("/review", "Review", "r"),
    ("/sessions", "Sessions", "e"),
    ("/files", "Files", "f"),
    ("/facts", "Facts", "a"),
    ("/upkeep", "Sleep and sync", "u"),
    ("/settings", "Settings", "t"),
)
_TOPS = frozenset({"/memory", *(path for path, _, _ in PAGES)})
_MOST_FIELDS = 40


class Pages:
    """Renders the pages of one server."""

    def __init__(self, access: Access, guard: Guard) -> None:
        self.access = access
        self._guard = guard
        self._environment = make_environment("recollect.web")
        self._environment.globals.update(
            shown=access.shown,
            hides_any=access.hides_any,
            to=self.to,
            asset=lambda name: self.to(f"/static/{name}"),
            live=LIVE,
            pages=PAGES,
        )

    def to(self, path: str, /, **query: Any) -> str:
        """Return the address of a page."""
        return address(self._guard.base, path, query)

    def page(
        self,
        request: Request,
        template: str,
        *,
        title: str,
        now: float,
        status: int = 200,
        **values: Any,
    ) -> Response:
        """Render a whole page."""
        notice_key = request.query_params.get("notice", "")
        return HTMLResponse(
            self._environment.get_template(template).render(
                title=title,
                here=request.url.path,
                back=_back(request),
                csrf=self._guard.csrf,
                read_only=self.access.read_only,
                reveals=self.access.reveals,
                place=self.access.directory.name,
                notice=self.access.notice(notice_key),
                notice_key=notice_key,
                **ages(now),
                **values,
            ),
            status,
        )

    async def form(self, request: Request, *, changes: bool = True) -> dict[str, str]:
        """Return the fields of an action, after the checks that every action needs."""
        async with request.form(max_files=0, max_fields=_MOST_FIELDS) as data:
            given = {name: value for name, value in data.items() if isinstance(value, str)}
        if not self._guard.allows(given, request.headers):
            raise HTTPException(403, "This action does not come from a page of this server.")
        if changes and self.access.read_only:
            raise ValidationError(
                "These pages only show. Nothing was changed.",
                "To change something, start `recollect ui` without --read-only.",
            )
        return given

    def leave_back(self, given: dict[str, str], notice: Notice | None = None) -> Response:
        """Lead back to the page that a form was on, if it is one of ours."""
        path, _, query = given.get("back", "").partition("?")
        top = "/" + path.removeprefix("/").partition("/")[0]
        is_ours = path == "/" or (top != "/" and top in _TOPS and path.startswith("/"))
        chosen = {key: value for key, value in parse_qsl(query) if key != "notice"}
        return self.leave(path, notice, **chosen) if is_ours else self.leave("/", notice)

    def leave(self, path: str, /, notice: Notice | None = None, **query: Any) -> Response:
        """Lead to another page after an action, with what it did."""
        if notice is not None:
            query["notice"] = key = secrets.token_urlsafe(9)
            self.access.tell(key, notice)
        return RedirectResponse(self.to(path, **query), 303)


def _back(request: Request) -> str:
    """Return the address of a page, for a form that leads back to it."""
    given = [(key, value) for key, value in request.query_params.items() if key != "notice"]
    return request.url.path + (f"?{urlencode(given)}" if given else "")


def is_fragment(request: Request) -> bool:
    """Whether a part of a page asks, to replace itself."""
    headers = request.headers
    return "hx-request" in headers and "hx-history-restore-request" not in headers


def memory_path(memory: Memory) -> str:
    """Return the path of a memory's page."""
    return f"/memory/{quote(memory.uid, safe='')}"

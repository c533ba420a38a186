"""The files that pages load: only these are served, by name, so no path reaches the file system."""

from __future__ import annotations

from importlib.resources import files

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from recollect.web.environment import HTMX

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
# Each run or version has addresses of its own, so nothing old is ever shown.
_KEPT = "private, max-age=86400, immutable"
_ASSETS = (HTMX, "ui.js", "ui.css", "icon.svg")


async def asset(request: Request) -> Response:
    """Answer a request for one of them."""
    name = request.path_params["name"]
    if name not in _ASSETS:
        raise HTTPException(404)
    data = files("recollect.web").joinpath("static", name).read_bytes()
    kind = _TYPES[name.rpartition(".")[2]]
    return Response(data, media_type=kind, headers={"cache-control": _KEPT})

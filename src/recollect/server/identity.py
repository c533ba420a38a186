"""Who sends a request: a token, or a proxy that has authenticated somebody.

The header of the proxy counts only if the connection itself comes from one of its addresses. What
a request says about where it comes from (`X-Forwarded-For`) counts never.
"""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.types import Scope

from recollect.errors import NotAllowed
from recollect.server.people import People, Person
from recollect.server.settings import Proxy

_SCHEME = "bearer "


class Unauthenticated(NotAllowed):
    """Nobody is known by what the request carries."""


def identify(
    scope: Scope,
    people: People,
    proxy: Proxy | None,
    otherwise: Callable[[], Person] | None = None,
) -> Person:
    """Return who sends a request; refuse it if that is not known.

    `otherwise` is asked if neither a token nor the proxy says who it is.
    """
    headers = Headers(scope=scope)
    given = headers.getlist("authorization")
    named = headers.getlist(proxy.header) if proxy is not None else []
    try:
        if given:
            text = given[0].strip()
            is_token = len(given) == 1 and text.lower().startswith(_SCHEME)
            return people.by_token(text[len(_SCHEME) :].strip() if is_token else "")
        client = HTTPConnection(scope).client
        if proxy is not None and named and client is not None and proxy.is_trusted(client.host):
            # Two headers: one of them did not come from the proxy.
            return people.by_proxy(named[0] if len(named) == 1 else "")
        return people.by_token("") if otherwise is None else otherwise()
    except NotAllowed as error:
        raise Unauthenticated(error.message, error.hint) from None


def is_foreign_page(scope: Scope) -> bool:
    """Whether a page of another site sent a request: browsers say where it comes from."""
    headers = Headers(scope=scope)
    origin, host = headers.get("origin"), headers.get("host", "")
    if headers.get("sec-fetch-site", "none") == "cross-site":
        return True
    return origin is not None and origin.partition("://")[2] != host

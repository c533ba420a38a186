"""Which status of HTTP an error is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from recollect.errors import (
    DatabaseDown,
    MemoryIndexError,
    NotAllowed,
    RecallError,
    RecollectError,
    TooManyRequests,
    ValidationError,
)
from recollect.server.identity import Unauthenticated

_STATUS: Final[tuple[tuple[type[RecollectError], int], ...]] = (
    (Unauthenticated, 401),
    (NotAllowed, 403),
    (TooManyRequests, 429),
    (DatabaseDown, 503),
    (MemoryIndexError, 503),
    (ValidationError, 400),
    (RecallError, 404),
)
# What a client must know besides, by status.
MORE: Final[Mapping[int, Mapping[str, str]]] = {
    401: {"www-authenticate": "Bearer"},
    429: {"retry-after": "60"},
}


def status_of(error: RecollectError) -> int:
    """Return the status of an error."""
    return next((number for kind, number in _STATUS if isinstance(error, kind)), 500)

"""Addresses of databases: which are accepted, and how they are shown without their password."""

from __future__ import annotations

from recollect.core.named_tuple import NamedTuple
from recollect.errors import BadConfig

_SCHEMES = ("postgresql://", "postgres://")
_HINT = (
    "Write postgresql://USER@HOST:PORT/DATABASE, and put the password into ~/.pgpass or PGPASSWORD."
)
# Parameters of libpq that are not a secret. Every other value is hidden.
_OPTIONS = """
    host hostaddr port dbname user connect_timeout application_name sslmode sslrootcert
    target_session_attrs options passfile service tcp_user_timeout
"""
_SHOWN = frozenset(_OPTIONS.split())
_HIDDEN = "***"


class _Parts(NamedTuple):
    """The parts of a URL that matter here, as they are written."""

    scheme: str
    user: str
    password: str | None
    host: str
    rest: str
    options: list[tuple[str, str]]


def _parts(url: str) -> _Parts | None:
    """Split a URL without decoding it; None if it is not an address of PostgreSQL."""
    scheme = next((one for one in _SCHEMES if url.startswith(one)), None)
    if scheme is None or not url.isprintable() or " " in url:
        return None
    before, _, query = url[len(scheme) :].partition("?")
    place, slash, database = before.partition("/")
    login, _, host = place.rpartition("@")
    user, colon, password = login.partition(":")
    given = [option.partition("=") for option in query.split("&") if option]
    options = [(name, value) for name, _, value in given]
    return _Parts(scheme, user, password if colon else None, host, slash + database, options)


def check_database_url(url: str, source: str, *, is_stored: bool) -> None:
    """Raise an error if a URL is not an address of PostgreSQL, or would store a password."""
    if not url:
        return
    parts = _parts(url)
    if parts is None:
        raise BadConfig(f"{source}: index.url is not an address of PostgreSQL.", _HINT)
    if is_stored and (parts.password or any(name not in _SHOWN for name, _ in parts.options)):
        raise BadConfig(
            f"{source}: index.url has a password, or an option that may be a secret."
            " A file may not contain it.",
            _HINT,
        )


def shown_url(url: str) -> str:
    """Return a URL without secrets; what is not an address is hidden as a whole."""
    parts = _parts(url)
    if parts is None:
        return _HIDDEN if url else ""
    secret = "" if parts.password is None else f":{_HIDDEN}"
    login = f"{parts.user}{secret}@" if parts.user or secret else ""
    options = "&".join(f"{n}={v if n in _SHOWN else _HIDDEN}" for n, v in parts.options)
    return f"{parts.scheme}{login}{parts.host}{parts.rest}{options and '?' + options}"


def secrets_of(url: str) -> list[str]:
    """Return the secrets in a URL, as they are written and as they are meant."""
    from urllib.parse import unquote

    parts = _parts(url)
    if parts is None:
        return [url] if url else []
    found = [parts.password or "", *(v for name, v in parts.options if name not in _SHOWN)]
    return [text for one in found if one for text in dict.fromkeys((one, unquote(one)))]

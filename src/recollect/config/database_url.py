"""Addresses of databases: which are accepted, and how they are shown without their password."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from recollect.errors import BadConfig

_SCHEMES = ("postgresql", "postgres")
_HINT = "Write postgresql://USER@HOST:PORT/DATABASE. Put the password into ~/.pgpass, or set PGPASSWORD."
# Parameters of libpq that hold a secret.
_SECRETS = frozenset({"password", "sslpassword", "oauth_client_secret"})
_HIDDEN = "***"


def check_database_url(url: str, source: str, *, is_stored: bool) -> None:
    """Raise an error if a URL is not an address of PostgreSQL, or would store a password."""
    if not url:
        return
    try:
        parts = urlsplit(url)
        has_password = bool(parts.password) or any(k in _SECRETS for k, _ in _query(parts.query))
    except ValueError:
        raise BadConfig(f"{source}: index.url is not a valid URL.", _HINT) from None
    if parts.scheme not in _SCHEMES:
        raise BadConfig(f"{source}: index.url must begin with postgresql://", _HINT)
    if is_stored and has_password:
        raise BadConfig(f"{source}: index.url contains a password, which a file may not.", _HINT)


def shown_url(url: str) -> str:
    """Return a URL without secrets; what cannot be parsed is hidden as a whole."""
    try:
        parts = urlsplit(url)
        if parts.scheme not in _SCHEMES:
            return _HIDDEN if url else ""
        user, at, host = parts.netloc.rpartition("@")
        name, colon, _ = user.partition(":")
        place = f"{name}{colon and ':' + _HIDDEN}{at}{host}"
        query = [(k, _HIDDEN if k in _SECRETS else v) for k, v in _query(parts.query)]
        return urlunsplit(parts._replace(netloc=place, query=urlencode(query, safe="/*")))
    except ValueError:
        return _HIDDEN


def secrets_of(url: str) -> list[str]:
    """Return the passwords in a URL, as they are written and as they are meant."""
    from urllib.parse import unquote

    try:
        parts = urlsplit(url)
        found = [parts.password or "", *(v for k, v in _query(parts.query) if k in _SECRETS)]
    except ValueError:
        return [url]
    return [text for one in found if one for text in dict.fromkeys((one, unquote(one)))]


def _query(text: str) -> list[tuple[str, str]]:
    return parse_qsl(text, keep_blank_values=True)

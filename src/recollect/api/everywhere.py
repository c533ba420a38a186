"""Asks the server of a team what other repositories know, from any clone.

The server is a help, never a need: it has a few seconds, and whatever is wrong with it becomes one
sentence beside the local results.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from recollect.config.config import Config, config_dir
from recollect.core.named_tuple import NamedTuple
from recollect.errors import BadConfig, NotAllowed, ServerUnreachable, TooManyRequests

TOKEN = "RECOLLECT_SERVER_TOKEN"  # noqa: S105 - the name of a variable
TOKEN_FILE = "server-token"  # noqa: S105 - the name of a file
_MOST_ANSWER = 4 << 20
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
# The filters that a server knows.
FILTERS = ("kind", "status", "tags", "since", "until", "session", "observation_type")
_TEXTS = ("id", "uid", "kind", "summary", "age", "repository", "commit")


class Elsewhere(NamedTuple):
    """A memory of another repository, as the server describes it."""

    id: str
    uid: str
    kind: str
    summary: str
    age: str
    repository: str
    commit: str
    score: float

    def as_json(self) -> dict[str, Any]:
        """The memory as `--json` prints it."""
        return self._asdict()


def search_everywhere(
    config: Config,
    environment: Mapping[str, str],
    query: str,
    limit: int,
    filters: Mapping[str, Any],
) -> list[Elsewhere]:
    """Ask the configured server; an error says what is wrong with it."""
    url = _address(config)
    asked = {name: filters[name] for name in FILTERS if filters.get(name)}
    asked |= {"query": query, "limit": limit}
    answer = _post(
        f"{url}/search",
        json.dumps(asked).encode(),
        _token(environment),
        config.number("server.timeout"),
    )
    try:
        return [_read(one) for one in answer["memories"][:limit]]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise _unreachable(url, "it answered, but not as a server of Recollect does") from None


def _read(one: Mapping[str, Any]) -> Elsewhere:
    texts = {name: str(one.get(name, "")) for name in _TEXTS}
    return Elsewhere(**texts, score=float(one["score"]))


def _address(config: Config) -> str:
    url = config.text("server.url").rstrip("/")
    if not url:
        raise BadConfig(
            "No server is configured.",
            "Ask whoever runs one for its address: recollect config set server.url https://…",
        )
    parts = urlsplit(url)
    is_local = parts.hostname in _LOOPBACK
    if parts.scheme != "https" and not (parts.scheme == "http" and is_local):
        raise BadConfig(
            f"The server {url[:100]} would get your token in plain text.",
            "Use its address with https://",
        )
    return url


def _token(environment: Mapping[str, str]) -> str:
    given = environment.get(TOKEN, "").strip()
    if given:
        return given
    path = config_dir(environment) / TOKEN_FILE
    try:
        mode = path.stat().st_mode
        text = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise _no_token(path) from None
    if stat.S_IMODE(mode) & 0o077:
        raise BadConfig(f"Others can read your token in {path}.", f"Run: chmod 600 {path}")
    return text


def _no_token(path: Path) -> BadConfig:
    return BadConfig(
        "You have no token for the server.",
        f"Ask whoever runs it for one. Put it into {path} (chmod 600), or set {TOKEN}.",
    )


def _post(url: str, body: bytes, token: str, timeout: float) -> Any:
    from urllib.error import HTTPError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class Stay(HTTPRedirectHandler):
        """Follows no redirect: it would take the token along, to anybody."""

        def redirect_request(self, *_: Any) -> None:
            """Do not follow it."""

    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    request = Request(url, body, headers, method="POST")  # noqa: S310 - the scheme is checked
    try:
        with build_opener(Stay).open(request, timeout=timeout) as answer:
            data = answer.read(_MOST_ANSWER + 1)
    except HTTPError as error:
        with error:
            raise _refused(url, error.code, error.read(_MOST_ANSWER)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise _unreachable(url, str(reason)) from None
    try:
        if len(data) > _MOST_ANSWER:
            raise ValueError
        return json.loads(data)
    except (ValueError, RecursionError):
        raise _unreachable(url, "it answered, but not as a server of Recollect does") from None


def _refused(url: str, code: int, data: bytes) -> NotAllowed | TooManyRequests | ServerUnreachable:
    try:
        said = json.loads(data)
        message, hint = str(said["message"])[:500], str(said["hint"])[:500]
    except (ValueError, KeyError, TypeError, RecursionError):
        return _unreachable(url, f"it answered with status {code}")
    if code in (401, 403):
        return NotAllowed(f"The server refused: {message}", hint)
    if code == 429:
        return TooManyRequests(message, hint)
    return ServerUnreachable(f"The server answered: {message}", hint)


def _unreachable(url: str, reason: str) -> ServerUnreachable:
    return ServerUnreachable(f"The server {urlsplit(url).netloc} does not answer: {reason[:200]}.")

"""People and their tokens: who asks, which repositories they may see, and whether they may write.

A token is 256 random bits. Only its hash is stored, so the database gives nobody away. Every
request looks it up, so that revoking one works at once.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Final

from recollect.core.named_tuple import NamedTuple
from recollect.errors import NotAllowed, TooManyRequests, ValidationError
from recollect.server.database import Database

PREFIX: Final = "rct_"
# How long a browser stays signed in.
SIGNED_IN: Final = timedelta(hours=12)
_TOKEN = re.compile(r"rct_[A-Za-z0-9_-]{43}\Z")
# What is stored as the author of a memory: a name or an address, on one line, without brackets.
_PERSON = re.compile(r"[^\s<>\x00-\x1f\x7f][^<>\x00-\x1f\x7f]{0,199}\Z")
_SPAN = re.compile(r"([0-9]{1,5})([hdw])\Z")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_LONGEST = timedelta(days=3660)


class Person(NamedTuple):
    """Somebody who asks: a name, and what they may see and do."""

    name: str
    repositories: frozenset[str]
    can_write: bool = False

    def require(self, repository: str) -> None:
        """Refuse a repository that the person may not see, as if there were none of that name."""
        if repository not in self.repositories:
            raise NotAllowed(
                f"There is no repository {repository[:100]!r} that you may see.",
                "list_repositories names those that you may see.",
            )


class Token(NamedTuple):
    """A token in the list: everything but the token itself."""

    id: int
    person: str
    repositories: tuple[str, ...]
    can_write: bool
    by_proxy: bool
    created: datetime
    expires: datetime | None
    revoked: datetime | None

    def state(self, now: datetime) -> str:
        """Whether it works."""
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= now else "active"


class People:
    """Who may see what."""

    def __init__(self, database: Database, requests_per_minute: int = 0) -> None:
        self._database = database
        self._most = requests_per_minute

    def add(
        self,
        person: str,
        repositories: Collection[str],
        *,
        expires: timedelta | None = None,
        can_write: bool = False,
        by_proxy: bool = False,
    ) -> tuple[int, str]:
        """Make a token and return its number and its text, which is shown this once.

        With `by_proxy` there is no text: the proxy says who it is.
        """
        if not _PERSON.match(person) or person != person.strip():
            raise ValidationError(
                f"{person[:60]!r} cannot be the name of a person.",
                "Use a name or an address on one line, without < and >.",
            )
        if not repositories:
            raise ValidationError("The token would open nothing.", "Name a --repository.")
        text = "" if by_proxy else PREFIX + secrets.token_urlsafe(32)
        until = None if expires is None else datetime.now(UTC) + expires
        if by_proxy:
            self._database.run(
                "update tokens set revoked = now()"
                " where person = %s and digest is null and revoked is null",
                person,
            )
        rows = self._database.run(
            "insert into tokens (person, digest, repositories, can_write, expires)"
            " values (%s, %s, %s, %s, %s) returning id",
            person,
            None if by_proxy else _digest(text),
            sorted(set(repositories)),
            can_write,
            until,
        )
        return int(rows[0][0]), text

    def list(self) -> list[Token]:
        """Every token, the revoked and expired ones too."""
        rows = self._database.run(
            "select id, person, repositories, can_write, digest is null, created, expires, revoked"
            " from tokens order by id"
        )
        return [Token(row[0], row[1], tuple(row[2]), *row[3:]) for row in rows]

    def revoke(self, number: int) -> Token:
        """Revoke a token; from the next request on it opens nothing."""
        self._database.run(
            "update tokens set revoked = coalesce(revoked, now()) where id = %s", number
        )
        for token in self.list():
            if token.id == number:
                return token
        raise ValidationError(
            f"There is no token {number}.", "To list them, run: recollect serve token list"
        )

    def by_token(self, text: str) -> Person:
        """Return whom a token belongs to; refuse one that is unknown, expired or revoked."""
        if not _TOKEN.match(text):
            raise _refused()
        digest = _digest(text)
        rows = self._database.run(
            "select person, repositories, can_write, digest from tokens"
            " where digest = %s and revoked is null and (expires is null or expires > now())",
            digest,
        )
        if not rows or not hmac.compare_digest(bytes(rows[0][3]), digest):
            raise _refused()
        return self._counted(Person(rows[0][0], frozenset(rows[0][1]), rows[0][2]))

    def by_proxy(self, name: str) -> Person:
        """Return the person whom the proxy has authenticated, if the server knows them."""
        rows = (
            []
            if not _PERSON.match(name)
            else self._database.run(
                "select person, repositories, can_write from tokens where person = %s"
                " and digest is null and revoked is null and (expires is null or expires > now())",
                name,
            )
        )
        if not rows:
            raise NotAllowed(
                "The proxy knows you, but this server does not.",
                "Ask whoever runs it for: recollect serve token add YOU --proxy --repository NAME",
            )
        return self._counted(Person(rows[0][0], frozenset(rows[0][1]), rows[0][2]))

    def _counted(self, person: Person) -> Person:
        """Count the request, in all workers together; refuse the one that is too many."""
        if self._most == 0:
            return person
        rows = self._database.run(
            "insert into spent (person, minute, requests)"
            " values (%s, date_trunc('minute', now()), 1)"
            " on conflict (person, minute) do update set requests = spent.requests + 1"
            " returning requests",
            person.name,
        )
        if rows[0][0] > self._most:
            raise TooManyRequests(
                f"You sent more than {self._most} requests in this minute.",
                "Wait a minute, and try again.",
            )
        return person

    def sign_in(self, token: str, address: str) -> tuple[Person, str]:
        """Exchange a token for the secret of a browser, which lasts some hours."""
        # No person can have this name: it is where wrong tokens come from.
        origin = f"<{address[:100]}>"
        try:
            person = self.by_token(token)
        except NotAllowed:
            self._counted(Person(origin, frozenset()))
            raise
        secret = secrets.token_urlsafe(32)
        self._database.run(
            "insert into sign_ins (digest, token, expires)"
            " select %s, id, now() + %s from tokens where digest = %s",
            _digest(secret),
            SIGNED_IN,
            _digest(token),
        )
        return person, secret

    def by_browser(self, secret: str) -> Person:
        """Return whose browser it is; refuse it if the token or the time is over."""
        rows = self._database.run(
            "select person, repositories, can_write from sign_ins join tokens on id = token"
            " where sign_ins.digest = %s and sign_ins.expires > now() and revoked is null"
            " and (tokens.expires is null or tokens.expires > now())",
            _digest(secret),
        )
        if not secret or not rows:
            raise NotAllowed("You are not signed in.", "Sign in with your token.")
        return self._counted(Person(rows[0][0], frozenset(rows[0][1]), rows[0][2]))

    def sign_out(self, secret: str) -> None:
        """Forget a browser."""
        self._database.run("delete from sign_ins where digest = %s", _digest(secret))

    def forget_spent(self) -> None:
        """Delete the counts of past minutes, and browsers whose time is over."""
        self._database.run("delete from spent where minute < now() - interval '5 minute'")
        self._database.run("delete from sign_ins where expires < now()")


def parse_span(text: str) -> timedelta:
    """Return a time such as `90d`, `12h` or `4w`."""
    found = _SPAN.match(text.strip().lower())
    span = int(found[1]) * _UNITS[found[2]] if found else None
    if span is None or not timedelta(0) < span <= _LONGEST:
        raise ValidationError(
            f"{text[:30]!r} is not a time that a token can last.", "Use 12h, 90d or 4w."
        )
    return span


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _refused() -> NotAllowed:
    """The same answer, whatever is wrong with a token."""
    return NotAllowed(
        "The token is missing, wrong, expired or revoked.",
        "Send it as: Authorization: Bearer rct_…  To get a new one, ask whoever runs the server.",
    )

"""The file of a server, `team.toml`: read once, checked as a whole, and never with a secret in it.

Git finds its credentials by its own helpers. The password of the database and the secret of the
webhook come from the environment or from the files that their owners use (`~/.pgpass`).
"""

from __future__ import annotations

import ipaddress
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from recollect.core.named_tuple import NamedTuple
from recollect.errors import BadConfig

DATABASE: Final = "RECOLLECT_SERVER_DATABASE"
WEBHOOK_SECRET: Final = "RECOLLECT_SERVER_WEBHOOK_SECRET"  # noqa: S105 - the name of a variable
_MOST_BYTES = 1 << 20
_MOST_REPOSITORIES = 10_000
_LEAST_SECRET = 16
# One folder of the data directory, one part of an address: no slash, no dots at the start.
REPOSITORY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z")
_ADDRESS = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9.-]{0,252}(:[0-9]{1,5})?/?\Z")
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,99}\Z")
_SCHEMES = ("https", "http", "ssh", "git", "file")
_SEE = "See docs/team.md."

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Followed(NamedTuple):
    """A repository that the server follows."""

    name: str
    url: str
    # Seconds between two looks at the remote.
    interval: float = 60.0


class Proxy(NamedTuple):
    """A proxy that has authenticated people, and says who they are in a header."""

    header: str
    addresses: tuple[Network, ...]

    def is_trusted(self, address: str) -> bool:
        """Whether a request that comes from this address may name a person."""
        try:
            given = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(given in network for network in self.addresses)


class Settings(NamedTuple):
    """What one server does."""

    path: Path
    database: str
    data: Path
    repositories: tuple[Followed, ...]
    host: str = "127.0.0.1"
    port: int = 8321
    public: bool = False
    # Where people reach it, such as `https://memory.example.com`, if that is another address.
    address: str = ""
    workers: int = 1
    write: bool = False
    # Per person; 0: no limit.
    requests_per_minute: int = 120
    audit_days: int = 365
    proxy: Proxy | None = None
    # Empty: nobody can ask for a fetch.
    webhook_secret: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the repositories."""
        return tuple(one.name for one in self.repositories)


class _Table:
    """A table of the file, whose values are taken out one by one; what is left is unknown."""

    def __init__(self, path: Path, name: str, values: Any) -> None:
        self._where = f"{path}: [{name}]" if name else str(path)
        self._prefix = f"{name}." if name else ""
        if not isinstance(values, dict):
            raise self.wrong("", "must be a table")
        self._values = dict(values)

    def wrong(self, key: str, what: str, hint: str = _SEE) -> BadConfig:
        """Return the error about a value."""
        return BadConfig(f"{self._where}{': ' + key if key else ''} {what}.", hint)

    def take(self, key: str, kind: type, default: Any = None) -> Any:
        """Take a value of a type; without a default it must be there."""
        if key not in self._values:
            if default is None:
                raise self.wrong(key, "is missing")
            return default
        value = self._values.pop(key)
        if isinstance(value, bool) is not (kind is bool) or not isinstance(value, kind):
            raise self.wrong(key, f"must be {_WORDS[kind]}, not {str(value)[:60]!r}")
        return value

    def number(self, key: str, default: int, least: int, most: int) -> int:
        """Take a whole number between two others."""
        value: int = self.take(key, int, default)
        if not least <= value <= most:
            raise self.wrong(key, f"must be between {least} and {most}, not {value}")
        return value

    def end(self) -> None:
        """Refuse what nobody took: it is misspelled, and would silently do nothing."""
        if self._values:
            raise self.wrong(next(iter(self._values)), "is not a key of this file", _SEE)


_WORDS = {str: "a text", bool: "true or false", int: "a whole number", list: "a list", dict: ""}


def read_settings(path: Path, environment: Mapping[str, str]) -> Settings:
    """Read and check the file; an error says what to change."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadConfig(
            f"Cannot read {path}: {error.strerror}.",
            "Name the file with --config. docs/team.md has one to start from.",
        ) from None
    if len(data) > _MOST_BYTES:
        raise BadConfig(f"{path} is larger than {_MOST_BYTES} bytes.", _SEE)
    try:
        values = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadConfig(f"{path} is not TOML: {error}.", "Correct the file.") from None
    return _settings(path, _Table(path, "", values), environment)


def _settings(path: Path, table: _Table, environment: Mapping[str, str]) -> Settings:
    host, port = _address(table)
    public = table.take("public", bool, False)
    if not public and not ipaddress.ip_address(host).is_loopback:
        raise table.wrong(
            "listen",
            f"is {host}, which other machines can reach",
            "Put a proxy with TLS in front and listen on 127.0.0.1. If this network is private,"
            " add: public = true",
        )
    settings = Settings(
        path=path,
        database=_database(table, environment),
        data=_data(path, table),
        repositories=_repositories(path, table),
        host=host,
        port=port,
        public=public,
        address=_public_address(table),
        workers=table.number("workers", 1, 1, 256),
        write=table.take("write", bool, False),
        requests_per_minute=table.number("requests_per_minute", 120, 0, 1_000_000),
        audit_days=table.number("audit_days", 365, 1, 36_500),
        proxy=_proxy(path, table),
        webhook_secret=_secret(environment),
    )
    table.end()
    return settings


def _address(table: _Table) -> tuple[str, int]:
    given = table.take("listen", str, "127.0.0.1:8321")
    host, _, port = given.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    host = "127.0.0.1" if host == "localhost" else host
    try:
        ipaddress.ip_address(host)
        if not 0 <= int(port) <= 65535:
            raise ValueError
    except ValueError:
        raise table.wrong("listen", f"must be like 127.0.0.1:8321, not {given[:60]!r}") from None
    return host, int(port)


def _public_address(table: _Table) -> str:
    given: str = table.take("address", str, "")
    if given and not _ADDRESS.match(given):
        raise table.wrong("address", f"must be like https://memory.example.com, not {given[:60]!r}")
    return given.removesuffix("/").lower()


def _database(table: _Table, environment: Mapping[str, str]) -> str:
    given: str = table.take("database", str, "")
    url = environment.get(DATABASE) or given
    if not url:
        raise table.wrong(
            "database", "is missing", f'Add database = "postgresql://…", or set {DATABASE}.'
        )
    if urlsplit(url).scheme not in ("postgresql", "postgres"):
        raise table.wrong("database", "must start with postgresql://")
    if url == given and urlsplit(given).password:
        raise table.wrong(
            "database",
            "has a password in it",
            f"Use ~/.pgpass, or set the whole URL as {DATABASE}.",
        )
    return url


def _data(path: Path, table: _Table) -> Path:
    given: str = table.take("data", str)
    folder = Path(given).expanduser()
    return folder if folder.is_absolute() else path.parent.absolute() / folder


def _repositories(path: Path, table: _Table) -> tuple[Followed, ...]:
    listed: list[Any] = table.take("repositories", list)
    if not 0 < len(listed) <= _MOST_REPOSITORIES:
        raise table.wrong("repositories", f"must list 1 to {_MOST_REPOSITORIES} repositories")
    found: dict[str, Followed] = {}
    for values in listed:
        one = _Table(path, "repositories", values)
        name = one.take("name", str)
        if not REPOSITORY.match(name):
            raise one.wrong(
                "name",
                f"cannot be {name[:60]!r}",
                "Use letters, digits, dots, underscores and hyphens, and begin with a letter or"
                " digit.",
            )
        if name.lower() in found:
            raise one.wrong("name", f"{name!r} is there twice", "Give each its own name.")
        url = _url(one)
        interval = one.number("interval", 60, 1, 86_400)
        one.end()
        found[name.lower()] = Followed(name, url, float(interval))
    return tuple(found.values())


def _url(table: _Table) -> str:
    url: str = table.take("url", str)
    # Git would read an option, or run a program (`ext::`).
    is_path = url.startswith("/")
    is_scp = re.fullmatch(r"[\w.-]+@[\w.-]+:[^:\s]+", url, re.ASCII) is not None
    try:
        parts = urlsplit(url)
        password = parts.password
    except ValueError:
        raise table.wrong("url", f"is not an address: {url[:60]!r}") from None
    known = is_path or is_scp or ("://" in url and parts.scheme in _SCHEMES)
    if not known or re.search(r"[\x00-\x20\x7f]", url):
        raise table.wrong(
            "url",
            f"is not an address that can be followed: {url[:60]!r}",
            f"Use a path, host:path with a user, or one of: {', '.join(_SCHEMES)}://",
        )
    # Over HTTP, a user name may be a token.
    if password or (parts.scheme in ("http", "https") and parts.username):
        raise table.wrong(
            "url",
            "has a user name or a password in it",
            "Let git find it: git config --global credential.helper …, or an SSH key.",
        )
    return url


def _proxy(path: Path, table: _Table) -> Proxy | None:
    values = table.take("proxy", dict, {})
    if not values:
        return None
    one = _Table(path, "proxy", values)
    header, listed = one.take("header", str), one.take("addresses", list)
    one.end()
    if not _HEADER.match(header) or header.lower() in ("authorization", "host", "cookie"):
        raise one.wrong(
            "header", f"cannot be {header[:60]!r}", "Use one such as X-Forwarded-Email."
        )
    networks = []
    for address in listed:
        try:
            networks.append(ipaddress.ip_network(str(address)))
        except ValueError:
            raise one.wrong(
                "addresses", f"{str(address)[:60]!r} is no address", "Use 10.0.0.1 or 10.0.0.0/24."
            ) from None
    if not networks or any(network.prefixlen == 0 for network in networks):
        raise one.wrong(
            "addresses",
            "must name the proxy",
            "Everybody else could send the header, and be anybody.",
        )
    return Proxy(header.lower(), tuple(networks))


def _secret(environment: Mapping[str, str]) -> str:
    secret = environment.get(WEBHOOK_SECRET, "")
    if secret and len(secret) < _LEAST_SECRET:
        raise BadConfig(
            f"{WEBHOOK_SECRET} has fewer than {_LEAST_SECRET} characters.",
            "Make one with: openssl rand -hex 32",
        )
    return secret

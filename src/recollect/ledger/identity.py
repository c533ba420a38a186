"""Who writes: the configured author, else git's identity, else the name at login."""

from __future__ import annotations

from recollect.core.patterns import pattern
from recollect.errors import GitFailed
from recollect.ledger.git import Git

_NOT_IN_NAMES = pattern(r"[\x00-\x1f\x7f<>]")


def find_author(git: Git, configured: str) -> str:
    """Return the author as `Name <email>`."""
    if configured:
        return _identity(configured)
    try:
        found = git.run("var", "GIT_AUTHOR_IDENT").decode("utf-8", "replace")
    except GitFailed:
        found = ""  # git knows no identity here, but the system does
    return _identity(found or _login())


def _identity(text: str) -> str:
    """Normalise an author to `Name <email>`, as git requires."""
    name, _, rest = text.partition("<")
    name = " ".join(_NOT_IN_NAMES.sub("", name).split())
    email = "".join(_NOT_IN_NAMES.sub("", rest.partition(">")[0]).split())
    return f"{name or email or 'unknown'} <{email}>"


def _login() -> str:
    from getpass import getuser

    try:
        return getuser()
    except (OSError, KeyError):
        return "unknown"

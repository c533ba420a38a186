"""Times as people write them: a date, an age, a commit."""

from __future__ import annotations

from datetime import datetime, timedelta

from recollect.core.fields import check_revision, check_timestamp
from recollect.core.patterns import pattern
from recollect.errors import UnsafeName, ValidationError
from recollect.ledger.files import commit_time
from recollect.ledger.repository import Repository

_AGE = pattern(r"(\d{1,9})\s*(m|h|d|w|y|(?:minute|hour|day|week|year)s?)(?:\s+ago)?\Z")
_UNITS = {"m": 1 / 1440, "h": 1 / 24, "d": 1.0, "w": 7.0, "y": 365.0}
_HINT = "Write it like 2026-08-23, 30d or HEAD~3"


def parse_time(text: str, now: datetime, repository: Repository | None) -> str:
    """Return a timestamp for `2026-08-23`, `2026-08-23T10:00:00Z`, `30d` ago, or a revision.

    Without a repository, there are no revisions.
    """
    text = text.strip()
    age = _AGE.match(text.lower())
    if age:
        days = int(age.group(1)) * _UNITS[age.group(2)[0]]
        try:
            return check_timestamp((now - timedelta(days=days)).isoformat())
        except OverflowError:
            raise ValidationError(f"{text!r} is not a valid age.", _HINT) from None
    try:
        return check_timestamp(text)
    except ValidationError:
        made = None if repository is None else _commit_time(text, repository)
    if made is None:
        raise ValidationError(f"{text[:60]!r} is not a date, an age or a commit.", _HINT)
    return check_timestamp(datetime.fromtimestamp(made, tz=now.tzinfo).isoformat())


def _commit_time(text: str, repository: Repository) -> float | None:
    try:
        return commit_time(repository, check_revision(text))
    except UnsafeName:
        return None

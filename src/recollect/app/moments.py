"""Moments as people name them: a date, an age, a commit."""

from __future__ import annotations

from datetime import datetime, timedelta

from recollect.core.fields import check_revision, check_timestamp
from recollect.core.patterns import pattern
from recollect.errors import ValidationError
from recollect.ledger.files import commit_time
from recollect.ledger.repository import Repository

_AGE = pattern(r"(\d+)\s*(m|h|d|w|y)\Z")
_UNITS = {"m": 1 / 1440, "h": 1 / 24, "d": 1.0, "w": 7.0, "y": 365.0}


def moment_named(text: str, now: datetime, repository: Repository) -> str:
    """A timestamp for `2026-08-23`, `2026-08-23T10:00:00Z`, `30d` ago, or a revision."""
    text = text.strip()
    age = _AGE.match(text)
    if age:
        days = int(age.group(1)) * _UNITS[age.group(2)]
        return check_timestamp((now - timedelta(days=days)).isoformat())
    try:
        return check_timestamp(text)
    except ValidationError:
        made = commit_time(repository, check_revision(text))
    if made is None:
        raise ValidationError(
            f"{text!r} is neither a date nor an age nor a commit.",
            "Write it like 2026-08-23, 30d or HEAD~3",
        )
    return check_timestamp(datetime.fromtimestamp(made, tz=now.tzinfo).isoformat())

"""Times that a question names: "last week", "in May", "two days ago", "since v2".

Days, weeks and months are local time. What a release means, only the tags of the repository say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from recollect.core.patterns import pattern

# The name of a tag → when it was made.
Releases = Mapping[str, float]

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_DAYS = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}
_COUNT = rf"\d{{1,3}}|{'|'.join(_NUMBERS)}"
_UNIT = "|".join(_DAYS)
_PERIOD = pattern(
    r"\b(?:(?:(?P<lead>since|after|before|until) )?"
    r"(?:(?P<word>yesterday|today|this morning)"
    r"|(?P<which>this|last|past|previous) (?P<unit>week|month|quarter|year)"
    rf"|(?:last|past|previous) (?P<last>{_COUNT}) (?P<units>{_UNIT})s?"
    rf"|(?:about |around )?(?P<ago>{_COUNT}) (?P<past>{_UNIT})s? ago)"
    r"|(?P<side>in|during|since|after|before|until|last|this)"
    rf" (?P<month>{'|'.join(_MONTHS)})(?:,? (?P<of>(?:19|20)\d\d))?"
    r"|(?P<about>in|on|during|since|after|before|until)"
    r" (?P<date>(?:19|20)\d\d(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?)"
    r"|(?P<when>since|after|before|until) (?:version |release )?"
    r"(?P<version>v\d[\w.-]{0,30}|\d{1,4}\.\d[\d.]{0,20})"
    r"|(?P<around>since|after|before|until) (?:the |our )?(?:last |latest |previous )?release)"
    r"(?![\w-])",
    re.IGNORECASE,
)
_VERSION = pattern(r"(?:[A-Za-z_-]*[-_/])?[vV]?(\d+(?:\.\d+)*)")
# These are also verbs: "this may break" names no month.
_VERBS = ("may", "march")
_FOREVER = 4e10  # seconds; the year 3237


def find_period(text: str) -> str:
    """Return the words of a text that name a time, the first ones; empty if there are none."""
    for found in _PERIOD.finditer(text):
        month = found["month"]
        is_verb = month is not None and month.lower() in _VERBS and month.islower()
        if not (is_verb and found["side"].lower() in ("last", "this")):
            return found[0]
    return ""


def is_release(period: str) -> bool:
    """Whether the words for a time mean a release, which only tags can place."""
    found = _PERIOD.fullmatch(period)
    return found is not None and (found["version"] or found["around"]) is not None


def bounds(period: str, now: float, releases: Releases | None = None) -> tuple[float, float] | None:
    """Return the beginning and the end of the time that words name; None if nobody knows it."""
    found = _PERIOD.fullmatch(period)
    if found is None:
        return None
    # `casefold`, as the pattern does: it takes the long s of “auguſt” for an s.
    at = {name: text.casefold() for name, text in found.groupdict().items() if text}
    today = datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0)
    if "version" in at or "around" in at:
        return _release(at, releases or {})
    if "month" in at:
        side = at["side"]
        return _on_side("in" if side in ("last", "this") else side, *_month(at, today))
    if "date" in at:
        return _on_side("in" if at["about"] == "on" else at["about"], *_date(at["date"]))
    return _on_side(at.get("lead", "in"), *_relative(at, today))


def _relative(at: Mapping[str, str], today: datetime) -> tuple[datetime, datetime]:
    later = today + timedelta(days=1)
    if "word" in at:
        return (today - timedelta(days=1), today) if at["word"] == "yesterday" else (today, later)
    if "last" in at:
        return today - timedelta(days=_count(at["last"]) * _DAYS[at["units"]]), later
    if "ago" in at:
        # "Two months ago" may be ten weeks: half a unit to each side.
        unit = _DAYS[at["past"]]
        middle = today - timedelta(days=_count(at["ago"]) * unit)
        return middle - timedelta(days=unit // 2), middle + timedelta(days=unit // 2 + 1)
    begin = _begin(today, at["unit"])
    if at["which"] == "this":
        return begin, later
    return _begin(begin - timedelta(days=1), at["unit"]), begin


def _begin(day: datetime, unit: str) -> datetime:
    """Return the first day of the week, month, quarter or year of a day."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    month = {"month": day.month, "quarter": day.month - (day.month - 1) % 3, "year": 1}[unit]
    return day.replace(month=month, day=1)


def _count(text: str) -> int:
    return _NUMBERS.get(text) or int(text)


def _month(at: Mapping[str, str], today: datetime) -> tuple[datetime, datetime]:
    """Return a month: the last one of that name, unless the year is said."""
    month = _MONTHS.index(at["month"]) + 1
    year = int(at["of"]) if "of" in at else today.year - (month > today.month)
    begin = datetime(year, month, 1)
    return begin, _begin(begin + timedelta(days=31), "month")


def _date(text: str) -> tuple[datetime, datetime]:
    parts = [int(part) for part in text.split("-")]
    try:
        year, month, day = (*parts, 1, 1)[:3]
        begin = datetime(year, month, day)
    except ValueError:  # the 31st of June
        begin = datetime(parts[0], parts[1], 1)
    if len(parts) == 1:
        return begin, begin.replace(year=begin.year + 1)
    if len(parts) == 2:
        return begin, _begin(begin + timedelta(days=31), "month")
    return begin, begin + timedelta(days=1)


def _on_side(side: str, begin: datetime, end: datetime) -> tuple[float, float]:
    first, last = begin.timestamp(), end.timestamp()
    spans = {
        "since": (first, _FOREVER),
        "after": (last, _FOREVER),
        "before": (0.0, first),
        "until": (0.0, last),
    }
    return spans.get(side, (first, last))


def _release(at: Mapping[str, str], releases: Releases) -> tuple[float, float] | None:
    """Return the time before or after a release: the first of that version, or the last of all."""
    versions = {name: _numbers(name) for name in releases}
    if "version" in at:
        wanted = _numbers(at["version"])
        times = [releases[n] for n, own in versions.items() if own[: len(wanted)] == wanted]
        moment = min(times, default=None)
    else:
        moment = max((releases[name] for name, own in versions.items() if own), default=None)
    if moment is None:
        return None
    side = at.get("when") or at["around"]
    return (moment, _FOREVER) if side in ("since", "after") else (0.0, moment)


def _numbers(name: str) -> tuple[int, ...]:
    """Return the numbers of a version; empty if a name is none."""
    found = _VERSION.match(name)
    return tuple(int(part[:9]) for part in found[1].split(".")) if found else ()

"""Which found commits take a place: each work once, and what was reverted below its revert."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from recollect.core.patterns import pattern
from recollect.store.commit_index import FoundCommit

# Seconds between a commit and its merge, or its backport.
_NEAR: Final = 90 * 86_400
_ALIKE = 120  # characters of two texts that are the same
_SHORTEST = 40
_TICKET = pattern(r"\s{0,3}\(?#\d{1,7}\)?\s{0,3}\Z")
_AREA = pattern(r"[\w()/., +-]{1,40}: (?=\S)")
_QUOTED = pattern(r"(?:re)?revert[^\"“]{0,12}[\"“](?P<what>[^\n]{3,300})[\"”]", re.IGNORECASE)
_BY_ID = pattern(
    r"\brevert(?:s|ed|ing)? (?:the )?(?:commits? )?(?P<oid>[0-9a-f]{7,40})\b", re.IGNORECASE
)
_BY_NUMBER = pattern(
    r"\brevert(?:s|ed|ing)? (?:the )?patch v?(?P<number>\d[\d.]{2,20}\d)", re.IGNORECASE
)
_NUMBERED = pattern(r"patch (?P<number>\d[\d.]{2,20}\d):", re.IGNORECASE)


def distinct(found: Iterable[FoundCommit]) -> list[FoundCommit]:
    """Return commits in their order, but a commit and its merge or backport once: the first."""
    kept: list[FoundCommit] = []
    for one in found:
        place = next((n for n, other in enumerate(kept) if _is_same(one, other)), -1)
        if place < 0:
            kept.append(one)
        elif _is_better(one, kept[place]):
            kept[place] = one
    return kept


def _is_better(one: FoundCommit, other: FoundCommit) -> bool:
    """Whether a commit is the one to show: it has a text, or it came before its merge."""
    if bool(one.body) != bool(other.body):
        return bool(one.body)
    return one.time < other.time


def _is_same(one: FoundCommit, other: FoundCommit) -> bool:
    text = one.body[:_ALIKE]
    if len(text) >= _SHORTEST and text == other.body[:_ALIKE]:
        return True
    is_near = abs(one.time - other.time) <= _NEAR
    return is_near and _name_of(one.subject) == _name_of(other.subject)


def _name_of(subject: str) -> str:
    """Return a subject without its area and its ticket."""
    bare = _TICKET.sub("", subject)
    area = _AREA.match(bare)
    return (bare[area.end() :] if area else bare).casefold().strip(" .")


def marked(found: Sequence[FoundCommit], reverts: Iterable[FoundCommit]) -> list[FoundCommit]:
    """Return commits with what took them back, which comes before them if it is there, too."""
    by_id: dict[str, FoundCommit] = {}
    by_name: dict[str, FoundCommit] = {}
    by_number: dict[str, FoundCommit] = {}
    for one in reverts:
        text = f"{one.subject}\n{one.body}"
        by_id.update({said["oid"][:7]: one for said in _BY_ID.finditer(text)})
        by_number.update({said["number"]: one for said in _BY_NUMBER.finditer(text)})
        quoted = _QUOTED.match(one.subject)
        if quoted:
            by_name[_name_of(quoted["what"])] = one
    ordered: list[FoundCommit] = []
    places = {one.oid: n for n, one in enumerate(found)}
    for one in found:
        number = _NUMBERED.match(one.subject)
        undone = by_id.get(one.oid[:7]) or (by_number.get(number["number"]) if number else None)
        undone = undone or by_name.get(_name_of(one.subject))
        if undone is None or undone.time < one.time or undone.oid == one.oid:
            ordered.append(one)
            continue
        if undone.oid in places:
            ordered.append(found[places[undone.oid]])
        said = f"Taken back in {_month_of(undone)} by {undone.oid[:12]}: {undone.subject}"
        ordered.append(one._replace(undone=said))
    kept: dict[str, FoundCommit] = {}
    for one in ordered:
        kept.setdefault(one.oid, one)
    return list(kept.values())


def _month_of(one: FoundCommit) -> str:
    return datetime.fromtimestamp(one.time, UTC).strftime("%Y-%m")

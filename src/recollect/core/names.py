"""Names: the visible ids, `<kind>:<anchor>:<n>`, and how a typed id is matched.

A name is written once, at creation, and never recomputed. Two clones may give the same name
independently. It is then ambiguous, as a short SHA can be, and `~` with the last four characters of
the uid tells the two apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.core.kinds import find_kind
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.core.places import Place
from recollect.core.record import Record

SHORT_ANCHOR = 7
_NAME = pattern(
    r"([a-z0-9][a-z0-9_/-]*):([0-9a-f]{4,64}):([0-9]{1,9})(?:~([0-9a-z]{4,26}))?\Z", re.IGNORECASE
)
# With room for the marker of core/spaces.py after a complete uid.
_UID_PREFIX = pattern(r"[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{3,26}\Z")


class Name(NamedTuple):
    """A parsed name. The anchor may be abbreviated; `tail` is the end of the uid, if given."""

    kind: str
    anchor: str
    number: int
    tail: str = ""

    def __str__(self) -> str:
        tail = f"~{self.tail}" if self.tail else ""
        return f"{self.kind}:{self.anchor}:{self.number}{tail}"


def parse_name(text: str) -> Name | None:
    """Parse a typed or stored name; None if it is not a name."""
    match = _NAME.match(text.strip())
    if match is None:
        return None
    kind, anchor, number, tail = match.groups()
    known = find_kind(kind)
    return Name(
        known.name if known else kind.lower(), anchor.lower(), int(number), (tail or "").upper()
    )


def as_uid_prefix(text: str) -> str | None:
    """Return the text as a uid prefix; None if it cannot be one."""
    text = text.strip()
    return text.upper() if _UID_PREFIX.match(text) else None


def short(name: str) -> str:
    """Shorten the anchor of a name to seven characters, for display."""
    parsed = parse_name(name)
    if parsed is None:
        return name
    return str(Name(parsed.kind, parsed.anchor[:SHORT_ANCHOR], parsed.number, parsed.tail))


def name_at_creation(create: Record, place: Place, legacy_uids: Sequence[str]) -> str:
    """Return the name written at creation; unnamed text is named after its content.

    A legacy record is named by its position among those of its note, edited ones included, as the
    system that wrote it did. For other text the number comes from its hash, because two clones may
    adopt the same text independently.
    """
    if create.id is not None:
        return create.id
    if create.uid in legacy_uids:
        number = legacy_uids.index(create.uid)
    else:
        import hashlib  # loads OpenSSL, which few hooks need

        number = int(hashlib.sha256(create.uid.encode()).hexdigest()[:5], 16)
    return str(Name(place.kind, place.anchor, number))

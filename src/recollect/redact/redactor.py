"""The redactor: run every rule over the text, then replace what was found with marks.

Existing marks are left alone, so redacting twice changes nothing more. Removing one secret can
expose another (the end of a long run is a new start), so the search repeats until it finds nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection

from recollect.core.named_tuple import NamedTuple
from recollect.errors import BadConfig, SecretFound
from recollect.redact.homes import drop_private, shorten_homes
from recollect.redact.rule import Rule, compiled
from recollect.redact.rules import RULES
from recollect.redact.values import is_real_token

STRATEGIES = ("redact", "mask", "block", "warn")
_NAMES = "|".join(dict.fromkeys(rule.name for rule in RULES))
_MARK = rf"\[(?:REDACTED:(?:{_NAMES})|MASKED:(?:{_NAMES}):[\w+/=.~-]{{0,4}}…[\w+/=.~-]{{0,4}})\]"
_ENDS = r"[\w+/=.~-]+\Z"
_SHOWN = 4
_LONG_ENOUGH_TO_SHOW = 24
_PASSES = 8


class Redaction(NamedTuple):
    """A text that may be stored, and the names of what was found in it, in order."""

    text: str
    found: tuple[str, ...] = ()


class _Finding(NamedTuple):
    """A span of the text and the rule that claims it; a lower rank is the better claim."""

    start: int
    end: int
    rank: int
    marked: int = 0  # how many of its characters are already marks

    @property
    def rule(self) -> Rule:
        return RULES[self.rank]


# Each rule, and words of which one is in every match (the empty one is in every text). Looking for
# them without a call is most of what a text without secrets takes.
_SEARCHES = [(rank, rule, rule.anchors or rule.within or ("",)) for rank, rule in enumerate(RULES)]


class Redactor:
    """Removes secrets from texts.

    The strategy decides what happens to a secret: `redact` replaces it with a mark, `mask` with one
    that shows its first and last characters if they reveal nothing, `block` rejects the text, and
    `warn` only reports. Private parts and home directories are removed with every strategy and not
    reported. `allowed` holds the sha256 digests of values that are not secrets. `personal` adds the
    rules for personal data that is often in plain text on purpose.
    """

    def __init__(
        self,
        *,
        strategy: str = "redact",
        allowed: Collection[str] = (),
        home: str | None = None,
        personal: bool = False,
    ) -> None:
        if strategy not in STRATEGIES:
            raise BadConfig(
                f"There is no strategy {strategy!r}; use one of: {', '.join(STRATEGIES)}."
            )
        self._strategy = strategy
        self._allowed = frozenset(digest.strip().lower() for digest in allowed)
        trimmed = (home or "").rstrip("/\\")
        self._home = trimmed if len(trimmed) > 1 else None
        self._personal = personal

    def redact(self, text: str) -> Redaction:
        """Return the text as it may be stored."""
        text = drop_private(text)
        found: list[str] = []
        for _ in range(_PASSES):
            text = shorten_homes(text, self._home)
            findings = self._find(text)
            found += (finding.rule.name for finding in findings)
            if findings and self._strategy == "block":
                raise SecretFound(tuple(found))
            if not findings or self._strategy == "warn":
                break
            text = self._replace(text, findings)
        return Redaction(text, tuple(found))

    def tokens_in(self, text: str) -> list[str]:
        """Return the values with a vendor's format, for names that otherwise stay unchanged."""
        return [
            text[finding.start : finding.end]
            for finding in self._find(text)
            if finding.rule.check is is_real_token
        ]

    def _find(self, text: str) -> list[_Finding]:
        # Anchors are ASCII: one byte per character keeps the positions and makes the search fast.
        lowered = text.encode("ascii", "replace").lower().decode("ascii")
        claims: list[_Finding] = []
        allowed: list[_Finding] = []
        for rank, rule, words in _SEARCHES:
            for word in words:
                if word in lowered:
                    break
            else:
                continue
            if rule.personal and not self._personal:
                continue
            for start, end in rule.find(text, lowered):
                known = self._is_allowed(text[start:end])
                (allowed if known else claims).append(_Finding(start, end, rank))
        if not claims:
            return []
        marks = [
            _Finding(*match.span(), len(RULES), match.end() - match.start())
            for match in compiled(_MARK).finditer(text)
        ]
        merged = _merged(_outside(_merged(allowed), claims) + marks)
        return [finding for finding in merged if finding.marked < finding.end - finding.start]

    def _is_allowed(self, value: str) -> bool:
        if not self._allowed:
            return False
        from hashlib import sha256  # needed only with an allow list, and slow to load

        return sha256(value.encode("utf-8", "surrogatepass")).hexdigest() in self._allowed

    def _replace(self, text: str, findings: list[_Finding]) -> str:
        parts: list[str] = []
        position = 0
        for finding in findings:
            mark = self._mark(finding.rule, text[finding.start : finding.end])
            parts += text[position : finding.start], mark
            position = finding.end
        return "".join((*parts, text[position:]))

    def _mark(self, rule: Rule, value: str) -> str:
        shown = self._strategy == "mask" and rule.shows_ends and len(value) >= _LONG_ENOUGH_TO_SHOW
        if shown and compiled(_ENDS).match(value):
            return f"[MASKED:{rule.name}:{value[:_SHOWN]}…{value[-_SHOWN:]}]"
        return f"[REDACTED:{rule.name}]"


def _merged(claims: list[_Finding]) -> list[_Finding]:
    """Merge overlapping claims under the name of the best one, so that nothing is left over."""
    merged: list[_Finding] = []
    for claim in sorted(claims):
        last = merged[-1] if merged else None
        if last is None or claim.start >= last.end:
            merged.append(claim)
        else:
            merged[-1] = _Finding(
                last.start,
                max(last.end, claim.end),
                min(last.rank, claim.rank),
                last.marked + claim.marked,
            )
    return merged


def _outside(allowed: list[_Finding], claims: list[_Finding]) -> list[_Finding]:
    """Return the claims outside everything allowed: a part of it is not a secret either."""
    if not allowed:
        return claims
    starts = [span.start for span in allowed]

    def lies_within(claim: _Finding) -> bool:
        place = bisect_right(starts, claim.start) - 1
        return place >= 0 and claim.end <= allowed[place].end

    return [claim for claim in claims if not lies_within(claim)]

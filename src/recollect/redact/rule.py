"""A rule: what one type of secret looks like, and where to look for it.

Two habits make it fast. A pattern is tried only where one of its anchors (plain text, lower case)
occurs, and it is compiled on first use: most texts contain few anchors, so a hook pays for few
patterns. Time stays linear because a repeat without an upper bound is either possessive or the last
part of its pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import compiled as kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_REACH = 100


class Candidate(NamedTuple):
    """A match of a pattern, for a check to judge."""

    text: str
    begin: int
    start: int
    end: int

    @property
    def value(self) -> str:
        """The possible secret."""
        return self.text[self.start : self.end]

    @property
    def head(self) -> str:
        """What precedes it: the name, the sign, the opening quote."""
        return self.text[self.begin : self.start]

    @property
    def lead(self) -> str:
        """A little of the text before the match."""
        return self.text[max(0, self.begin - 32) : self.begin]

    @property
    def after(self) -> str:
        """The character after the value, or empty."""
        return self.text[self.end : self.end + 1]

    @property
    def in_web_path(self) -> bool:
        """Whether it is in a web address; the part after `?`, where secrets are, does not count."""
        before = self.text[max(0, self.begin - 200) : self.begin]
        address = before.split()[-1] if before and not before[-1].isspace() else ""
        return "://" in address and "?" not in address


class Rule(NamedTuple):
    """One type of secret. The value is the first group that matched, else the whole match.

    The pattern starts at one of the `anchors`, or with `behind` follows one. A rule whose
    distinctive text is in the middle has `within` instead, and is searched around each of these.
    With neither, the whole text is searched.

    `shows_ends` says that the first and last few characters reveal nothing.
    """

    name: str
    pattern: str
    anchors: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    check: Callable[[Candidate], bool] | None = None
    shows_ends: bool = False
    behind: bool = False
    # Only if `redact.personal` is on.
    personal: bool = False
    # A text with none of these is not searched.
    needs: tuple[str, ...] = ()

    def find(self, text: str, lowered: str) -> Iterator[tuple[int, int]]:
        """Find the values. `lowered` is the text in lower case, with the same length."""
        if self.needs and not any(part in text for part in self.needs):
            return
        if self.anchors:
            for anchor in self.anchors:
                yield from self._find_at(anchor, text, lowered)
        elif self.within:
            for part in self.within:
                yield from self._find_around(part, text, lowered)
        else:
            for match in compiled(self.pattern).finditer(text):
                if span := self._judged(match, match.start()):
                    yield span

    def _find_at(self, anchor: str, text: str, lowered: str) -> Iterator[tuple[int, int]]:
        position = lowered.find(anchor)
        while position >= 0:
            after = position + len(anchor)
            if match := compiled(self.pattern).match(text, after if self.behind else position):
                span = self._judged(match, position)
                if span:
                    yield span
                # Continue after a match, which may be as long as the text. Only if a value was
                # rejected (these are short) can a better one start inside: `token = token="…"`.
                if span or not match.re.groups:
                    after = match.end()
            position = lowered.find(anchor, after)

    def _find_around(self, part: str, text: str, lowered: str) -> Iterator[tuple[int, int]]:
        position = lowered.find(part)
        start = 0
        while position >= 0:
            start, end = max(start, position - _REACH), position + 3 * _REACH
            for match in compiled(self.pattern).finditer(text, start, end):
                if span := self._judged(match, match.start()):
                    yield span
                start = match.end()
            # A match that starts near the end of this window may be cut short: the next one
            # overlaps it.
            position = lowered.find(part, max(start, position + 2 * _REACH))

    def _judged(self, match: re.Match[str], begin: int) -> tuple[int, int] | None:
        start, end = _value_span(match)
        if self.check and not self.check(Candidate(match.string, begin, start, end)):
            return None
        return start, end


def _value_span(match: re.Match[str]) -> tuple[int, int]:
    for group in range(1, match.re.groups + 1):
        if match.start(group) >= 0:
            return match.span(group)
    return match.span()


_compiled: dict[str, re.Pattern[str]] = {}


def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern, compiled on first use and not at import."""
    found = _compiled.get(pattern)
    if found is None:
        found = _compiled[pattern] = kept(pattern)
    return found

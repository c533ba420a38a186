"""Finds a cause and its fix in one message, which together are worth keeping.

For example: "The problem is that the lock outlives its process. [...] The fix: its age is checked,
too." On its own, the cause describes a bug that no longer exists, and the fix does not say what it
fixes. An account consists of both and the sentences between them, except remarks about the work
itself. A guess is not a cause, and a plan is not a fix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recollect.capture.sentences import without_code, words
from recollect.core.patterns import pattern

MAX_ACCOUNT = 600  # characters
_FARTHEST, _FARTHEST_PARTS = 8, 4  # sentences and paragraphs from the cause to the fix
_FEWEST_WORDS = 4

_LEAD = r"(?:(?:so|and|but|ah|aha|ok|okay|found it|here it is|there it is)[,.:!—– ]+)*"
_WRONG = pattern(
    rf"{_LEAD}(?:the |a |your |our )?(?:actual |real |main |underlying |core |original |only )?"
    r"(?:root cause|cause|problem|issue|bug|culprit)(?: here)?(?::|,? (?:is|was)\b)",
    re.IGNORECASE,
)
_CURE = pattern(
    rf"{_LEAD}(?:the |a |my |our )?(?:actual |real |right |simple |simplest |final )?"
    r"(?:fix|solution|remedy|workaround|cure)(?: here)?(?::|,? (?:is|was)"
    # Not "the fix is small": it must say what the fix is or does.
    r"(?=:| (?:to|that|an?|the|just|not|\w+ing)\b| simpler?\b.{0,20}:| [`x]{2}))",
    re.IGNORECASE,
)
# Meaningless without the sentence before it.
_CURED_BY = pattern(r"(?:fixed|solved)(?: (?:it|this|that))? by (?:not )?\w+ing\b", re.IGNORECASE)
_GUESS = pattern(
    r"\b(?:likely|probably|maybe|perhaps|possibly|might|may|could|would|should|seems?|suspects?"
    r"|suspicious|i think|i guess|not sure|apparently"
    r"|points? to|suggests?)\b",
    re.IGNORECASE,
)
_TALK = pattern(
    rf"{_LEAD}(?:let me|let's|let us|i'll|i will|i'm going|now,? (?:i|let|we)|want me|would you"
    r"|do you|here(?:'s| is| are)\b|shall i|should i|please|done|good|great|perfect|all tests)\b",
    re.IGNORECASE,
)
_NO_CAUSE = pattern(
    r" (?:now |already )?(?:fixed|resolved|gone|solved|done|clear|simple|obvious|something else"
    r"|elsewhere|unclear|unknown)\b",
    re.IGNORECASE,
)
_WORD = pattern(r"[^\W\d_][\w.-]*")
_EMPTY = words("a an and are be been by for from had has have here in is it its now of on or so"
               " that the then there this to too was were with you we i")  # fmt: skip
_NEEDS_CURE = ("fix", "solution", "remedy", "workaround", "cure", "solved")


class Account(NamedTuple):
    """A cause and its fix, and the sentences that contain them."""

    parts: tuple[int, ...]
    text: str


def accounts(said: Sequence[tuple[int, str]]) -> list[Account]:
    """Return the accounts of a message, given as sentences with their paragraph numbers."""
    found: list[Account] = []
    free = 0  # the sentences before this one already belong to an account
    for cure, (_, sentence) in enumerate(said):
        low = sentence.lower()
        if not any(map(low.__contains__, _NEEDS_CURE)):
            continue
        parts = _parts(said, cure, free)
        if parts:
            text = _joined([said[part][1] for part in parts])
            found.append(Account(tuple(parts), text))
            free = parts[-1] + 1
    return found


def _parts(said: Sequence[tuple[int, str]], cure: int, free: int) -> list[int]:
    """Return the sentences of the account that ends with a fix; none without a cause."""
    paragraph, sentence = said[cure]
    if _CURED_BY.match(sentence):
        before = cure - 1
        near = before >= free and said[before][0] >= paragraph - 1
        tells = near and _tells(said[before][1]) and not _TALK.match(said[before][1])
        parts = [before, cure] if tells else []
    elif _is(_CURE, sentence):
        cause = next(_causes(said, cure, free), None)
        if cause is None:
            return []
        between = [at for at in range(cause + 1, cure) if explains(said[at][1])]
        parts = [cause, *between, cure]
        if _length(said, parts) > MAX_ACCOUNT:
            parts = [cause, cure]
    else:
        return []
    after = cure + 1
    if parts and after < len(said) and said[after][0] == paragraph:
        announced = said[after][1].endswith("`") and ": `" in said[after][1]
        if announced and _length(said, [*parts, after]) <= MAX_ACCOUNT:
            parts.append(after)
    return parts if _length(said, parts) <= MAX_ACCOUNT else []


def _causes(said: Sequence[tuple[int, str]], cure: int, free: int) -> Iterator[int]:
    """Yield the sentences before a fix that state a cause, the nearest first."""
    for at in range(cure - 1, max(free, cure - _FARTHEST) - 1, -1):
        if said[at][0] < said[cure][0] - _FARTHEST_PARTS:
            return
        if _is(_WRONG, said[at][1]):
            yield at


def _is(form: re.Pattern[str], sentence: str) -> bool:
    """Return whether a sentence states a cause, or a fix, with some certainty."""
    text = without_code(sentence).replace("’", "'")
    match = form.match(text)
    if match is None or text.endswith(("?", ":")) or _GUESS.search(text[: match.end() + 30]):
        return False
    rest = text[match.end() :]
    return _tells(rest) and not _NO_CAUSE.match(rest)


def explains(sentence: str) -> bool:
    """Return whether a sentence belongs to an account: no chatter, question or guess."""
    whole = not sentence.endswith(("?", ":")) and _tells(sentence)
    return whole and not _TALK.match(sentence) and not _GUESS.search(sentence)


def _tells(text: str) -> bool:
    """Return whether a text has enough meaningful words."""
    found = _WORD.findall(text.lower())
    return sum(word not in _EMPTY for word in found) >= _FEWEST_WORDS - 1


def _length(said: Sequence[tuple[int, str]], parts: Sequence[int]) -> int:
    return sum(len(said[part][1]) + 2 for part in parts)


def _joined(sentences: Sequence[str]) -> str:
    """Join sentences into one text, each with a mark at its end."""
    *before, last = sentences
    return " ".join(
        [one if one.endswith((".", "!", "…")) else one + "." for one in before] + [last]
    )

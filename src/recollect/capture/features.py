"""Turns a sentence into what the detection model weighs: hashed n-grams and named features.

The trainer (`benchmarks/capture/train.py`) and the hooks use the same functions, so that a weight
means the same in both. Code, quotations, paths and names of identifiers become one token each:
what they hold is different every time, and that they are there is what counts.
"""

from __future__ import annotations

import math
from itertools import pairwise
from zlib import crc32

from recollect.capture.sentences import CODE, NAME, NUMBER, QUOTED
from recollect.capture.wording import (
    ARROW,
    CLUE,
    CONDITION,
    CONTRAST,
    CORRECTION,
    EXPLAINS,
    FILE,
    FINDINGS,
    GREETING,
    HYPOTHETICAL,
    IMPERATIVE,
    LABEL,
    LASTING,
    NEGATION,
    NOW,
    NOW_PLEASE,
    ORDER_AFTER_LABEL,
    OUTPUT,
    OWN_ACTION,
    PAST,
    PLAN,
    POINTS,
    PRESENT,
    QUESTION,
    REASON,
    RECAPS,
    REPORT,
    SELF,
    TEST,
    WE,
    YOU,
)
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

USER: Final = "user"
AGENT: Final = "agent"

MAX_LENGTH: Final = 600  # characters of a sentence that count
_GRAM: Final = 4  # characters
_USUAL_LENGTH: Final = 0.65  # so that only an unusual length decides

_TOKEN = pattern(r"[^\W\d_]{1,40}(?:'[^\W\d_]{1,5})?|[\x00-\x04]|[?!:;,()]|[—–]")
_CODE_MARK, _QUOTE_MARK, _NAME_MARK, _NUMBER_MARK = "\x01", "\x02", "\x03", "\x04"
SHOWN = {_CODE_MARK: "CODE", _QUOTE_MARK: "QUOTE", _NAME_MARK: "NAME", _NUMBER_MARK: "NUMBER"}


class Said(NamedTuple):
    """A sentence and what is known about the place where it was said."""

    text: str
    speaker: str = ""  # USER or AGENT; empty if unknown
    place: int = 0  # its number in the message
    total: int = 1  # sentences in the message
    failed: bool = False  # a tool failed shortly before
    passed: bool = False  # a tool succeeded after it had failed
    conceded: bool = False  # the agent gave in to it
    answers: bool = False  # it follows a question
    item: bool = False  # of a list
    explains: bool = False  # the message before asked why or how
    recaps: bool = False  # its message has announced what was done
    finds: bool = False  # its message has announced what was found out


NAMED: Final = (
    "said by the user",
    "said by the agent",
    "question",
    "hypothetical",
    "plan",
    "correction",
    "imperative",
    "negation",
    "reason",
    "lasting",
    "points at something",
    "we",
    "I",
    "you",
    "past",
    "report",
    "quoted share",
    "code share",
    "names",
    "numbers",
    "length",
    "short",
    "long",
    "first sentence",
    "last sentence",
    "short message",
    "long message",
    "introduces a list",
    "unfinished",
    "tool failed nearby",
    "tool succeeded nearby",
    "agent gave in",
    "answer to a question",
    "imperative of the user",
    "correction by the user",
    "lasting, by the user",
    "we, by the user",
    "in a list",
    "label and statement",
    "present tense",
    "own action",
    "now",
    "condition",
    "contrast",
    "arrow",
    "asks for it now",
    "greeting",
    "no verb",
    "asked why or how",
    "output of a program",
    "names a test",
    "starts with a file",
    "order after a label",
    "after a recap",
    "after a finding",
    "in a list, after a recap",
    "in a list, by the agent",
    "label and statement, by the agent",
    "present tense, by the agent",
    "own action, by the agent",
    "now, by the agent",
    "condition, by the agent",
    "reason, by the agent",
    "negation, by the agent",
    "I, by the agent",
    "I prefer, by the user",
    "asked why or how, by the agent",
    "code share, by the agent",
    "short message, by the agent",
    "long message, by the agent",
    "length, by the agent",
    "names something",
    "names something, by the agent",
    "alone in its message, by the user",
    "answer to a question, by the agent",
    *CLUE,
)


class Vector(NamedTuple):
    """What the model weighs: n-grams, and the value of each named feature."""

    words: tuple[str, ...]
    characters: tuple[bytes, ...]
    named: tuple[float, ...]


def vector(said: Said) -> Vector:
    """Return the features of a sentence."""
    whole = said.text[:MAX_LENGTH].replace("’", "'")
    plain, code, quoted = _plain(whole)
    tokens = _TOKEN.findall(plain.lower())
    ends = ["^", *tokens, "$"]
    words = [*tokens, *(f"{a} {b}" for a, b in pairwise(ends))]
    if said.speaker:
        words += [f"{said.speaker}: {token}" for token in ends[:4]]
    text = f" {' '.join(tokens)} ".encode("utf-8", "surrogatepass")
    characters = [text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1)]
    return Vector(
        tuple(dict.fromkeys(words)),
        tuple(dict.fromkeys(characters)),
        _named(said, whole, plain, len(tokens), code, quoted),
    )


def _plain(text: str) -> tuple[str, int, int]:
    """Replace code, quotations, names and numbers by marks; also return how much was replaced."""
    code = quoted = 0
    if "`" in text:
        code = sum(len(match[0]) for match in CODE.finditer(text))
        text = CODE.sub(f" {_CODE_MARK} ", text)
    if '"' in text or "“" in text or "«" in text:
        quoted = sum(len(match[0]) for match in QUOTED.finditer(text))
        text = QUOTED.sub(f" {_QUOTE_MARK} ", text)
    text = NAME.sub(f" {_NAME_MARK} ", text)
    return NUMBER.sub(f" {_NUMBER_MARK} ", text), code, quoted


def is_question(text: str) -> bool:
    """Return whether a sentence asks something."""
    return text.rstrip("\"')”’ ").endswith("?") or bool(QUESTION.match(text))


def asks_why(text: str) -> bool:
    """Return whether a message asks for an explanation: its answer tells what was found out."""
    return bool(EXPLAINS.search(text.replace("’", "'")))


def announces(text: str) -> tuple[bool, bool]:
    """Return whether a sentence announces what was done, and whether what was found out."""
    text = text.replace("’", "'")
    return bool(RECAPS.search(text)), bool(FINDINGS.search(text))


def is_plan(text: str) -> bool:
    """Return whether a sentence says what its speaker does next."""
    return bool(PLAN.match(text.replace("’", "'")))


def _named(
    said: Said, whole: str, plain: str, count: int, code: int, quoted: int
) -> tuple[float, ...]:
    length = max(1, len(whole))
    user, agent = said.speaker == USER, said.speaker == AGENT
    correction = bool(CORRECTION.match(plain) or " instead" in plain)
    imperative = bool(IMPERATIVE.match(plain))
    lasting = bool(LASTING.search(plain))
    we = bool(WE.search(plain))
    label = bool(LABEL.match(plain))
    present = bool(PRESENT.search(plain))
    action = bool(OWN_ACTION.match(plain.lstrip()))
    now = bool(NOW.search(plain))
    condition = bool(CONDITION.search(plain))
    reason = bool(REASON.search(plain))
    negation = bool(NEGATION.search(plain))
    of_self = bool(SELF.search(plain))
    past = bool(PAST.search(plain))
    names = _NAME_MARK in plain or _CODE_MARK in plain
    size = min(1.0, math.log1p(count) / 4) - _USUAL_LENGTH
    return (
        user,
        agent,
        is_question(plain),
        bool(HYPOTHETICAL.search(plain)),
        bool(PLAN.match(plain)),
        correction,
        imperative,
        negation,
        reason,
        lasting,
        bool(POINTS.match(plain)),
        we,
        of_self,
        bool(YOU.search(plain)),
        past,
        bool(REPORT.match(plain)),
        quoted / length,
        code / length,
        min(1.0, plain.count(_NAME_MARK) / 3),
        min(1.0, plain.count(_NUMBER_MARK) / 3),
        size,
        count < 5,
        count > 35,
        said.place == 0,
        said.place == said.total - 1,
        said.total <= 3,
        said.total > 12,
        whole.endswith(":"),
        not whole.endswith((".", "!", "?", ":")),
        said.failed,
        said.passed,
        said.conceded,
        said.answers,
        user and imperative,
        user and correction,
        user and lasting,
        user and we,
        said.item,
        label,
        present,
        action,
        now,
        condition,
        bool(CONTRAST.search(plain)),
        bool(ARROW.search(whole)),
        bool(NOW_PLEASE.search(plain)),
        bool(GREETING.match(plain)),
        not present and not past,
        said.explains,
        bool(OUTPUT.match(whole) or (user and OUTPUT.search(whole[:80]))),
        bool(TEST.search(whole)),
        bool(FILE.match(whole)),
        bool(ORDER_AFTER_LABEL.match(plain)),
        said.recaps,
        said.finds,
        said.recaps and said.item,
        agent and said.item,
        agent and label,
        agent and present,
        agent and action,
        agent and now,
        agent and condition,
        agent and reason,
        agent and negation,
        agent and of_self,
        user and bool(CLUE["prefers"].search(plain)),
        agent and said.explains,
        agent * code / length,
        agent and said.total <= 3,
        agent and said.total > 12,
        agent * size,
        names,
        agent and names,
        user and said.total == 1,
        agent and said.answers,
        *[bool(clue.search(plain)) for clue in CLUE.values()],
    )


def bucket(gram: str | bytes, size: int) -> int:
    """Return the weight that an n-gram has, of `size` weights (a power of two)."""
    if isinstance(gram, bytes):
        return crc32(gram, 1) & (size - 1)
    return crc32(gram.encode("utf-8", "surrogatepass")) & (size - 1)

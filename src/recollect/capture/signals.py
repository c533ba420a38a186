"""Finds sentences worth keeping: six types of signal, by their words.

| type | kind | says |
|---|---|---|
| decision | decisions | what was chosen |
| learning | learnings | what was found out |
| blocker | blockers | what blocks the work |
| resolution | solutions | what solved a problem |
| preference | preferences | how somebody wants it done |
| explicit | notes, or the kind of the rest of the sentence | please keep this |

Each pattern has its own confidence, which the shape of the sentence adjusts a little. Doubt lowers
it: questions and denials are no signal, assumptions stay below a suggestion, and hearsay stays
below automatic capture. So does a sentence that means nothing without its neighbours ("That fixed
it."): it is joined with the one before it, or dropped.

Words in code or quotation marks never match. What an agent says is never captured without review,
and it has no preferences: "I need to" and "keep in mind" are how it thinks aloud. Text that is too
long to be typed is not captured without review either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from recollect.capture.cause_and_fix import accounts, explains
from recollect.capture.chatter import LABELLED, is_chatter
from recollect.capture.request_rules import REQUESTS, is_asked, is_beyond_doubt, what_is_asked
from recollect.capture.sentences import paragraphs, sentences, without_code, words
from recollect.capture.signal_rules import (
    DECISION,
    DEFAULT_KIND,
    EXPLICIT,
    HEARSAY,
    KIND_OF_TYPE,
    PREFERENCE,
    RESOLUTION,
    STATEMENTS,
    SUPPOSED,
    Rule,
)
from recollect.core.patterns import pattern

RULES = (*STATEMENTS, *REQUESTS)

MAX_JOINED = 600  # characters of a sentence with its neighbours
MAX_TYPED = 2_000  # characters; longer text was pasted, and may be somebody else's
_MAX_LABELLED = 400
_ACCOUNT = 0.87  # the confidence of a cause with its fix
_LONG_MATCH, _SHORT_MATCH, _SHORT_SENTENCE = 20, 5, 20
_WISH = 0.70  # a preference at or below this confidence is a wish of the moment


class Signal(NamedTuple):
    """A sentence worth keeping, its type, and its confidence."""

    type: str
    kind: str
    sentence: str
    confidence: float


_QUOTED = pattern(r"\"[^\"]*\"|“[^”]{0,1000}”|«[^»]{0,1000}»")
_QUESTION = pattern(
    r"(?:(?:and|but|hey|hi|hmm|ok|okay|oh|so|well|wait)[, ]+)*(?:"
    r"(?:am|are|can|can't|could|did|didn't|do|does|doesn't|don't|had|has|have|is|isn't|shall|should"
    r"|was|were|will|would|wouldn't)"
    r" (?:i|we|you|they|he|she|it|this|that|there|the|anyone|anybody|someone|somebody)"
    r"|(?:what|why|how|who|where|when|which)(?:'s| (?:am|are|can|could|did|do|does|has|have|is"
    r"|should|was|were|will|would)))\b",
    re.IGNORECASE,
)
_TO_DO = pattern(r"(?:todo|fixme|xxx)\b", re.IGNORECASE)
_SAID_BY = pattern(
    r", (?:he|she|they|it|the [\w -]{1,30}) (?:says?|said|writes|wrote)[.!]?$", re.IGNORECASE
)
_POLITE = pattern(r"\b(?:can|could|would|will) you\b", re.IGNORECASE)
_CLAUSE = pattern(r"[,;:()—–]| --? |\b(?:and|but|because|since|so)\b", re.IGNORECASE)
_DENIAL = pattern(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|hardly|\w+n't|dont|didnt"
    r"|cant|wont)\b",
    re.IGNORECASE,
)
_SUPPOSED = pattern(
    r"\b(?:if|whether|unless|until|once|in case|suppose|supposing|assuming|imagine|would|could"
    r"|might|may|should|wish|hope|hopefully|unsure|wonder|wondering|how|what|when|while"
    r"|had (?:we|i))\b",
    re.IGNORECASE,
)
_DOUBT = pattern(
    r"^(?:if|when|unless|until|once|before|suppose|assuming)\b"
    r"|\b(?:i think|i guess|i believe|i assume|maybe|perhaps|probably|possibly|seems?|not sure"
    r"|iirc|afaik|afaict|says?|said|claim(?:s|ed)?|state[sd]|mention(?:s|ed)?|suggest(?:s|ed)?"
    r"|writes?|wrote|reported|told|asked|asks|according to|supposedly|reportedly|allegedly"
    r"|for example|for instance|e\.g)\b",
    re.IGNORECASE,
)
# Statements about the moment, jokes, hearsay, and hypothetical worlds.
_PASSING = pattern(
    r"\blet me\b|\bas (?:you (?:asked|said|wanted|wished)|requested)\b|\b(?:lol|haha|jk)\b|/s$"
    r"|\bif (?:i|it|they|we) (?:were|had)\b|\{\w[\w .]*\}|\bwill look\b|\bi'll (?:look|see|try)\b"
    r"|\bso glad\b|\b(?:might|may|could) be\b|\b(?:we|i) should (?:maybe|probably|perhaps)\b"
    r"|\bat some point\b|\bnever ?mind\b",
    re.IGNORECASE,
)
_TOLD_BY = pattern(
    r"\b(?:he|she|they|docs?|documentation|article|author|blog|book|post|(?-i:[A-Z][a-z]+))"
    r" (?:says?|said|claim(?:s|ed)?|writes?|wrote|argue[sd]|told (?:me|us)|thinks)\b"
    r"|\bi think we\b",
    re.IGNORECASE,
)
_FIRST_PERSON = pattern(r"\W*(?:(?:i|we|my|our)\b|til\b)", re.IGNORECASE)
_HABIT = pattern(
    r"\b(?:always|never|usually|generally|typically|normally|by default|prefer|prefers|preferably"
    r"|(?:every|each) time|whenever|from now on|going forward|in (?:the )?future)\b",
    re.IGNORECASE,
)
_NOT_A_HABIT = pattern(r"\bnever forget\b|\bin future sessions\b", re.IGNORECASE)
_REINFORCING = pattern(
    r"\b(?:important|critical(?! section)|essential|(?<!-)must(?!-)"
    r"|key (?:point|thing|part|reason|idea|fact|requirement)"
    r"|(?<!no )(?<!n't )(?<!n't even )(?<!not )(?<!\bi )need)\b",
    re.IGNORECASE,
)
_WORD = pattern(r"[^\W\d][\w.+#-]*")
# References to something that others cannot see.
_POINTING = pattern(r"\b(?:this|these|those|here|above|below|the following)\b", re.IGNORECASE)
# Characters that decide the kind of a text: its subject is at the beginning.
_MOST_JUDGED = 10_000
_POINTS_BACK = words("remember save note that got figured fixed keep")
_OF_PEOPLE = (PREFERENCE, EXPLICIT)
_SAID_IN_A_WORD = (DECISION, PREFERENCE, EXPLICIT)  # "We chose uv." is complete
_EMPTY_WORDS = words(
    "am an as at be by do go he if in is it me my no of ok on or she so to up us we i'd i'm i've"
    " ago change continue leave memory move next note proceed remember save session sessions skip"
    " start stop today wait yesterday"
    " about actually after again all also and any approach are because been being bug but can did"
    " does doing done error finally first fix fixed for former from future get gets getting going"
    " good got great had has have here how idea instead issue its just know last later latter let"
    " like lot made make makes maybe mind more much need needs nice not now okay one ones only"
    " option other our out over plan please pretty problem proposal really recommendation reference"
    " right same second should solution some something still such suggestion sure than thank thanks"
    " that the their them then there these they thing things think third this those through time"
    " too try trying two use used using very want was way well were what when where which while who"
    " why will with work worked working works would yes yet you your"
)


class _Reading(NamedTuple):
    """The strongest signal of a sentence, and whether the sentence names its subject."""

    signal: Signal
    complete: bool


def detect(text: str, *, by_agent: bool = False) -> list[Signal]:
    """Return what a text says that is worth keeping: at most one signal per sentence, in order."""
    said = [(part, one) for part, some in enumerate(paragraphs(text)) for one in some]
    found, told = _with_accounts(said, _lone(said))
    if by_agent:
        found = [one for one in found if not is_chatter(one[1].type, one[1].sentence)]
    signals = [signal for _, signal in sorted([*found, *told], key=lambda one: one[0])]
    if by_agent or len(text) > MAX_TYPED:
        signals = [one._replace(confidence=min(one.confidence, HEARSAY)) for one in signals]
    return signals


def _lone(said: list[tuple[int, str]]) -> list[tuple[int, Signal]]:
    """Return the signals of single sentences, and of those that refer to their neighbours."""
    found: list[tuple[int, Signal]] = []
    taken = -1  # the sentences up to here already belong to a signal
    for at, (_, sentence) in enumerate(said):
        reading = _read(sentence) if at > taken else None
        if reading is None:
            continue
        signal = reading.signal
        if reading.complete and LABELLED.match(sentence):
            last = _paragraph(said, at)
            signal = signal._replace(sentence=_together([one for _, one in said[at : last + 1]]))
            taken = last
        elif not reading.complete:
            first, last = _neighbours(said, at, asks=signal.type == EXPLICIT)
            if first == last and signal.type == EXPLICIT:
                continue  # it is unclear what was asked for
            if first == last:
                signal = signal._replace(confidence=min(signal.confidence, SUPPOSED))
            else:
                signal = _widen(signal, _together([one for _, one in said[first : last + 1]]))
                taken = last
                if found and found[-1][0] >= first:
                    found.pop()
        found.append((at, signal))
    return found


_Found = list[tuple[int, Signal]]


def _with_accounts(said: list[tuple[int, str]], found: _Found) -> tuple[_Found, _Found]:
    """Return the signals of sentences outside accounts, and those of the accounts."""
    others = {at for at, signal in found if signal.type in (DECISION, *_OF_PEOPLE)}
    told: _Found = []
    for account in accounts(said):
        if others.isdisjoint(account.parts):
            found = [one for one in found if one[0] not in account.parts]
            kind = KIND_OF_TYPE[RESOLUTION]
            told.append((account.parts[0], Signal(RESOLUTION, kind, account.text, _ACCOUNT)))
    return found, told


def kind_of(text: str) -> str:
    """Return the kind of a request that does not name one."""
    readings = filter(None, map(_read, sentences(text[:_MOST_JUDGED])))
    sure = [signal for signal, _ in readings if signal.confidence > SUPPOSED]
    best = max(sure, key=lambda s: (s.kind != DEFAULT_KIND, s.confidence), default=None)
    return best.kind if best else DEFAULT_KIND


def _paragraph(said: list[tuple[int, str]], at: int) -> int:
    """Return the last sentence of the paragraph below a label, within the length limit."""
    length = len(said[at][1])
    while at + 1 < len(said) and said[at + 1][0] == said[at][0]:
        length += len(said[at + 1][1]) + 2
        if length > _MAX_LABELLED or not explains(said[at + 1][1]):
            break
        at += 1
    return at


def _neighbours(said: list[tuple[int, str]], at: int, *, asks: bool) -> tuple[int, int]:
    """Return the first and the last sentence that a sentence refers to."""
    part, sentence = said[at]
    if sentence.endswith(":"):
        last, length = at, len(sentence)
        while last + 1 < len(said) and said[last + 1][0] <= part + 1:
            if last > at and said[last + 1][0] > said[at + 1][0]:
                break  # what was announced is one paragraph
            length += len(said[last + 1][1]) + 2
            if length > MAX_JOINED:
                break
            last += 1
        return at, last
    before = said[at - 1] if at else (part, "?")
    points = asks or not _POINTS_BACK.isdisjoint(sentence.lower().replace("'", " ").split())
    near = before[0] >= part - 1 and len(before[1]) + len(sentence) < MAX_JOINED
    if points and near and not before[1].endswith(("?", ":")) and _says_something(before[1]):
        return at - 1, at
    after = said[at + 1] if at + 1 < len(said) else (part + 1, "")
    if asks and after[0] == part and len(after[1]) + len(sentence) < MAX_JOINED:
        told = not is_question(after[1]) and not after[1].endswith(":")
        return at, at + (told and _says_something(after[1]))
    return at, at


def _widen(signal: Signal, whole: str) -> Signal:
    """Extend a signal to its neighbours; only a request keeps its confidence."""
    confidence = signal.confidence
    if len(signal.sentence) < _SHORT_SENTENCE:
        limit = HEARSAY if confidence <= HEARSAY else 1.0
        confidence = round(min(limit, confidence + 0.05), 3)  # it is no longer short
    if signal.type == EXPLICIT:
        return Signal(signal.type, _kind_beside(whole), whole, confidence)
    return signal._replace(sentence=whole, confidence=min(confidence, HEARSAY))


def _together(parts: list[str]) -> str:
    """Join sentences, with a mark after those that end without one."""
    ended = [p if p.endswith((".", "!", "?", ":", ";", "…")) else p + ";" for p in parts[:-1]]
    return " ".join([*ended, parts[-1]])


def _read(sentence: str) -> _Reading | None:
    """Return the strongest signal of a sentence, if there is one."""
    text = without_code(sentence).replace("’", "'")
    text = _QUOTED.sub(lambda quote: "x" * len(quote[0]), text)
    if _TO_DO.match(text) or _SAID_BY.search(text):
        return None
    asks = is_question(text)
    if asks and not _POLITE.search(text):
        return None
    found = [
        (_confidence(rule, text, match), rule, match)
        for rule, match in _matches(text)
        if rule.type == EXPLICIT or not asks
    ]
    if not found:
        return None
    # A request stays a request, whatever else the sentence is.
    confidence, rule, match = max(found, key=lambda one: (one[1].type == EXPLICIT, one[0]))
    rest = f"{text[: match.start()]} {text[match.end() :]}"
    points = rule.type != EXPLICIT and bool(_POINTING.search(rest))
    if rule.type == EXPLICIT:
        rest = what_is_asked(rest)
    confidence = min(max(one[0] for one in found), HEARSAY if asks or points else 1.0)
    kind = _kind_beside(sentence) if rule.type == EXPLICIT else KIND_OF_TYPE[rule.type]
    enough = 1 if rule.type in _SAID_IN_A_WORD else 2
    complete = _says_something(rest, enough) and not text.endswith(":")
    return _Reading(Signal(rule.type, kind, sentence, confidence), complete)


def is_question(text: str) -> bool:
    """Return whether a sentence asks something."""
    return text.endswith("?") or bool(_QUESTION.match(text))


def _matches(text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
    """Yield every pattern that matches a sentence and is not denied."""
    lower = text.lower()
    for rule in RULES:
        if any(map(lower.__contains__, rule.needs)):
            for match in rule.pattern.finditer(text):
                if _DENIAL.search(_clause_before(text, match)):
                    continue
                if rule.type != EXPLICIT or is_asked(text, match):
                    yield rule, match
                    break


def _clause_before(text: str, match: re.Match[str]) -> str:
    before = text[: match.start()]
    return _CLAUSE.split(before)[-1]


def _confidence(rule: Rule, text: str, match: re.Match[str]) -> float:
    """Return the confidence of a match, by the shape of its sentence and the doubt before it."""
    before, after = text[: match.start()], text[match.end() :]
    length = len(match[0].strip())
    confidence = rule.confidence
    if length > _LONG_MATCH:
        confidence += 0.02
    elif length < _SHORT_MATCH:
        confidence -= 0.05
    if text.endswith((".", "!", "?")):
        confidence += 0.02
    if len(text) < _SHORT_SENTENCE:
        confidence -= 0.05
    if _REINFORCING.search(before) or _REINFORCING.search(after):
        confidence += 0.05
    limit = rule.at_most
    if rule.type == EXPLICIT:
        sure = is_beyond_doubt(match, after) and not _DOUBT.search(before)
        limit = limit if sure else min(limit, HEARSAY)
    elif (
        _SUPPOSED.search(_clause_before(text, match))
        or _PASSING.search(text)
        or _TOLD_BY.search(before)
    ):
        limit = SUPPOSED
    elif rule.type == PREFERENCE and rule.confidence <= _WISH:
        # "I need" and "I want to" open every request; only a habit makes them a preference.
        if _HABIT.search(text):
            confidence += 0.05
        else:
            limit = SUPPOSED
    elif _DOUBT.search(before) or text.endswith(":") or not _FIRST_PERSON.match(match[0]):
        limit = min(limit, HEARSAY)
    return round(max(0.0, min(confidence, limit)), 3)


def _kind_beside(sentence: str) -> str:
    """Return the kind of a request by the rest of its sentence."""
    text = without_code(sentence).replace("’", "'")
    others = [
        (_confidence(rule, text, match), rule.type)
        for rule, match in _matches(text)
        if rule.type != EXPLICIT
    ]
    confidence, kind = max(others, default=(0.0, EXPLICIT))
    if confidence > SUPPOSED:
        return KIND_OF_TYPE[kind]
    habit = _HABIT.search(_NOT_A_HABIT.sub("", text))
    return KIND_OF_TYPE[PREFERENCE] if habit else DEFAULT_KIND


def _says_something(text: str, enough: int = 2) -> bool:
    """Return whether a text has this many meaningful words."""
    found = (word.rstrip(".") for word in _WORD.findall(text.lower()))
    return sum(len(word) > 1 and word not in _EMPTY_WORDS for word in found) >= enough

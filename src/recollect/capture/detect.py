"""Finds the sentences of a conversation that are worth keeping.

The model (`capture/model.py`) rates each sentence. What passes must also make sense to somebody who
was not there: a sentence that points at its neighbour is joined with it, a correction names what
the agent had said, and what stands alone in neither way is skipped, with the reason. Questions, and
what an agent is about to do, are no memories.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from recollect.capture.conversation import Heard, Turn, heard
from recollect.capture.features import AGENT, NAMED, USER, Vector, is_plan, is_question, vector
from recollect.capture.hearsay import is_idle, is_task, proposes
from recollect.capture.leads import chosen_again, corrected_in, tells, tells_open, without_filler
from recollect.capture.model import Model, Scores, model
from recollect.capture.sentences import CODE, NAME
from recollect.capture.wording import REASON, REPORTED_QUESTION
from recollect.core.marks import MARKER
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

THRESHOLD: Final = 0.45  # the default of capture.suggest_threshold
MAX_JOINED: Final = 400  # characters of a sentence with its neighbour
# Skipped sentences are traced from this share of the threshold on.
_NEAR_MISS: Final = 0.6
# What an agent gives in to is rarely worthless, whatever its words, a person's standing order is
# often short, and what points at the sentence before brings that one too: these shares of the
# threshold are enough for them, and for what "we" chose, with its reason. Reports of progress need
# more: readers hardly ever keep one. So does what a person states without ordering or choosing it:
# most of it tells how things are today, or leads up to a task (`benchmarks/day`: of what was
# noticed in prompts with less, 65 of 86 were not worth it, of what agents said 20 of 80).
_CONCEDED: Final = 0.8
_ORDERED: Final = 0.35
_CHOSEN: Final = 0.6
_POINTING: Final = 0.8
_REPORTED: Final = 1.4
_STATED: Final = 1.3
# Who goes back to an earlier choice, corrects a value, or tells what was settled or is left to do.
_SETTLED: Final = 0.6
_ORDER: Final = NAMED.index("standing order")
_CHOOSES: Final = NAMED.index("chooses")
_CHOICE: Final = tuple(map(NAMED.index, ("we", "chooses", "reason")))
_MOST_QUOTED: Final = 160
_FEWEST_WORDS: Final = 4
_FEWEST_NAMES: Final = 2  # of files, functions and the like

_CAUSES: Final = ("learnings", "blockers")
_CURE: Final = "solutions"
# What a task may be taken for.
_ORDERS: Final = ("preferences", "decisions")
_PROGRESS: Final = "progress"
_OPEN: Final = "blockers"

NOT_ALONE: Final = "it does not stand alone"
TASK: Final = "it is a task for now"
ECHO: Final = "it repeats what the user said"
BELOW: Final = "below capture.suggest_threshold"

Shift = Callable[[Vector, str], float]


class Detected(NamedTuple):
    """A sentence worth keeping, its calibrated probability, and the features that decided."""

    kind: str
    sentence: str
    score: float
    speaker: str
    why: tuple[str, ...]
    by_kind: dict[str, float]
    # Whether it is below the threshold, and counts only together with others.
    is_weak: bool = False
    # The number of its message in the conversation.
    message: int = 0


class Skipped(NamedTuple):
    """A sentence that nearly was worth keeping, without its text."""

    reason: str
    kind: str
    score: float
    why: tuple[str, ...]


_POINTS = pattern(
    r"(?:it|its|it's|this|that|that's|these|those|they|they're|he|she|neither|the (?:same"
    r"|former|latter|other)|same|both(?!(?: [^\s,;]{1,60}){1,4} and\b))\b"
    r"(?! (?:turns? out|turned out))",
    re.IGNORECASE,
)
_UNSEEN = pattern(
    r"\b(?:option|approach|step|item|point|number|phase|suggestion|finding|issue|fix) "
    r"(?:[a-d]\b|#?\d+\b)|\b(?:as|see|listed|shown|described|mentioned|the) (?:above|below)\b"
    r"|\bthe (?:following|latter|former)\b|(?:^|\s)#\d+\b|\b(?:line|lines) \d"
    # "the same file" says which; "the same", "the same way" and "the same problem" don't.
    r"|\bthe same(?! \w)|\bthe same (?:again|applies|approach|as (?:above|before)|bug|change|fix"
    r"|goes|here|idea|issue|problem|reason|result|story|thing|way)\b",
    re.IGNORECASE,
)
# "Not in the tests folder!": what is right comes after it.
_ONLY_DENIES = pattern(
    r"(?:no[,.!]? )?not (?!only\b|just\b)[^,;:–—]{1,80}[.!]{0,3}\Z", re.IGNORECASE
)
# "Issue #4 (Info): …", "Fix 2 — …": the number of a list that is not there, before a statement.
_NUMBERED = pattern(
    r"(?:bug|finding|fix|issue|item|phase|point|step|suggestion) #?\d{1,3}(?: \([^()]{1,40}\))?"
    r"(?:: | [—–-] )",
    re.IGNORECASE,
)
# "(line 12)", "(lines 3-5)": where something was when it was said.
_LINES = pattern(
    r" ?\((?:at |in |see )?lines? [\d,–~ -]{1,40}\)| (?:at|on|in) lines? \d{1,6}(?:[–-]\d{1,6})?\b",
    re.IGNORECASE,
)
_INSTEAD = pattern(r"\binstead\b(?! of)|\bnot that\b|\bthe other way\b", re.IGNORECASE)
# What an agent says right after a failure if it tells what helped.
_CURED = pattern(
    r"\b(?:fix(?:es|ed)|solve[sd]|cure[sd]|resolve[sd]|help(?:s|ed)|did the trick|made (?:it|them)"
    r" (?:pass|work)|(?:it |they |now )(?:works?|pass(?:es)?|runs?)(?: now| again)?)\b",
    re.IGNORECASE,
)
_CONTENT = pattern(r"[^\W\d_]{3,}")
# "We won't keep the keys in Redis after all": what comes instead is in the next sentence.
_TAKEN_BACK = pattern(
    r"\b(?:won't|won’t|will not|don't|don’t|do not|no longer)\b[^.!?\n]{0,200}"
    r"\b(?:after all|any ?more)\b",
    re.IGNORECASE,
)
# "Polling every minute kills the battery, what are the options": a question, after its reason.
_ASKS_AT_END = pattern(
    r", (?:so )?(?:what|which|how|why) (?:are|is|do|does|can|should|would|could|about|else)\b"
    r"[^,.;:!]{0,60}\Z",
    re.IGNORECASE,
)
# "Not in the tests folder!": where, or what, is in the next sentence.
_NOT_HERE = pattern(
    r"not (?:in|on|at|as|with|by|for|like|under|from|to)\b[^.:,;]{1,80}[.!]?\Z", re.IGNORECASE
)


def detect(
    conversation: Sequence[Turn],
    *,
    threshold: float = THRESHOLD,
    weakest: float = 1.0,
    shift: Shift | None = None,
    skipped: list[Skipped] | None = None,
) -> list[Detected]:
    """Return what a conversation says that is worth keeping, in its order.

    With `weakest`, also what scores at least that and less than the threshold, marked as weak.
    """
    missed = [] if skipped is None else skipped
    said = list(heard(conversation))
    found = _without_echoes(_detect(said, threshold, weakest, shift, missed), missed)
    joined: list[_Place] = []
    for one in found:
        together = _joined(joined[-1], one) if joined else None
        joined[-1:] = [together] if together else [*joined[-1:], one]
    whole = (_with_choice(_with_cure(one, said), said).found for one in joined)
    return list({one.sentence: one for one in whole}.values())


class _Place(NamedTuple):
    """Something detected, the number of its sentence in the conversation, and its message."""

    found: Detected
    at: int
    message: int


def _without_echoes(found: Iterable[_Place], skipped: list[Skipped]) -> list[_Place]:
    """Leave out what an agent repeats of what a person said before, unless it adds the reason."""
    from recollect.capture.novelty import repeats

    kept: list[_Place] = []
    for place in found:
        one = place.found
        told = [
            other.found for other in kept if other.found.speaker == USER and not other.found.is_weak
        ]
        if one.speaker == AGENT and any(
            one.kind == other.kind
            and repeats(one.sentence, other.sentence)
            and (REASON.search(other.sentence) or not REASON.search(one.sentence))
            for other in told
        ):
            skipped.append(Skipped(ECHO, one.kind, one.score, one.why))
        else:
            kept.append(place)
    return kept


def _joined(one: _Place, other: _Place) -> _Place | None:
    """Join a cause with the fix that follows it: alone, the one is over and the other unclear."""
    cures = other.found.kind == _CURE or _CURED.search(other.found.sentence) is not None
    causes = one.found.kind in _CAUSES and cures
    if one.found.is_weak and not other.found.is_weak:
        return None
    if not causes or other.at != one.at + 1 or other.message != one.message:
        return None
    text = f"{_ended(one.found.sentence)} {other.found.sentence}"
    if len(text) > MAX_JOINED or other.found.sentence.startswith(one.found.sentence):
        return None
    score = max(one.found.score, other.found.score)
    both = other.found._replace(kind=_CURE, sentence=text, score=score, is_weak=one.found.is_weak)
    return other._replace(found=both)


def _with_cure(place: _Place, said: Sequence[Heard]) -> _Place:
    """Add the sentence that says what helped to a failure, if it was not worth keeping alone."""
    one = place.found
    if one.speaker != AGENT or one.kind not in _CAUSES or place.at + 1 >= len(said):
        return place
    after = said[place.at + 1]
    text = f"{_ended(one.sentence)} {_capital(_bare(after.said.text))}"
    is_cure = after.message == place.message and _CURED.search(after.said.text) is not None
    if not is_cure or not _may_count(after) or len(text) > MAX_JOINED:
        return place
    return place._replace(found=one._replace(kind=_CURE, sentence=text))


def _with_choice(place: _Place, said: Sequence[Heard]) -> _Place:
    """Add the sentence that says what is right to one that only says what is wrong."""
    one = place.found
    if one.speaker != USER or not _ONLY_DENIES.match(one.sentence) or place.at + 1 >= len(said):
        return place
    after = said[place.at + 1]
    text = f"{_ended(one.sentence)} {_capital(_bare(after.said.text))}"
    if after.message != place.message or is_question(after.said.text) or len(text) > MAX_JOINED:
        return place
    return place._replace(found=one._replace(sentence=text))


def _detect(
    said: Sequence[Heard],
    threshold: float,
    weakest: float,
    shift: Shift | None,
    skipped: list[Skipped],
) -> Iterator[_Place]:
    weights = model()
    agent_said: list[Heard] = []
    answered = -1
    unworthy: set[str] = set()  # a log that somebody pasted repeats itself
    for at, one in enumerate(said):
        if one.said.speaker == AGENT:
            if one.message != answered:
                agent_said, answered = [], one.message
            agent_said.append(one)
        if one.said.text in unworthy or not _may_count(one):
            continue
        features = vector(one.said)
        scores = _scores(weights, features, shift)
        enough = min(1.0, threshold * _share_needed(one, features, scores.kind))
        least = min(enough, weakest)
        if scores.score < least * _NEAR_MISS:
            unworthy.add(one.said.text)
            continue
        scores = scores._replace(deciding=weights.deciding(features))
        if one.said.speaker == USER and scores.kind in _ORDERS and is_task(one.said.text):
            skipped.append(Skipped(TASK, scores.kind, scores.score, scores.deciding))
            continue
        if one.said.speaker == USER and tells_open(one.said.text):
            scores = scores._replace(kind=_OPEN)
        whole = stands_alone(one, agent_said) if scores.score >= least else ""
        if not whole:
            reason = NOT_ALONE if scores.score >= least else BELOW
            skipped.append(Skipped(reason, scores.kind, scores.score, scores.deciding))
            continue
        found = Detected(
            scores.kind,
            _with_replacement(whole, one, said[at + 1 : at + 2]),
            scores.score,
            one.said.speaker,
            scores.deciding,
            dict(scores.by_kind),
            scores.score < enough,
            one.message,
        )
        yield _Place(found, at, one.message)


def _with_replacement(whole: str, one: Heard, following: Sequence[Heard]) -> str:
    """Return what somebody takes back, with the next sentence, which says what comes instead."""
    for other in following:
        text = f"{_ended(whole)} {other.said.text}"
        if (
            one.said.speaker == USER
            and other.message == one.message
            and not is_question(other.said.text)
            and len(text) <= MAX_JOINED
            and (_TAKEN_BACK.search(whole) or _NOT_HERE.match(whole) or chosen_again(whole))
        ):
            return text
    return whole


def _may_count(one: Heard) -> bool:
    """Return whether a sentence can be a memory at all."""
    text = one.said.text
    if is_question(text) or MARKER in text.lower() or text.endswith(":"):
        return False
    if REPORTED_QUESTION.match(text):
        return False
    if one.said.speaker == AGENT:
        return not is_plan(text) and not proposes(text)
    return not is_idle(text) and _ASKS_AT_END.search(text) is None


def _share_needed(one: Heard, features: Vector, kind: str) -> float:
    """Return the share of the threshold that a sentence needs."""
    if kind == _PROGRESS:
        return _REPORTED
    if one.said.speaker == USER and features.named[_ORDER]:
        return _ORDERED
    if all(features.named[at] for at in _CHOICE):
        return _CHOSEN
    if one.said.conceded:
        return _CONCEDED
    if one.said.speaker == USER:
        bare = without_filler(one.said.text)
        settles = tells(bare) or chosen_again(bare) or corrected_in(bare)
        chooses = features.named[_CHOOSES]
        return _SETTLED if settles else 1.0 if chooses else _STATED
    return _POINTING if _POINTS.match(_bare(one.said.text)) else 1.0


def _scores(weights: Model, features: Vector, shift: Shift | None) -> Scores:
    scores = weights.score(features)
    if shift is None or not scores.by_kind:
        return scores
    return weights.score(features, shift(features, scores.kind))


def stands_alone(one: Heard, agent_said: Sequence[Heard] = ()) -> str:
    """Return a sentence as one that makes sense by itself, with its neighbour if it needs one.

    The result is empty if that is not possible.
    """
    bare = _bare(one.said.text)
    if _UNSEEN.search(bare) or len(_CONTENT.findall(bare)) < 2:
        return ""
    few = len(bare.split()) < 2 * _FEWEST_WORDS
    if one.said.speaker == USER and few and _INSTEAD.search(bare):
        before = _corrected(agent_said)
        return f"{_ended(_capital(bare))} (The agent had said: “{before}”)" if before else ""
    if _POINTS.match(bare):
        before = _bare(one.before)
        joined = f"{_ended(_capital(before))} {_capital(bare)}"
        usable = before and not is_question(before) and not before.endswith(":")
        if usable and not _POINTS.match(before) and not _UNSEEN.search(before):
            return joined if len(joined) <= MAX_JOINED else ""
        # What nothing explains is clear if it names its things itself.
        return _capital(bare) if not before and _names_in(bare) >= _FEWEST_NAMES else ""
    return _capital(bare)


def _bare(text: str) -> str:
    """Return a sentence without filler words and without places that are not in it."""
    return _LINES.sub("", _without_number(without_filler(text)))


def _without_number(text: str) -> str:
    number = _NUMBERED.match(text)
    return text[number.end() :] or text if number else text


def _names_in(text: str) -> int:
    return len(CODE.findall(text)) + len(NAME.findall(CODE.sub(" ", text)))


def _corrected(agent_said: Sequence[Heard]) -> str:
    """Return what an agent said that a person corrects: its last statement about its work."""
    for one in reversed(agent_said):
        text = one.said.text.rstrip(":")
        if not is_question(text) and len(text) <= _MOST_QUOTED:
            return text.rstrip(".")
    return ""


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else text + "."


def _capital(text: str) -> str:
    """Start with a capital, unless the first word is a name such as `npm`."""
    first = text.split(" ", 1)[0].rstrip(",:").replace("'", "").replace("’", "")
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text

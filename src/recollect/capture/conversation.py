"""Reads a conversation sentence by sentence, with what is known about the place of each.

Leaves out what its speaker did not say: code, quotations, pasted text, and everything that
Recollect injected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.capture.features import AGENT, USER, Said, announces, asks_why, is_question
from recollect.capture.pasted import origin_of
from recollect.capture.sentences import list_items, paragraphs, starts_as
from recollect.core.marks import without_own_text
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

MAX_TYPED = 2_000  # characters; of longer text, the middle was pasted
_MOST_OPENING = 80

_GIVES_IN = pattern(
    r"(?:(?:ah+|oh|yes|hmm|no|ok|okay)[,.!—– -]+)*(?:"
    r"you(?:'re| are) (?:absolutely |completely |totally |quite |of course )?(?:right|correct)\b"
    r"|(?:good|great|excellent|fair) (?:catch|point|call|thinking|enough|observation|insight)\b"
    r"|(?:i )?apologi[sz]e|my mistake\b|sorry\b"
    r"|that(?:'s| is) (?:a |an |the )?(?:really |very )?"
    r"(?:key|crucial|critical|important|good|great|valid|excellent)"
    r" (?:clue|detail|distinction|finding|insight|observation|point)\b)",
    re.IGNORECASE,
)


class Turn(NamedTuple):
    """A message: who said it, and what the tools did before."""

    speaker: str
    text: str
    failed: bool = False
    passed: bool = False


class Heard(NamedTuple):
    """A sentence in its place: the message, and the sentence that it may point to.

    That is the sentence before it in its message, unless something was left out between.
    """

    said: Said
    message: int
    before: str


def turns(messages: Sequence[tuple[str, str]], *, failed: bool, passed: bool) -> list[Turn]:
    """Return (role, text) pairs as turns."""
    return [
        Turn(AGENT if role == "assistant" else USER, text, failed, passed)
        for role, text in messages
    ]


def heard(conversation: Sequence[Turn]) -> Iterator[Heard]:
    """Yield every sentence that the speakers said themselves."""
    why = False
    asked = {USER: False, AGENT: False}  # whether their last message ended in a question
    for number, turn in enumerate(conversation):
        words = own_words(turn)
        parts = paragraphs(words)
        items = list_items(words)
        if turn.speaker == USER:
            why = asks_why(words)  # until the person speaks again: an agent answers in parts
        count = sum(map(len, parts))
        conceded = turn.speaker == USER and _gives_in(conversation, number)
        place = 0
        before = last = ""
        recaps = finds = False
        for part in parts:
            before = before if part else ""
            for sentence in part:
                said = Said(
                    sentence,
                    turn.speaker,
                    place,
                    count,
                    turn.failed,
                    turn.passed,
                    conceded,
                    asked[AGENT if turn.speaker == USER else USER],
                    starts_as(sentence) in items,
                    why and turn.speaker == AGENT,
                    recaps,
                    finds,
                )
                yield Heard(said, number, before)
                place += 1
                before = last = sentence
                if turn.speaker == AGENT:
                    done, found = announces(sentence)
                    recaps, finds = (recaps or done) and not found, (finds or found) and not done
        asked[turn.speaker] = is_question(last)


def own_words(turn: Turn) -> str:
    """Return what the speaker of a message said, without pasted text."""
    text = without_own_text(turn.text)
    if turn.speaker != USER:
        return text
    lines = text.split("\n")
    foreign = origin_of(lines).foreign
    text = "\n".join("" if other else line for line, other in zip(lines, foreign, strict=True))
    if len(text) <= MAX_TYPED:
        return text
    # The first and the last paragraph introduce what was pasted, or ask for something.
    typed = [part for part in text.split("\n\n") if part.strip()]
    ends = [typed[0], typed[-1]] if len(typed) > 1 else []
    return "\n\n".join(part for part in ends if len(part) <= MAX_TYPED)


def _gives_in(conversation: Sequence[Turn], number: int) -> bool:
    """Return whether the agent's next message concedes what a message says."""
    if number + 1 >= len(conversation) or conversation[number + 1].speaker != AGENT:
        return False
    answer = conversation[number + 1].text.lstrip(" *\n").replace("’", "'")[:_MOST_OPENING]
    return bool(_GIVES_IN.match(answer))

"""What the index stores about a memory for ranking, computed once from the memory alone."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

from recollect.core.crowding import sketch_of
from recollect.core.fields import MAX_QUESTION_LENGTH, MAX_QUESTIONS
from recollect.core.memory import Memory
from recollect.index.text import plain_words

# How far each origin is trusted, before use raises it.
_TRUST = {"user": 1.0, "agent": 0.7, "tool": 0.5}
_DEFAULT_TRUST = 0.8
_ALTERED_TRUST = 0.1
_UNVOUCHED_TRUST = 0.5  # it came from a file or from plain git, without an author
_MOST_SKETCHED = 5000  # characters
_DAY = 86_400
_DAYS_KEPT = 1_000  # many memories are from the same days


def trust_of(memory: Memory) -> float:
    """Return how far a memory is trusted, by its origin."""
    if memory.altered:
        return _ALTERED_TRUST
    said = memory.provenance.get("said_by")
    if said is None and "via" in memory.provenance:
        return _UNVOUCHED_TRUST
    return _TRUST.get(str(said), _DEFAULT_TRUST)


def questions_text(memory: Memory) -> str:
    """Return the questions that a memory answers, as far as it may have them."""
    if not memory.asked_as:
        return ""
    return "\n".join(text[:MAX_QUESTION_LENGTH] for text in memory.asked_as[:MAX_QUESTIONS])


def sketch(summary: str, text: str) -> bytes:
    """Return a sketch of the start of a text, which is enough to detect repetition."""
    words, denies = plain_words(f"{summary} {text}"[:_MOST_SKETCHED])
    return sketch_of(words, denies=denies)


def date_words(created: float | None) -> str:
    """Return a date in words: questions ask for `May 2023`, not for a timestamp."""
    if created is None:
        return ""
    return _date_words(int(created // _DAY))


@lru_cache(_DAYS_KEPT)
def _date_words(day: int) -> str:
    moment = datetime.fromtimestamp(day * _DAY, tz=UTC)
    return f"{moment.day} {moment:%B} {moment.year}"

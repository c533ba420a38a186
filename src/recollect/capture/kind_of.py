"""Tells the kind of a text that somebody asked to keep without naming one."""

from __future__ import annotations

from recollect.capture.features import USER, Said, vector
from recollect.capture.model import model
from recollect.capture.sentences import sentences

DEFAULT = "notes"
# Characters that decide: the subject of a text is at its beginning.
_MOST_JUDGED = 2_000
_MOST_SENTENCES = 5
# The best kind must be this likely, given that the text is worth keeping.
_SURE = 0.4


def kind_of(text: str) -> str:
    """Return the kind of a text; `notes` if no kind is likely."""
    start = text[:_MOST_JUDGED]
    said = sentences(start)[:_MOST_SENTENCES] or [start]
    total: dict[str, float] = {}
    for sentence in said:
        for kind, chance in model().chances(vector(Said(sentence, USER))).items():
            total[kind] = total.get(kind, 0.0) + chance / len(said)
    best = max(total, key=total.__getitem__)
    return best if total[best] >= _SURE else DEFAULT

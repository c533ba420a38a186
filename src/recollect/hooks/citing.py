"""What an agent made use of: memories that it was given and whose words are in what it said.

To be put in front of an agent says little of a memory; to come back in its answer says that it
helped. That is what makes a memory stronger.
"""

from __future__ import annotations

from recollect.core.marks import without_own_text
from recollect.core.patterns import pattern
from recollect.hooks.pipeline import Work
from recollect.index.text import query_terms

# How much of a summary must come back, and how many words at least. Two words are few: where a
# summary has no more, one sentence of the answer must hold both.
_SHARE, _LEAST = 0.6, 3
_FEW = 2
_SENTENCE = pattern(r"(?<=[.!?:])\s+|\n+")
_MOST_TEXT = 20_000


def notice_cited(work: Work) -> None:
    """Note which of the memories in the context the agent's answer makes use of."""
    answer = without_own_text(work.event.text)[:_MOST_TEXT]
    said = frozenset(query_terms(answer))
    if len(said) < _FEW:
        return
    cited = []
    for memory in work.session.recalled(work.event.context):
        own = frozenset(query_terms(memory.summary))
        if len(own) == _FEW:
            helped = own <= said and _are_together(own, answer)
        else:
            helped = len(own & said) >= max(_LEAST, _SHARE * len(own))
        if helped:
            cited.append(memory.uid)
    if cited:
        work.session.cite(work.event.context, cited)
        work.note("cited", uids=cited)


def _are_together(words: frozenset[str], text: str) -> bool:
    """Whether one sentence holds all of some words."""
    return any(words <= frozenset(query_terms(sentence)) for sentence in _SENTENCE.split(text))

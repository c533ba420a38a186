"""Detects which injected memories the agent used, by their words in its answer.

That a memory was injected says little about it. That its words come back in the answer says that it
helped, and that makes the memory stronger.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.core.marks import without_own_text
from recollect.core.patterns import pattern
from recollect.hooks.pipeline import Work
from recollect.index.text import query_terms

# The share of a summary's words that must come back, and the minimum number. If a summary has only
# two words, one sentence of the answer must hold both.
_SHARE, _LEAST = 0.6, 3
_FEW = 2
_SENTENCE = pattern(r"(?<=[.!?:])\s+|\n+")
_MOST_TEXT = 20_000
# The sessions in which an unconfirmed memory must help until it is confirmed.
_SESSIONS = 2


def notice_cited(work: Work) -> None:
    """Record which memories in the context the agent's answer uses."""
    answer = without_own_text(work.event.text)[:_MOST_TEXT]
    words = frozenset(query_terms(answer))
    if len(words) < _FEW:
        return
    cited = []
    for memory in work.session.uncited(work.event.context):
        own = frozenset(query_terms(memory.summary))
        if len(own) == _FEW:
            helped = own <= words and _are_together(own, answer)
        else:
            helped = len(own & words) >= max(_LEAST, _SHARE * len(own))
        if helped:
            cited.append(memory.uid)
    if cited:
        work.session.record_cited(work.event.context, cited)
        work.note("cited", uids=cited)
        _confirm_used(work, cited)


def _confirm_used(work: Work, cited: Sequence[str]) -> None:
    """Confirm unconfirmed memories that were cited in two sessions besides their own."""
    for uid in work.session.used_enough(cited, _SESSIONS):
        from recollect.capture.unconfirmed import USED
        from recollect.core.names import short
        from recollect.hooks.notify import KEPT, tell

        confirmed = work.session.confirm(uid, USED)
        if confirmed is not None:
            work.note("confirmed", why=USED, uids=[confirmed.uid])
            name = short(confirmed.id)
            tell(work, KEPT, f"confirmed as {name}, because it helped in two sessions")


def _are_together(words: frozenset[str], text: str) -> bool:
    """Whether one sentence of a text holds all of the words."""
    return any(words <= frozenset(query_terms(sentence)) for sentence in _SENTENCE.split(text))

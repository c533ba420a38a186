"""Suggesting what is marked in quoted or pasted text: somebody else wrote it."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.capture.markers import Marked
from recollect.hooks.marking import draft_of
from recollect.hooks.pipeline import Work

_WHY = "marked in quoted or pasted text"
_CONFIDENCE = 0.75
_MOST_PASTED = 5


def suggest_pasted(work: Work, pasted: Sequence[Marked]) -> None:
    """Let the person decide on what was marked in a text that somebody else wrote."""
    from recollect.capture.novelty import DUPLICATE, NEAR, Known, fingerprint, judge

    waiting = work.session.suggested()
    suggested = 0
    for item in pasted[:_MOST_PASTED]:
        content = work.session.redact(item.content)
        draft = draft_of(work.event, item, content)
        text = f"{draft['summary']}\n{draft['body']}"
        if work.session.is_rejected(fingerprint(text)) or work.session.known(content, item.kind):
            continue
        if judge(text, waiting).verdict in (DUPLICATE, NEAR):
            continue
        work.session.suggest(draft, confidence=_CONFIDENCE, why=_WHY, updates=None)
        waiting.append(Known("", text))
        suggested += 1
    work.note("suggested", why=_WHY, count=suggested, of=len(pasted))
    if suggested:
        work.reply.notice.append(
            f"Recollect: {suggested} marked in quoted or pasted text, so not kept as your word."
            " See and accept with: recollect review"
        )

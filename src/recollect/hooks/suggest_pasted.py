"""Suggests marked text in quotations and pasted text, because somebody else may have written it."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.capture.markers import Marked
from recollect.hooks.marking import draft_of
from recollect.hooks.pipeline import Work

_WHY = "marked in quoted or pasted text"
_CONFIDENCE = 0.75
_MOST_PASTED = 5


def suggest_pasted(work: Work, pasted: Sequence[Marked]) -> None:
    """Suggest marked text that the user may not have written, and tell the user."""
    from recollect.capture.novelty import DUPLICATE, NEAR, Known, judge

    pending = work.session.pending_suggestions()
    suggested = 0
    for item in pasted[:_MOST_PASTED]:
        content = work.session.redact(item.content)
        draft = draft_of(work.event, item, content)
        text = f"{draft['summary']}\n{draft['body']}"
        if work.session.is_rejected(text) or work.session.find_exact(content, item.kind):
            continue
        if judge(text, pending).verdict in (DUPLICATE, NEAR):
            continue
        work.session.suggest_for_review(draft, confidence=_CONFIDENCE, why=_WHY)
        pending.append(Known("", text))
        suggested += 1
    work.note("suggested", why=_WHY, count=suggested, of=len(pasted))
    if suggested:
        work.reply.notice.append(
            f"Recollect: found {suggested} marked in quoted or pasted text; not saved yet."
            " Accept or reject with: recollect review"
        )

"""Notices that a person changes their mind about a memory, where no sentence alone is noticed."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.hooks.consider import SIGNAL, Draft, origin
from recollect.hooks.pipeline import Work

# As sure as what is noticed needs to be. That it is worth keeping follows from what it replaces.
_CONFIDENCE = 0.7
# Fewer words say nothing without what they replace.
_LEAST_WORDS = 6


def change_drafts(work: Work, said: str, drafts: Sequence[Draft]) -> list[Draft]:
    """Make a draft of what a prompt puts in the place of a memory, unless another draft does."""
    changed = work.session.changed_by_prompt()
    from recollect.capture.noticed_fields import fields_of
    from recollect.capture.unconfirmed import NOTICED

    texts = [f"{draft.record['summary']}\n{draft.record.get('body') or ''}" for draft in drafts]
    left = [old for old in changed if not any(work.session.carries(text, old) for text in texts)]
    if not left:
        return []
    # Redaction would miss half a secret, so it comes before cutting.
    text = work.session.said_instead(work.session.redact(said), left[0])
    if not text:
        work.note("skipped", reason="it takes back a memory, and says nothing instead")
        return []
    if len(text.split()) < _LEAST_WORDS:
        text = f"{text.rstrip('.')} (instead of: {left[0].summary.rstrip('.')})"
    kind = left[0].kind
    work.note("noticed", why=SIGNAL + kind, by="a change of mind", uids=[left[0].uid])
    record = {**fields_of(text, kind, _CONFIDENCE), **origin(work, "user", NOTICED)}
    return [Draft(record, _CONFIDENCE, False, SIGNAL + kind)]

"""Records what the user types, so that an agent can prove the user's word for a confirmation."""

from __future__ import annotations

from recollect.core.marks import without_own_text
from recollect.hooks.pipeline import Work


def note_prompt(work: Work) -> None:
    """Record the words of a prompt as salted hashes, for a few minutes."""
    from recollect.capture.vouching import words_of

    words = words_of(without_own_text(work.event.text))
    if words:
        noticed = work.session.store.local.noticed
        noticed.note_prompt(work.event.session, words, work.session.now())

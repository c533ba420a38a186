"""Records what tools touch in a session, and where the work turns to another topic."""

from __future__ import annotations

from recollect.hooks.pipeline import Work

_MOST_CONTEXT = 6


def note_activity(work: Work) -> None:
    """Record what a tool touched. If the topic changes, the current episode ends."""
    event = work.event
    if not event.session or event.agent:  # subagents work on their own topics
        return
    from recollect.sleep.boundaries import WINDOW, is_boundary, keywords, outline

    redact = work.session.redact
    paths = [redact(work.session.relative_path(path)) for path in event.files]
    words = keywords(paths, redact(outline(event.command)))
    if not words:
        return
    calls = work.session.note_activity(words, 2 * WINDOW)
    if is_boundary(calls, float(work.session.setting("sleep.boundary_threshold"))):
        context = " ".join(sorted(words)[:_MOST_CONTEXT])
        work.session.mark_boundary(redact(context), WINDOW)
        work.note("a new episode begins")

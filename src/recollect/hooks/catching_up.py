"""Reads what earlier sessions said and no event has read: they were killed, or ran out of time."""

from __future__ import annotations

from recollect.hooks.consider import is_on
from recollect.hooks.pipeline import Stage, Work

_MOST_TRANSCRIPTS = 20
# Bytes of one part. Smaller than at the end of a turn: somebody waits for the session to start.
_MOST_TRANSCRIPT = 64 * 1024


def read_unread(share: float) -> Stage:
    """Make a stage that reads the rest of other transcripts, for a share of the time.

    What is left waits for the next start.
    """

    def stage(work: Work) -> None:
        if not is_on(work):
            return
        for session, path in work.session.unread_transcripts(_MOST_TRANSCRIPTS):
            if not work.has_time(share):
                work.note("postponed", reason="no time to read earlier sessions")
                return
            _read(work, session, path, share)

    stage.__name__ = "read_unread"
    return stage


def _read(work: Work, session: str, path: str, share: float) -> None:
    """Notice what a session said, in its own name."""
    from recollect.hooks.notice import notice_parts
    from recollect.hosts.registry import host_of_transcript

    event = work.event._replace(
        host=host_of_transcript(path, session),  # another agent may have run it
        session=session,
        transcript=path,
        text="",
        agent="",
        source="",
        again=False,
    )
    theirs = Work(event, work.session.for_event(event))
    notice_parts(theirs, share, _MOST_TRANSCRIPT)
    if theirs.trace:
        work.note("read the rest of an earlier session", session=session)
        work.trace += theirs.trace

"""Keeps milestones of a session as memories, if `capture.checkpoints` says so.

The log of a session has them in any case, and its summary tells them.
"""

from __future__ import annotations

from recollect.hooks.consider import CHECKPOINT, Draft, consider, draft_of
from recollect.hooks.pipeline import Work
from recollect.state.session_marks import COMMIT_MADE, DONE, TESTS_FAIL, TESTS_PASS

_KIND = "progress"


def note_milestone(work: Work, what: str) -> None:
    """Log a milestone of the session and, if `capture.checkpoints` says so, keep it."""
    work.session.note_milestone(what)
    if work.session.setting("capture.checkpoints") == "memories":
        _keep(work, what)


def _keep(work: Work, milestone: str) -> None:
    """Make a memory of a commit, of tests that pass again, or of a task that the agent reports."""
    if milestone.startswith(COMMIT_MADE):
        text, said_by = f"Commit: {milestone.removeprefix(COMMIT_MADE)}", "tool"
    elif milestone == TESTS_PASS and _failed_before(work):
        text, said_by = f"Tests pass again: {work.event.command}", "tool"
    elif milestone.startswith(DONE):
        text, said_by = milestone.removeprefix(DONE), "agent"
    else:
        return
    record = draft_of(work, _KIND, work.session.redact(text), said_by, CHECKPOINT)
    # A tool saw that it happened; what an agent reports may not be so.
    consider(work, [Draft(record, 1.0, said_by == "tool", CHECKPOINT)])


def _failed_before(work: Work) -> bool:
    """Whether the last tests before this event failed: passing again is news, passing is not."""
    entries = work.session.store.local.session_log.entries(work.event.session)
    tests = [what for _, what in entries if what in (TESTS_PASS, TESTS_FAIL)]
    return len(tests) > 1 and tests[-2] == TESTS_FAIL

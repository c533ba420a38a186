"""Learns from tools: failures with their solutions, observations and milestones."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.capture.checkpoints import checkpoint
from recollect.capture.observations import memorability, observe
from recollect.capture.tool_learning import (
    LASTING,
    Learning,
    is_worth_keeping,
    learn_from,
    repairs,
    solution_of,
    solves,
)
from recollect.hooks.consider import FILE, Draft, consider, draft_of, origin
from recollect.hooks.pipeline import Work
from recollect.hosts.protocol import COMMAND, READ, TOOL_FAILURE, Event

_RUN = "$ "  # prefix of a command among the changes
# Observations that become their own memory, and its kind. What was fixed or changed is in git and
# in the summary of the session.
_OBSERVED = {"discovery": "learnings", "decision": "decisions"}


def learn_from_tool(work: Work) -> None:
    """Learn from a tool. A failure is stored until it is solved; then both become one memory."""
    # Files outside the working tree are not part of the project.
    files = [
        work.session.relative_path(path)
        for path in work.event.files
        if work.session.is_inside(path)
    ]
    if work.event.name != TOOL_FAILURE and work.event.action not in (READ, COMMAND):
        _note_changes(work, files)
        return
    event, learning = _learn(work, files)
    if event.name == TOOL_FAILURE:
        if learning is not None:
            work.session.note_failure(learning.fingerprint, learning._asdict())
            work.note("stored a failure until it is solved")
        return
    milestone = checkpoint(event.action, event.command, event.output)
    if milestone:
        work.session.note_milestone(milestone)
    if _solve(work, event):
        return
    if repairs(event.command):  # such as `pip install tomli`: it may be the solution
        work.session.note_changes([_RUN + event.command])
    _observe(work, event, files)
    if learning is not None and learning.score >= LASTING:
        record = {
            "kind": "learnings",
            "summary": learning.summary,
            "body": learning.excerpt,
            "files_read": list(learning.files),
            **origin(work, "tool", "tool"),
        }
        consider(work, [Draft(record, learning.score, False, f"tool output: {learning.category}")])


def _note_changes(work: Work, files: Sequence[str]) -> None:
    work.session.note_changes(files)
    for path in files:
        work.session.note_milestone(FILE + path)


def _learn(work: Work, files: Sequence[str]) -> tuple[Event, Learning | None]:
    """Return the event and what it teaches, both redacted if anything of them is stored.

    A learning is cut out of the output, and redaction would miss half a secret. So the whole event
    is redacted first, and read again.
    """
    event = work.event
    learning = learn_from(event.tool, event.command, files, event.output, event.error)
    if learning is None and not checkpoint(event.action, event.command, event.output):
        return event, None
    redact = work.session.redact
    event = event._replace(
        command=redact(event.command), output=redact(event.output), error=redact(event.error)
    )
    return event, learn_from(event.tool, event.command, files, event.output, event.error)


def _solve(work: Work, event: Event) -> bool:
    """Whether the event solves a stored failure. If so, both become one draft."""
    done = work.session.changes()
    changed = [one for one in done if not one.startswith(_RUN)]
    ran = [one.removeprefix(_RUN) for one in done if one.startswith(_RUN)]
    for known in work.session.unsolved_failures():
        failure = Learning(**{**known, "files": tuple(known["files"])})
        if solves(failure, event.command, event.tool, changed, ran=ran, output=event.output):
            if is_worth_keeping(failure, changed=changed, ran=ran):
                record = solution_of(failure, command=event.command, changed=changed, ran=ran)
                record = {**record, **origin(work, "tool", "tool")}
                consider(work, [Draft(record, failure.score, False, "failure and solution")])
            else:
                work.note(
                    "skipped",
                    reason="the failure was in the code being changed, and git has the fix",
                )
            work.session.mark_solved(failure.fingerprint)
            return True
    return False


def _observe(work: Work, event: Event, files: Sequence[str]) -> None:
    """Make drafts of observations, if they are memorable."""
    changed = [one for one in work.session.changes() if not one.startswith(_RUN)]
    seen = observe(event.action, event.command, files, changed, event.output)
    if seen is None or seen.type not in _OBSERVED:
        return
    text = work.session.redact(seen.text)
    record = {
        **draft_of(work, _OBSERVED[seen.type], text, "tool", "observation"),
        "observation_type": seen.type,
        "concepts": list(seen.concepts),
        "importance": seen.importance,
        "files_read": list(seen.files_read),
        "files_modified": list(seen.files_modified),
    }
    consider(work, [Draft(record, memorability(text), False, f"observed: {seen.type}")])

"""Learns from tools: failures with their cures, ways round, warnings, observations, milestones.

Most events teach nothing. So the detectors are imported where an event can teach something.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from recollect.hooks.consider import Draft, consider, draft_of, memorability_of
from recollect.hooks.pipeline import Work
from recollect.hosts.protocol import AGENT, COMMAND, FETCH, TOOL_FAILURE, WRITES, Event
from recollect.state.session_marks import FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.capture.tool_learning import Learning
    from recollect.state.tool_log import StoredFailure

SOLUTION = "failure and solution"
_ALL = "all"
_COMMIT = "# commit"  # among the changes
# Why a failure is not stored, for the trace.
_OWN_CALL = (
    "a tool of the client failed: the agent can correct its call, and it says nothing lasting"
)
_STOPPED = "somebody or something stopped it, so it did not fail by itself"
_SAYS_NOTHING = "its output names no error that can be recognized again"
_SUBAGENTS = frozenset({"agent", "task"})  # two names of one tool
# Observations that become their own memory, and its kind. What was fixed or changed is in git and
# in the summary of the session.
_OBSERVED = {"discovery": "learnings", "decision": "decisions"}


def learn_from_tool(work: Work) -> None:
    """Learn from a tool. A failure is stored until it is solved; then both become one memory."""
    event = work.event
    if not _is_observed(work):
        work.note("skipped", reason="capture.tools does not name this tool", tool=event.tool)
    elif event.name == TOOL_FAILURE:
        files = _own_files(work, event.files)
        clean, learning = _learn(work, files)
        _note_failed(work, clean, learning)
    elif event.action in WRITES:
        files = _own_files(work, event.files)
        _note_written(work, files)
        _learn_from_documents(work, files)
    elif event.action == COMMAND:
        _learn_from_command(work)
    elif event.action in (FETCH, AGENT):
        from recollect.hooks import notice_reports

        learn = notice_reports.learn_from_page
        (learn if event.action == FETCH else notice_reports.learn_from_subagent)(work)


def _is_observed(work: Work) -> bool:
    wanted = str(work.session.setting("capture.tools"))
    names = {name.strip().lower() for name in wanted.split(",")}
    if _ALL in names:
        return True
    tool = work.event.tool.lower()
    return tool in names or (tool in _SUBAGENTS and not _SUBAGENTS.isdisjoint(names))


def _own_files(work: Work, paths: Sequence[str]) -> list[str]:
    """Return paths within the working tree: other files are not part of the project."""
    session = work.session
    return [session.relative_path(path) for path in paths if session.is_inside(path)]


def _note_changes(work: Work, changes: Sequence[str]) -> None:
    if changes:
        session = work.session
        clean = [session.redact(change) for change in changes]
        session.store.local.tools.record_changes(work.event.session, clean, session.now())


def _note_written(work: Work, files: Sequence[str]) -> None:
    _note_changes(work, files)
    for path in files:
        work.session.note_milestone(FILE + path)


def _learn(work: Work, files: Sequence[str]) -> tuple[Event, Learning | None]:
    """Return the event and what it teaches, both redacted if anything of them is stored.

    A learning is cut out of the output, and redaction would miss half a secret. So the whole event
    is redacted first, and read again.
    """
    from recollect.capture.checkpoints import checkpoint
    from recollect.capture.tool_learning import learn_from

    event = work.event
    learning = learn_from(event.tool, event.command, files, event.output, event.error, threshold=0)
    is_stored = learning is not None and (
        learning.score >= _threshold(work) or _is_watched(event, learning)
    )
    if not is_stored and not checkpoint(event.action, event.command, event.output):
        return event, learning
    redact = work.session.redact
    event = event._replace(
        command=redact(event.command), output=redact(event.output), error=redact(event.error)
    )
    again = learn_from(event.tool, event.command, files, event.output, event.error, threshold=0)
    return event, again


def _threshold(work: Work) -> float:
    return float(work.session.setting("capture.threshold"))


def _is_enough(work: Work, learning: Learning) -> bool:
    """Whether a learning reaches the threshold; if not, the trace says so."""
    if learning.score >= _threshold(work):
        return True
    work.note("skipped", reason="below capture.threshold", why=_why(learning))
    return False


def _is_watched(event: Event, learning: Learning) -> bool:
    """Whether to wait for what makes a failed command pass, although it says little by itself."""
    from recollect.capture.tool_learning import WATCHED

    return bool(event.command) and learning.score >= WATCHED


def _why(learning: Learning, what: str = "") -> str:
    return f"{what or f'tool output: {learning.category}'}, score {learning.score:.2f}"


# Failures


def _note_failed(work: Work, event: Event, learning: Learning | None) -> None:
    """Store a failure until it is solved, and note what it says about earlier ones."""
    from recollect.capture.commands import task_of
    from recollect.capture.tool_learning import is_own_tool, is_stopped

    if is_own_tool(event.tool):
        work.note("skipped", reason=_OWN_CALL, tool=event.tool)
        return
    if is_stopped(event.error):
        work.note("skipped", reason=_STOPPED, tool=event.tool)
        return
    log, now = work.session.store.local.tools, work.session.now()
    found = learning.fingerprint if learning is not None else ""
    for known in log.failures(now):
        from recollect.capture.cures import covers
        from recollect.hooks.tool_drafts import read_learning

        if not covers(event.command, read_learning(known)):
            continue
        if not found or known.fingerprint == found:
            log.fail_again(known)
        else:
            log.pass_by(known)
    if learning is None:
        work.note("skipped", reason=_SAYS_NOTHING, why="tool output, score 0.00", tool=event.tool)
        return
    if not _is_watched(event, learning) and not _is_enough(work, learning):
        return
    stored = json.dumps(work.session.store.redact(learning._asdict()))
    task = work.session.redact(" ".join(task_of(event.command)[0]) or event.tool)
    log.record_failure(event.session, task, found, stored, now)
    is_weak = learning.score < _threshold(work)
    reason = (
        {"reason": "below capture.threshold; what helps is kept if it is plain"} if is_weak else {}
    )
    work.note("stored a failure until it is solved", why=_why(learning), **reason)


def _solve(work: Work, event: Event) -> bool:
    """Whether the event solves stored failures. If so, each becomes a draft with its cure."""
    log, now = work.session.store.local.tools, work.session.now()
    waiting = log.failures(now)
    if not waiting:
        return False
    from recollect.capture.cures import passes_again
    from recollect.hooks.tool_drafts import read_learning

    solved = [
        (known, learning)
        for known in waiting
        if passes_again(learning := read_learning(known), event.command, event.tool, event.output)
    ]
    told: set[str] = set()
    for known, learning in solved:
        if known.fingerprint not in told:
            _tell_solution(work, event, known, learning)
        told.add(known.fingerprint)
        log.mark_solved(known)
    return bool(solved)


def _tell_solution(work: Work, event: Event, known: StoredFailure, learning: Learning) -> None:
    from recollect.capture.commands import RUN
    from recollect.capture.cures import asks_for_more, cures_of, is_worth_keeping, solution_of
    from recollect.capture.tool_learning import THRESHOLD
    from recollect.capture.workarounds import added_arguments, difference
    from recollect.hooks.tool_drafts import with_origin

    changes = work.session.store.local.tools.changes_after(known, event.session)
    changes, way = [change for change in changes if change != _COMMIT], ""
    if known.until is None:  # `pip install tomli && pytest` contains the cure
        inline, way = difference(learning.command, event.command, is_all=not changes)
        if not changes and not inline and not way and asks_for_more(learning):
            way = added_arguments(learning.command, event.command)
        changes += [RUN + part for part in inline]
    cures = cures_of(learning, changes)
    was_kept = False
    closed: list[str] = []
    if known.is_kept:
        from recollect.hooks.unsolved import close_unsolved

        was_kept, closed = close_unsolved(work, known.fingerprint)
    if not cures and not way:
        work.note(
            "skipped",
            reason="it passed again and nothing was changed, so there is no solution to name",
            why=_why(learning, SOLUTION),
        )
    elif way or was_kept or is_worth_keeping(learning, cures):
        # What helped was seen, however little the failure itself says.
        learning = learning._replace(score=max(learning.score, THRESHOLD))
        if not _is_enough(work, learning):
            return
        record = solution_of(learning, command=event.command, cures=cures, way=way)
        if way:
            learning = learning._replace(category="workaround")
        if closed:
            record["relates_to"] = closed
        draft = Draft(
            with_origin(work, record, learning), learning.score, False, _why(learning, SOLUTION)
        )
        consider(work, [draft])
    else:
        work.note(
            "skipped",
            reason="the failure was in the code being changed, and git has the fix",
            why=_why(learning, SOLUTION),
        )


# Successes


def _learn_from_command(work: Work) -> None:
    from recollect.capture.checkpoints import checkpoint
    from recollect.capture.tool_learning import SILENT
    from recollect.state.session_marks import COMMIT_MADE

    event, learning = _learn(work, ())
    if learning is not None and learning.severity == SILENT:
        _note_failed(work, event, learning)
        return
    milestone = checkpoint(event.action, event.command, event.output)
    if milestone:
        from recollect.hooks.checkpoints import note_milestone

        note_milestone(work, milestone)
    is_solved = _solve(work, event)
    _note_effects(work, event)
    if not is_solved:
        if milestone and milestone.startswith(COMMIT_MADE):
            _observe_commit(work, event)
        if learning is not None:
            _notice(work, learning)
    if milestone and milestone.startswith(COMMIT_MADE):
        _note_changes(work, [_COMMIT])


def _note_effects(work: Work, event: Event) -> None:
    """Record what a command changed: files, and the environment (`pip install tomli`)."""
    from recollect.capture.commands import RUN, files_written, only_looks, repairing_parts

    written = _own_files(work, files_written(event.command))
    if written:
        _note_written(work, written)
    if not only_looks(event.command):
        _note_changes(work, [RUN + part for part in repairing_parts(event.command)])


def _notice(work: Work, learning: Learning) -> None:
    """Make a draft of a warning or a discovery, once."""
    from recollect.capture.tool_learning import WORKAROUND

    if not _is_enough(work, learning):
        return
    if learning.category == WORKAROUND:
        work.note("skipped", reason="nothing failed before it", why=_why(learning))
        return
    from recollect.hooks.tool_drafts import with_origin

    log = work.session.store.local.tools
    if not log.claim_notice(learning.fingerprint, work.session.now()):
        work.note("skipped", reason="duplicate: noticed before", why=_why(learning))
        return
    record = {
        "kind": "learnings",
        "summary": learning.summary,
        "body": learning.excerpt,
        "observation_type": "discovery",
        "concepts": ["gotcha"],
        "files_read": list(learning.files),
    }
    draft = Draft(with_origin(work, record, learning), learning.score, False, _why(learning))
    consider(work, [draft])


def _observe_commit(work: Work, event: Event) -> None:
    """Make a draft of a commit that says why, or what was chosen."""
    from recollect.capture.commands import RUN
    from recollect.capture.observations import observe

    seen = observe(event.action, event.command, (), (), event.output)
    if seen is None or seen.type not in _OBSERVED:
        return
    changes = work.session.store.local.tools.changes_since(event.session, _COMMIT)
    text = work.session.redact(seen.text)
    record = {
        **draft_of(work, _OBSERVED[seen.type], text, "tool", "observation"),
        "observation_type": seen.type,
        "concepts": list(seen.concepts),
        "importance": seen.importance,
        "files_modified": list(dict.fromkeys(one for one in changes if not one.startswith(RUN))),
    }
    score = memorability_of(work, text)
    consider(work, [Draft(record, score, False, f"observed: {seen.type}, score {score:.2f}")])


def _learn_from_documents(work: Work, files: Sequence[str]) -> None:
    """Make drafts of the decisions that a written document states."""
    if not files or not files[0].endswith((".md", ".rst", ".txt", "README")):
        return
    from recollect.hooks.notice_reports import learn_from_document

    learn_from_document(work, files[0])

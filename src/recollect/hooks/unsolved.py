"""Keeps failures that nobody solved, and closes them when the command passes."""

from __future__ import annotations

from itertools import groupby

from recollect.capture.cures import severity_order, unsolved_of
from recollect.capture.suggestions import suggestions, waiting_suggestions
from recollect.hooks.consider import Draft, consider
from recollect.hooks.pipeline import Work
from recollect.hooks.tool_drafts import FAILURE, read_learning, with_origin
from recollect.hosts.protocol import SESSION_END
from recollect.index.protocol import Filters
from recollect.state.tool_log import StoredFailure

_MOST = 3  # failures of one session
_KINDS = ("blockers", "learnings")
_UNSOLVED = "unsolved failure"
_SOLVED = "solved"
_UNCONFIRMED = "unconfirmed"


def keep_unsolved(work: Work) -> None:
    """Make drafts of failures without a cure: of this session at its end, of others at a start."""
    log, session, now = work.session.store.local.tools, work.event.session, work.session.now()
    ends = work.event.name == SESSION_END
    found = log.unkept(session, now) if ends else log.unkept_elsewhere(session, now)
    for _, failures in groupby(found, key=lambda failure: failure.session):
        _keep(work, list(failures))


def _keep(work: Work, failures: list[StoredFailure]) -> None:
    """Make drafts of the most severe failures of one session."""
    read = [(failure, read_learning(failure)) for failure in failures]
    read.sort(key=lambda pair: severity_order(pair[1], pair[0].times))
    drafts: list[Draft] = []
    for failure, learning in read:
        why = f"{_UNSOLVED}, score {learning.score:.2f}"
        record = unsolved_of(learning, failure.times)
        if learning.score < float(work.session.setting("capture.threshold")):
            work.note("skipped", reason="below capture.threshold", why=why)
        elif failure.until is not None:
            work.note("skipped", reason="the command failed otherwise later", why=why)
        elif record is None:
            work.note("skipped", reason="it was about the code being changed", why=why)
        elif len(drafts) >= _MOST:
            work.note("skipped", reason=f"more than {_MOST} failures in one session", why=why)
        else:
            record = {**with_origin(work, record, learning), "session": failure.session or None}
            drafts.append(Draft(record, learning.score, False, why))
    work.session.store.local.tools.mark_kept(failures)
    consider(work, drafts)


def close_unsolved(work: Work, fingerprint: str) -> tuple[bool, list[str]]:
    """Close what was kept of a failure that is solved.

    Returns whether anything was kept, and the uids of its memories.
    """
    was_kept = False
    store = work.session.store
    for waiting in suggestions(store):
        if (waiting.draft.get("provenance") or {}).get(FAILURE) == fingerprint:
            waiting_suggestions(store).drop(waiting.uid)
            was_kept = True
            work.note("closed", reason=_SOLVED, why=_UNSOLVED)
    closed: list[str] = []
    for kind in _KINDS:
        wanted = Filters(
            kind=kind, statuses=frozenset({_UNCONFIRMED, "active"}), project=store.project
        )
        for memory in store.indexing.fresh().select(wanted):
            if memory.provenance.get(FAILURE) != fingerprint:
                continue
            status = "retired" if memory.status == _UNCONFIRMED else "resolved"
            store.set_status(memory.uid, status, _SOLVED)
            closed.append(memory.uid)
    if closed:
        work.session.leave_out(closed)
        work.note("closed", reason=_SOLVED, why=_UNSOLVED, uids=closed)
    return was_kept or bool(closed), closed

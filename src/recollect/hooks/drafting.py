"""Asks the agent, at the end of a turn, to draft the memories that triage found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.capture.drafting import Wanted, context_text, request
from recollect.capture.triage import Finding
from recollect.core.kinds import SESSIONS
from recollect.hooks.pipeline import Work
from recollect.hosts import protocol as events
from recollect.search.sanitise import plain

_PAUSE = 30 * 60.0  # seconds between two requests in a session


def _candidate(work: Work, kind: str, snippets: Sequence[str]) -> Mapping[str, Any] | None:
    """Return the memory that a draft may update, with a sanitised title."""
    found = work.session.find_candidate(kind, " ".join(snippets)) if snippets else None
    return None if found is None else {**found, "title": plain(str(found["title"]))}


def ask_to_draft(
    work: Work, findings: Sequence[Finding], messages: Sequence[tuple[str, str]]
) -> None:
    """Make the agent continue for one more step: at most once per stop, and rarely in a session.

    `messages` must be redacted, because some of them are written to files for subagents.
    """
    if work.event.name != events.STOP or work.event.again or not findings:
        return
    setting = work.session.setting
    parallel = bool(setting("triage.parallel"))
    wanted = []
    for kind in dict.fromkeys(finding.kind for finding in findings):
        of_kind = [finding for finding in findings if finding.kind == kind]
        snippets = [finding.snippet for finding in of_kind if finding.snippet]
        one = Wanted(
            kind,
            max(finding.score for finding in of_kind),
            snippets,
            plain(work.session.redact(str(setting(f"kinds.{kind}.description")))),
            _candidate(work, kind, snippets),
            str(setting(f"kinds.{kind}.model") or setting("triage.default_model")),
        )
        if parallel:
            one = one._replace(
                context_file=work.session.write_session_file(kind, context_text(one, messages))
            )
        wanted.append(one)
    if not work.session.may_request_draft(_PAUSE):
        work.note("skipped", reason="the agent was asked within the last 30 minutes")
        return
    work.reply.request = request(
        wanted, parallel=parallel, checked_by=str(setting("triage.verification_model"))
    )
    work.note("asked the agent to draft", kinds=[one.kind for one in wanted])
    if any(one.kind == SESSIONS for one in wanted):
        work.session.reset_work()  # the next summary starts from here

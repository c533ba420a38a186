"""Triage at the end of a turn: asks the agent to draft what the talk holds, at most rarely.

What detection found is an unconfirmed memory before the agent is asked. So nothing is lost if the
agent declines, if it was asked a moment ago, or if it is already continuing because of a hook.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.capture.drafting import Wanted, context_text, request
from recollect.capture.triage import THRESHOLDS, Finding, Found, WorkDone, triage
from recollect.core.kinds import DEFAULT_MODEL, SESSIONS
from recollect.hooks.consider import SIGNAL, Draft, consider, draft_of, is_wanted
from recollect.hooks.conversation import Conversation
from recollect.hooks.pipeline import Work
from recollect.hosts import protocol as events
from recollect.search.sanitise import plain
from recollect.search.tokens import count_tokens

_PAUSE = 30 * 60.0  # seconds between two requests in a session
_FIRST_TURN = 2  # exchanges: the prompt and the answer
# A single finding of these kinds is worth a request in the first turn.
_AT_ONCE = ("decisions", "solutions", SESSIONS)
_MOST_CHECKED = 5  # texts of a kind, and memories, that are compared with each other


def triage_talk(work: Work, conversation: Conversation, drafts: Sequence[Draft]) -> None:
    """Add what detection found in new messages, and decide what becomes of it."""
    mode = str(work.session.setting("triage.mode"))
    if mode == "off" or not conversation.messages:
        return
    work.session.note_findings(
        [(str(d.record["kind"]), d.confidence, text_of(d.record)) for d in drafts],
        messages=len(conversation.messages),
    )
    done = work.session.add_work(conversation)
    if work.event.name != events.STOP:
        return
    stored = work.session.recent_findings(int(work.session.setting("triage.max_messages")))
    found = [Found(one.kind, one.score, one.text) for one in stored]
    tools = WorkDone(sum(done.tools.values()), len(done.tools), done.exchanges)
    thresholds = _thresholds(work)
    findings = [f for f in triage(found, tools, thresholds) if is_wanted(work, f.kind)]
    if not findings:
        return
    work.note("triage", kinds={finding.kind: finding.score for finding in findings})
    if mode == "draft" and work.event.unattended:
        # The answer to the request would take the place of the answer that is wanted.
        work.note("skipped", reason="nobody follows the session; the agent is not asked")
    elif mode == "draft":
        if _ask(work, findings, conversation.messages, tools):
            asked = {text for finding in findings for text in finding.texts}
            work.session.close_findings([one.number for one in stored if one.text in asked])
        return  # what is not asked for waits for the next request
    # Nobody is asked. What alone reaches the threshold of its kind becomes unconfirmed, even if
    # `capture.suggest_threshold` is higher.
    enough = [
        one
        for one in stored
        if one.score >= thresholds.get(one.kind, 1.0) and not work.session.is_noticed(one.text)
    ]
    drafts = [
        Draft(draft_of(work, o.kind, o.text, "agent", "triage"), o.score, False, SIGNAL + o.kind)
        for o in enough
    ]
    consider(work, drafts)
    work.session.close_findings([one.number for one in enough])


def text_of(record: Mapping[str, Any]) -> str:
    """Return the text of a record on one line, without the summary twice."""
    summary, body = str(record.get("summary") or ""), str(record.get("body") or "")
    return " ".join((body or summary).split())


def _thresholds(work: Work) -> dict[str, float]:
    return {
        kind: float(work.session.setting(f"kinds.{kind}.triage_threshold")) for kind in THRESHOLDS
    }


def _ask(
    work: Work, findings: Sequence[Finding], messages: Sequence[tuple[str, str]], done: WorkDone
) -> bool:
    """Make the agent continue for one more step; return whether it was asked."""
    if work.event.again:
        work.note("skipped", reason="the agent continues already, because of a hook")
        return False
    if done.exchanges <= _FIRST_TURN and _is_slight(findings):
        # Asking now would leave nothing to ask for in the next half hour, when there is more.
        work.note("skipped", reason="one finding in the first turn; it waits for more")
        return False
    setting = work.session.setting
    is_parallel = bool(setting("triage.parallel"))
    said = messages[-int(setting("triage.max_messages")) :] if is_parallel else ()
    clean = [(role, work.session.redact(text)) for role, text in said]
    wanted = []
    for finding in findings:
        texts = [text for text in finding.texts if not _is_stored(work, text)]
        if finding.texts and not texts:
            continue  # the agent has stored all of it by itself
        one = Wanted(
            finding.kind,
            finding.score,
            [(work.session.unconfirmed_id(text), text) for text in texts],
            plain(work.session.redact(str(setting(f"kinds.{finding.kind}.description")))),
            _candidate(work, finding.kind, texts),
            _model(work, finding.kind),
            metrics=_metrics(done) if finding.kind == SESSIONS else "",
        )
        if is_parallel:
            path = work.session.write_session_file(finding.kind, context_text(one, clean))
            one = one._replace(context_file=path)
        wanted.append(one)
    if not wanted:
        work.note("skipped", reason="the agent has stored it by itself")
        return True
    text = request(
        wanted,
        parallel=is_parallel,
        checked_by=str(setting("triage.verification_model")),
        omits=work.session.has_unkept(),
    )
    tokens = count_tokens(text)
    if not work.session.may_request_draft(_PAUSE, tokens):
        work.note("skipped", reason="the agent was asked within the last 30 minutes; it waits")
        return False
    work.reply.request = text
    work.note("asked the agent to draft", kinds=[one.kind for one in wanted], tokens=tokens)
    if any(one.kind == SESSIONS for one in wanted):
        work.session.reset_work()  # the next summary starts from here
    return True


def _is_slight(findings: Sequence[Finding]) -> bool:
    count = sum(len(finding.texts) for finding in findings)
    return count == 1 and all(finding.kind not in _AT_ONCE for finding in findings)


def _metrics(done: WorkDone) -> str:
    return f"{done.tools} tool uses, {done.distinct} tools, {done.exchanges} exchanges"


def _model(work: Work, kind: str) -> str:
    """Return the model that drafts a kind."""
    own = str(work.session.setting(f"kinds.{kind}.model"))
    return str(work.session.setting("triage.default_model")) if own == DEFAULT_MODEL else own


def _is_stored(work: Work, text: str) -> bool:
    """Whether a confirmed memory of this session already says it."""
    from recollect.capture.novelty import DUPLICATE, NEAR, Known, judge

    known = [
        Known(memory.uid, f"{memory.summary}\n{memory.text}")
        for memory in work.session.similar(text, _MOST_CHECKED)
        if memory.session == work.event.session and memory.status == "active"
    ]
    return judge(text, known).verdict in (DUPLICATE, NEAR)


def _candidate(work: Work, kind: str, texts: Sequence[str]) -> Mapping[str, Any] | None:
    """Return the memory that a draft may update, with a sanitised title."""
    for text in texts[:_MOST_CHECKED]:
        found = work.session.find_candidate(kind, text)
        if found is not None:
            return {**found, "title": plain(str(found["title"]))}
    return None

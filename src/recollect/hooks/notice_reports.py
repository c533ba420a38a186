"""Learns from what tools report in sentences: web pages, subagents, and documents as written."""

from __future__ import annotations

from recollect.core.marks import without_own_text
from recollect.core.note import summarize
from recollect.hooks.consider import Draft, consider, origin
from recollect.hooks.pipeline import Work

# What a page says is somebody else's, and it may be wrong or gone tomorrow.
_FROM_PAGE = 0.4
_MOST_QUESTION = 300
_MOST_ADDRESS = 300
# The most drafts from one report; the others are postponed to the next event.
_AT_REPORT = 3


def learn_from_page(work: Work) -> None:
    """Make a draft of the first finding of a fetched page."""
    from recollect.capture.observations import facets, first_finding

    event, redact = work.event, work.session.redact
    finding = first_finding(redact(event.output))
    if not finding:
        work.note("skipped", reason="the page states no finding", why="web page")
        return
    kind, concepts, importance = facets(finding)
    summary, rest = summarize(finding)
    # The query of an address may hold a token.
    address = redact(event.address.partition("?")[0][:_MOST_ADDRESS])
    body = [rest, f"Asked: {redact(event.question)[:_MOST_QUESTION]}", f"Source: {address}"]
    record = {
        "kind": "research",
        "summary": summary,
        "body": "\n\n".join(filter(None, body)),
        "observation_type": kind,
        "concepts": list(concepts),
        "importance": importance,
        **origin(work, "tool", "web"),
    }
    consider(work, [Draft(record, _FROM_PAGE, False, f"web page, score {_FROM_PAGE:.2f}")])


def learn_from_subagent(work: Work) -> None:
    """Detect in the report of a subagent what is worth remembering, once for each report."""
    from recollect.capture.error_lines import fingerprint
    from recollect.hooks.detection import drafts_in

    report = without_own_text(work.event.text or work.event.output).strip()
    if not report:
        return
    # The end of a subagent and the result of its tool hold the same report.
    mark = fingerprint(report, "report", work.event.session)
    if not work.session.store.local.tools.claim_notice(mark, work.session.now()):
        work.note("skipped", reason="duplicate: noticed before", why="subagent")
        return
    consider(work, drafts_in(work, [("assistant", report)], _AT_REPORT).drafts)
    work.session.drop_taken()


def learn_from_document(work: Work, path: str) -> None:
    """Make drafts of the decisions that a document states and did not before."""
    from recollect.capture.documents import decisions_in, is_telling
    from recollect.capture.observations import facets

    if not is_telling(path):
        return
    redact = work.session.redact
    written, before = redact(work.event.written), redact(work.event.replaced)
    for found in decisions_in(path, written, before):
        _, concepts, importance = facets(f"{found.title}\n{found.paragraph}")
        summary, rest = summarize(found.title)
        where = f"{path}, section “{found.section}”" if found.section else path
        body = [rest or found.paragraph, f"Written in {where}"]
        record = {
            "kind": "decisions",
            "summary": summary,
            "body": "\n\n".join(body),
            "observation_type": "decision",
            "concepts": list(concepts),
            "importance": importance,
            "files_modified": [path],
            **origin(work, "agent", "document"),
        }
        consider(work, [Draft(record, found.confidence, False, "written decision")])

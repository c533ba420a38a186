"""Makes drafts of what messages say that nobody asked to keep.

Nothing here is certain: what is noticed becomes an unconfirmed memory. What exceeds the limit of an
event is kept, redacted, in local state, and comes first at the next event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from recollect.capture.unconfirmed import NOTICED
from recollect.core.named_tuple import NamedTuple
from recollect.hooks.consider import SIGNAL, Draft, origin
from recollect.hooks.pipeline import Work
from recollect.hosts.protocol import PRE_COMPACT, STOP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.capture.detect import Detected, Skipped

_MOST_TRACED = 5  # skipped sentences in the trace of an event
# Below this score a sentence does not even count for triage.
_WEAKEST = 0.3
# Kinds that somebody must have chosen.
_CHOSEN = ("decisions", "preferences", "patterns")


class Noticed(NamedTuple):
    """What messages say: drafts that may become memories, and drafts too weak to be one alone."""

    drafts: list[Draft]
    weak: list[Draft]


def drafts_in(
    work: Work,
    messages: Iterable[tuple[str, str]],
    most: int,
    *,
    failed: bool = False,
    recovered: bool = False,
    worked: bool = True,
) -> Noticed:
    """Make drafts of what messages say, after those that earlier events postponed.

    `failed`: the last tool failed; `recovered`: one failed, and the last one did not; `worked`: the
    agent used tools. Call `work.session.drop_taken` when the drafts are considered.
    """
    threshold = float(work.session.setting("capture.suggest_threshold"))
    if work.event.name == PRE_COMPACT:
        threshold = max(threshold, float(work.session.setting("compaction.min_confidence")))
    postponed = [_restored(fields) for fields in work.session.take_postponed(most)]
    found = _detected(work, list(messages), threshold, failed=failed, recovered=recovered)
    if not worked:
        found = _without_opinions(work, found)
    new = sorted(_new(work, found), key=lambda one: -one.score)
    fresh = [_draft(work, one) for one in new if not one.is_weak]
    weak = [_draft(work, one) for one in new if one.is_weak]
    room = max(0, most - len(postponed))
    if fresh[room:]:
        work.session.postpone([_kept(draft) for draft in fresh[room:]])
        work.note("postponed", drafts=len(fresh[room:]))
    return Noticed([*postponed, *fresh[:room]], weak)


def _detected(
    work: Work,
    messages: Sequence[tuple[str, str]],
    threshold: float,
    *,
    failed: bool,
    recovered: bool,
) -> list[Detected]:
    """Detect in the redacted messages, and trace what was nearly noticed."""
    from recollect.capture.adaptation import shift
    from recollect.capture.conversation import turns
    from recollect.capture.detect import detect

    learned = shift(work.session.store)
    skipped: list[Skipped] = []
    said = turns(messages, failed=failed, passed=recovered)
    found = detect(said, threshold=threshold, weakest=_WEAKEST, shift=learned, skipped=skipped)
    for one in sorted(skipped, key=lambda one: -one.score)[:_MOST_TRACED]:
        work.note(
            "skipped",
            reason=one.reason,
            why=SIGNAL + one.kind,
            score=round(one.score, 2),
            by=", ".join(one.why),
        )
    if not found:
        return []
    # A sentence is cut out of the text, and redaction would miss half a secret: redact the whole
    # text, then detect again.
    from recollect.capture.features import AGENT, USER
    from recollect.capture.hearsay import declines, is_hearsay
    from recollect.capture.requests import is_covered

    clean = [one._replace(text=work.session.redact(one.text)) for one in said]
    asked = (text for role, text in messages if role == "user")
    wishes = [wish for text in asked for wish in work.session.requests_in(text)]
    return [
        one
        for one in detect(clean, threshold=threshold, weakest=_WEAKEST, shift=learned)
        if not is_covered(one.sentence, wishes)  # kept already, as it was asked for
        and not (one.speaker == USER and is_hearsay(one.sentence))
        and not (one.speaker == AGENT and declines(one.sentence))
    ]


def _without_opinions(work: Work, found: Sequence[Detected]) -> list[Detected]:
    """Leave out what an agent only answers to a question: nobody has decided it."""
    from recollect.capture.features import AGENT
    from recollect.capture.hearsay import is_settled

    if work.event.name != STOP or not work.session.answers_question():
        return list(found)
    kept = [
        one
        for one in found
        if one.speaker != AGENT or one.kind not in _CHOSEN or is_settled(one.sentence)
    ]
    if len(kept) < len(found):
        work.note("skipped", reason="an answer to a question, which decides nothing")
    return kept


def _new(work: Work, found: Sequence[Detected]) -> list[Detected]:
    """Leave out what an agent says that is known already, and what the same event says twice."""
    from recollect.capture.features import AGENT
    from recollect.capture.novelty import NEW, SUPERSEDES, Known, judge

    by_agent = any(one.speaker == AGENT for one in found)
    known = work.session.in_context(work.event.context) if by_agent else []
    new: list[Detected] = []
    for one in found:
        others = [Known("", other.sentence) for other in new]
        others += known if one.speaker == AGENT else []
        if judge(one.sentence, others).verdict in (NEW, SUPERSEDES):
            new.append(one)
        else:
            work.note("skipped", reason="repeats what is known", why=SIGNAL + one.kind)
    return new


def _draft(work: Work, found: Detected) -> Draft:
    from recollect.capture.detect import BELOW
    from recollect.capture.noticed_fields import fields_of

    why = SIGNAL + found.kind
    details = {"why": why, "score": round(found.score, 2), "by": ", ".join(found.why)}
    if found.is_weak:
        work.note("skipped", reason=BELOW, **details)
    else:
        work.note("noticed", **details)
    fields = fields_of(found.sentence, found.kind, found.score)
    record = {**fields, **origin(work, found.speaker, NOTICED)}
    return Draft(record, round(found.score, 3), False, why)


def _kept(draft: Draft) -> Mapping[str, Any]:
    return {"record": dict(draft.record), "confidence": draft.confidence, "why": draft.why}


def _restored(fields: Mapping[str, Any]) -> Draft:
    return Draft(fields["record"], float(fields["confidence"]), False, str(fields["why"]))

"""Whether the agent is asked to draft: what was found adds up over the last messages."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.triage import THRESHOLDS, Found, WorkDone, triage
from recollect.core.kinds import KINDS, SESSIONS

NOTHING = WorkDone()
KINDS_WITH_TEXT = [kind for kind in THRESHOLDS if kind != SESSIONS]


@pytest.mark.parametrize("kind", KINDS_WITH_TEXT)
def test_every_kind_can_yield(kind: str) -> None:
    """One strong sentence is enough, a weak one is not."""
    (finding,) = triage([Found(kind, 0.9, "It is so.")], NOTHING)
    assert (finding.kind, finding.score, finding.texts) == (kind, 0.9, ["It is so."])

    assert triage([Found(kind, 0.2, "It may be so.")], NOTHING) == []


def test_the_kinds_are_those_that_agents_draft() -> None:
    """One table says which."""
    assert THRESHOLDS.keys() == {kind.name for kind in KINDS if kind.drafting}


def test_two_turns_count_together() -> None:
    """Two weak hints of one kind reach what none of them reaches alone; other kinds do not help."""
    one, other = Found("decisions", 0.3, "Use uv."), Found("decisions", 0.3, "No ORM.")

    assert triage([one], NOTHING) == []
    assert triage([one, other._replace(kind="preferences")], NOTHING) == []
    (finding,) = triage([one, other], NOTHING)
    assert finding.score == pytest.approx(0.51)
    assert finding.texts == ["Use uv.", "No ORM."]


def test_a_threshold_of_the_configuration_counts() -> None:
    """Higher and lower, for its kind only; what is no number is ignored."""
    found = [Found("decisions", 0.5, "Use uv."), Found("blockers", 0.5, "CI is down.")]

    assert [f.kind for f in triage(found, NOTHING, {"decisions": 0.6})] == ["blockers"]
    weak = [Found("decisions", 0.1, "Use uv.")]
    assert [f.kind for f in triage(weak, NOTHING, {"decisions": 0.05})] == ["decisions"]
    odd: Any = {"decisions": math.nan, "blockers": True}
    assert {f.kind for f in triage(found, NOTHING, odd)} == {"decisions", "blockers"}


def test_much_work_asks_for_a_summary() -> None:
    """Tools, different tools and exchanges since the last one."""
    assert triage([], WorkDone(tools=2, distinct=1, exchanges=2)) == []
    (finding,) = triage([], WorkDone(tools=6, distinct=3, exchanges=4))
    assert (finding.kind, finding.texts) == (SESSIONS, ())


@given(
    st.lists(
        st.builds(
            Found,
            st.sampled_from([*KINDS_WITH_TEXT, "unknown"]),
            st.floats(allow_nan=False),
            st.text(),
        )
    )
)
def test_scores_are_probabilities(found: list[Found]) -> None:
    """Whatever detection claims; the best kind comes first, and no text is invented."""
    findings = triage(found, NOTHING)

    scores = [finding.score for finding in findings]
    assert all(0 < score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)
    for finding in findings:
        own = [one.text for one in found if one.kind == finding.kind]
        assert sorted(finding.texts) == sorted(own)

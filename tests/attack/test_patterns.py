"""Every regular expression takes linear time, whatever the text.

Expressions are found by themselves, so a new one is tested without being named here.
"""

from __future__ import annotations

import pytest

from tests.attack.expressions import Expression, expressions
from tests.attack.growth import ENDS, RUNS, hostile, pumped, too_fast_growing


def _name(expression: Expression) -> str:
    return expression.place.removeprefix("recollect.")


def test_all_expressions_are_found_with_their_use() -> None:
    """None hides: each has a place, and something is done with it there."""
    found = expressions()

    assert len(found) > 300
    assert [one for one in found if not one.place or not one.uses] == []


@pytest.mark.parametrize("expression", expressions(), ids=_name)
def test_an_expression_takes_linear_time(expression: Expression) -> None:
    """For runs of anything, and for texts that almost match."""
    texts = [("", run, end) for run in RUNS for end in ENDS]
    for prefix, run in hostile(expression.text, expression.flags):
        texts += [(prefix, run, end) for end in (*ENDS, "\n")]
    for use, job in expression.jobs():
        for prefix, run, end in texts:
            grown = too_fast_growing(job, pumped(prefix, run, end))
            assert not grown, f"{use} of {expression.text!r} on {prefix!r}, {run!r}…: {grown}"

"""Every meeting of what is possible with what is wished for has one outcome."""

from __future__ import annotations

from itertools import chain, combinations, product

import pytest

from recollect.errors import ValidationError
from recollect.typed.action_table import ACTIONS, TABLE, resolve

OUTCOMES = [
    # possible, wished for, done
    ("CREATE", "CREATE", "CREATE"),
    ("CREATE", "UPDATE", "CREATE"),
    ("CREATE", "DELETE", "NOOP"),
    ("CREATE", "NOOP", "NOOP"),
    ("UPDATE", "CREATE", "CREATE"),
    ("UPDATE", "UPDATE", "UPDATE"),
    ("UPDATE", "DELETE", "UPDATE"),
    ("UPDATE", "NOOP", "NOOP"),
    ("UPDATE_OR_DELETE", "CREATE", "CREATE"),
    ("UPDATE_OR_DELETE", "UPDATE", "UPDATE"),
    ("UPDATE_OR_DELETE", "DELETE", "DELETE"),
    ("UPDATE_OR_DELETE", "NOOP", "NOOP"),
    ("NOOP", "CREATE", "NOOP"),
    ("NOOP", "UPDATE", "NOOP"),
    ("NOOP", "DELETE", "NOOP"),
    ("NOOP", "NOOP", "NOOP"),
]
# For each set of vetoes, what is done instead of CREATE, UPDATE and DELETE.
INSTEAD = {
    (): ("CREATE", "UPDATE", "DELETE"),
    ("CREATE",): ("NOOP", "UPDATE", "DELETE"),
    ("UPDATE",): ("CREATE", "NOOP", "DELETE"),
    ("DELETE",): ("CREATE", "UPDATE", "UPDATE"),
    ("CREATE", "UPDATE"): ("NOOP", "NOOP", "DELETE"),
    ("CREATE", "DELETE"): ("NOOP", "UPDATE", "UPDATE"),
    ("UPDATE", "DELETE"): ("CREATE", "NOOP", "NOOP"),
    ("CREATE", "UPDATE", "DELETE"): ("NOOP", "NOOP", "NOOP"),
}


@pytest.mark.parametrize(("structural", "proposed", "expected"), OUTCOMES)
def test_each_cell(structural: str, proposed: str, expected: str) -> None:
    """What is possible goes first; of two ways the one that destroys less."""
    assert resolve(structural, proposed) == expected


def test_the_table_is_complete() -> None:
    """No meeting is without an outcome, and none is missing above."""
    structural = ("CREATE", "UPDATE", "UPDATE_OR_DELETE", "NOOP")
    proposed = ("CREATE", "UPDATE", "DELETE", "NOOP")

    assert {(one, other) for one, other, _ in OUTCOMES} == set(product(structural, proposed))
    assert set(TABLE) == set(structural)
    assert set(ACTIONS) == set(proposed)


@pytest.mark.parametrize("vetoes", INSTEAD)
@pytest.mark.parametrize(("structural", "proposed", "resolved"), OUTCOMES)
def test_a_veto_forbids_one_action(
    structural: str, proposed: str, resolved: str, vetoes: tuple[str, ...]
) -> None:
    """A memory that may not be deleted can still be updated."""
    done = dict(zip(("CREATE", "UPDATE", "DELETE"), INSTEAD[vetoes], strict=True))

    assert resolve(structural, proposed, vetoes) == done.get(resolved, "NOOP")


def test_all_sets_of_vetoes_are_tried() -> None:
    """Doing nothing cannot be forbidden, so the other three make the sets."""
    names = ("CREATE", "UPDATE", "DELETE")

    assert set(INSTEAD) == set(chain.from_iterable(combinations(names, n) for n in range(4)))
    assert resolve("UPDATE", "UPDATE", {"UPDATE", "NOOP"}) == "NOOP"


def test_agents_may_write_small_letters() -> None:
    """The word counts, not its case."""
    assert resolve("update_or_delete", " delete ") == "DELETE"


@pytest.mark.parametrize(("structural", "proposed"), [("DELETE", "CREATE"), ("CREATE", "MERGE")])
def test_other_words_are_refused(structural: str, proposed: str) -> None:
    """The error lists those that there are."""
    with pytest.raises(ValidationError) as refused:
        resolve(structural, proposed)

    assert "CREATE, UPDATE" in refused.value.hint

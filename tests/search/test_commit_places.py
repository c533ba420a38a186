"""Which found commits take a place in an answer."""

from __future__ import annotations

import pytest

from recollect.search.commit_places import distinct, marked
from recollect.store.commit_index import FoundCommit

_DAY = 86_400


def _commit(oid: str, subject: str, body: str = "", day: int = 0) -> FoundCommit:
    return FoundCommit(oid * 40, day * _DAY, "Ada", subject, body, 1.0, 1.0, 1)


def test_a_commit_and_its_merge_take_one_place() -> None:
    """That of the better one, with the text; years apart, one subject means two things."""
    own = _commit("a", "docs(contrib): Policy on manifest editing")
    merge = _commit("b", "Policy on manifest editing (#17)", "We decided to edit by hand.", 3)
    later = _commit("c", "Policy on manifest editing", "Another text.", 900)
    assert [one.oid[0] for one in distinct([own, merge, later])] == ["b", "c"]
    told = own._replace(body="We decided to edit by hand.")
    assert [one.oid[0] for one in distinct([merge, told])] == ["a"]


def test_one_text_takes_one_place() -> None:
    """As that of a backport."""
    text = "The name of a branch could hold an option of the command that is run with it."
    found = [_commit("a", "Check names", text), _commit("b", "v2: check", text, 400)]
    assert [one.oid[0] for one in distinct(found)] == ["a"]


@pytest.mark.parametrize(
    "revert",
    [
        _commit("d", 'Revert "Detect the use of bash"', "It broke scripts.", 9),
        _commit("d", "Detect sh again", f"It reverts commit {'a' * 12}.", 9),
        _commit("d", "patch 9.1.1030: it is wrong", "Solution: revert patch v9.1.0965", 9),
    ],
)
def test_what_was_reverted_says_so_after_its_revert(revert: FoundCommit) -> None:
    """By its id, its number or its subject."""
    subject = "Detect the use of bash" if "Revert" in revert.subject else "patch 9.1.0965: bash"
    first = _commit("a", subject, "Bash is no sh.")
    other = _commit("b", "Detect fish")
    found = marked([first, other, revert], [revert])
    assert [one.oid[0] for one in found] == ["d", "a", "b"]
    assert found[1].undone == f"Taken back in 1970-01 by {'d' * 12}: {revert.subject}"
    assert marked([other, first], [revert])[1].undone
    assert not marked([other], [revert])[0].undone


def test_an_earlier_revert_takes_nothing_back() -> None:
    """It may have been about the first try."""
    revert = _commit("d", 'Revert "Detect the use of bash"')
    (one,) = marked([_commit("a", "Detect the use of bash", day=3)], [revert])
    assert not one.undone

"""Rules for those who work on a project: whole, standing alone, and without what only welcomes."""

from __future__ import annotations

import pytest

from recollect.importing.contributor_rules import MOST_OF_FILE, is_for_contributors, rules_in
from recollect.importing.repository_files import TextFile
from recollect.importing.source import Item

_TEXT = """# Contributing

Thank you for your interest! Please feel free to ask, and don't worry about mistakes.

## Installing

You must install node first.

## AI policy

- **Accepted issues only:** Generated pull requests must belong to an accepted issue. Others will be
  closed without review.
- You can find more in the guide.

## Scripts

Script names MUST be in alphabetical order, because groups then stand together. Nobody has to sort.

```
names MUST NOT be read from code
```

Use any editor. What must be set:
"""


def _rules(text: str, path: str = "CONTRIBUTING.md") -> dict[str, Item]:
    found = [one for one in rules_in(TextFile(path, text)) if isinstance(one, Item)]
    return {item.summary: item for item in found}


@pytest.mark.parametrize(
    ("path", "is_theirs"),
    [
        ("CONTRIBUTING", True), (".hidden/CONTRIBUTING.rst", True), ("BRANCHES", True),
        ("doc/coding-style.txt", True), ("docs/src/contribute/package-json-conventions.md", True),
        ("OPEN_SOURCE_POLICY.md", True), ("docs/guide.md", False), ("README.md", False),
        ("docs/branches-of-trees.md", True), ("src/policy.c", False), ("contributors.txt", False),
    ],
)  # fmt: skip
def test_documents_for_contributors_are_known_by_their_name(path: str, is_theirs: bool) -> None:
    """Others are for users."""
    assert is_for_contributors(path) == is_theirs


def test_a_rule_comes_in_with_its_paragraph() -> None:
    """What welcomes, installs or is code stays out."""
    items = _rules(_TEXT)
    assert list(items) == [
        "AI policy: Generated pull requests must belong to an accepted issue",
        "Scripts: Script names MUST be in alphabetical order, because groups then stand together",
    ]
    first, second = items.values()
    assert "Others will be closed without review." in first.body
    assert "groups then stand together" in second.body
    assert {first.kind, second.kind} == {"constraints"}
    assert not first.is_rule


def test_a_rule_stands_alone() -> None:
    """One that points at something, or lost its end, makes no title."""
    text = "# Style\n\nThis must not be done. These should be avoided at all cost by everyone.\n"
    assert _rules(text) == {}
    asked = "# Style\n\nShould a function never be longer than this?\n"
    assert _rules(asked) == {}


def test_a_document_of_rules_has_a_limit() -> None:
    """And a broken one harms nothing."""
    text = "# Style\n\n" + "\n\n".join(
        f"Function number{n} must never block a thread." for n in range(99)
    )
    assert len(_rules(text)) == MOST_OF_FILE
    for hostile in ("```\n" * 999, "- " * 5000, "must " * 20_000, "#" * 5000, "a: " * 9000, ""):
        assert len(_rules(hostile)) <= 1


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Macro parameters must always be in parentheses.", "Macro parameters must always be in"),
        (
            "The use of AI **should not** be hidden from anybody.",
            "The use of AI should not be hidden",
        ),
        (
            "As said. Placing void* everywhere must not happen.",
            "Placing void* everywhere must",
        ),
        ("Patches of generated code are not accepted by us.", "Patches of generated code are not"),
        ("No test may be deleted without a word.", "No test may be deleted without a word"),
        ("Please do not copy include statements around.", "Please do not copy include statements"),
    ],
)
def test_a_norm_that_stands_alone_comes_in(text: str, title: str) -> None:
    """Whatever its markup, which glues no words together."""
    (found,) = _rules(f"# Style\n\n{text}\n")
    assert title in found


@pytest.mark.parametrize(
    "text",
    [
        "Please review our policy for the complete guidelines that must hold.",
        "Please respond to comments, which must not wait for long.",
        "If they are missing or incomplete, you must add them to the file.",
        "Be sure to run `npm test` to verify your changes before the pull request.",
        "Building the documentation requires that ExDoc is cloned alongside.",
        "No special competencies are required for contributors beyond awareness.",
        "No one will blame you for backing out of an issue that is too hard.",
        "Retransmit if you don't get a response by one week.",
        "Click the button, and the page must show the result below.",
        "Don't worry about the format, because the robot must change it.",
        "Reports should ideally contain the number of the ticket.",
        "BUG/MINOR: stats: connection counters must be plain text, not HTML.",
        "Read https://example.org/guide, which must be followed by everybody.",
    ],
)
def test_what_greets_points_or_holds_in_one_case_is_no_rule(text: str) -> None:
    """Nor what one tool needs, nor an example of a title."""
    assert _rules(f"# Style\n\n{text}\n") == {}


def test_rules_of_a_mark_or_of_votes_stay_out() -> None:
    """They say nothing to somebody who writes code."""
    text = "# Policy\n\nThe logo must never be combined with other logos.\n"
    assert _rules(text, "docs/trademark-policy.md") == {}
    assert _rules(text, "docs/GOVERNANCE.md") == {}

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
    text = "# Style\n\n" + "\n\n".join(f"Function number{n} must never block." for n in range(99))
    assert len(_rules(text)) == MOST_OF_FILE
    for hostile in ("```\n" * 999, "- " * 5000, "must " * 20_000, "#" * 5000, "a: " * 9000, ""):
        assert len(_rules(hostile)) <= 1

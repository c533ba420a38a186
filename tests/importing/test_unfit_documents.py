"""What looks like a document that explains, and is none: drafts, steps, manuals, proposals."""

from __future__ import annotations

import pytest

from tests.importing.readings import items_of
from tests.sandbox import Sandbox

_TEXT = (
    "# Design\n\n## Why the queue keeps its order\n\n"
    "The order of the queue must never change, because clients would see a gap and they would"
    " fetch everything again, which is slow and could crash small ones.\n"
)


@pytest.mark.parametrize(
    ("path", "is_read"),
    [
        ("docs/design/queue.md", True),
        ("docs/design-thoughts/queue.md", False), ("doc/design_thoughts/queue.txt", False),
        ("docs/drafts/queue.md", False), ("docs/draft-queue.md", False),
        ("docs/roadmap.md", False), ("ROADMAP.txt", False), ("notes-queue.txt", False),
        ("docs/brainstorming/queue.md", False), ("dev/prompts/queue.md", False),
        ("doc/neps/nep-0001-queue.rst", False), ("peps/pep-0008.rst", False),
        ("docs/steps/queue.md", True),
    ],
)  # fmt: skip
def test_drafts_and_proposals_stay_out(sandbox: Sandbox, path: str, is_read: bool) -> None:
    """What somebody thought of was built differently."""
    assert bool(items_of(sandbox, {path: _TEXT})) == is_read


def test_a_step_of_a_list_makes_no_title(sandbox: Sandbox) -> None:
    """It says nothing without the others; the paragraph below it may."""
    text = (
        "# Deprecations\n\n## Rationale\n\n"
        "1. The feature is only soft-deprecated, because nobody must change at once.\n\n"
        "2. The feature should then warn, so that everybody sees it, because it will go.\n\n"
        "A warning must never come before the alternative exists, because code that supports"
        " several versions could not avoid it otherwise.\n"
    )
    (item,) = items_of(sandbox, {"docs/technical/deprecations.md": text}).values()
    assert "A warning must never come before the alternative exists" in item.summary


def test_a_heading_that_names_nothing_is_not_deprecated(sandbox: Sandbox) -> None:
    """Neither background nor alternatives are what goes away."""
    text = "# Deprecations\n\n## Background\n\nSome of it is old, " + "because it is old. " * 9
    assert not [
        title
        for title in items_of(sandbox, {"docs/deprecations.md": text})
        if title.startswith("Deprecated:")
    ]


def test_a_guide_of_use_without_a_version_stays_out(sandbox: Sandbox) -> None:
    """A section that says what was removed comes in."""
    why = (
        "The file had to be changed by hand, because nothing else could read it, so that"
        " you must now rename the option, otherwise it is lost and the program would crash.\n\n"
    )
    removed = f"## Removed the old options of the loader\n\nNo. {why}"
    text = f"# Migration guide\n\n## Your config file\n\n{why}{removed}"
    items = items_of(sandbox, {"docs/use/migration-guide.md": text})
    assert list(items) == ["Removed the old options of the loader"]


def test_a_vulnerability_keeps_its_number(sandbox: Sandbox) -> None:
    """Only a ticket before an entry is left out, and a code word keeps its end."""
    text = (
        "## 1.8.2\n\n### Security\n\n"
        "- CVE-2026-33947: Limit the depth of paths to prevent a stack overflow. It was removed"
        " from the checks by default, because nobody knew that an attacker could crash the program"
        " with a long path, which leads to a denial of service.\n"
    )
    (title,) = items_of(sandbox, {"NEWS.md": text})
    assert title.startswith("CVE-2026-33947: Limit the depth of paths")

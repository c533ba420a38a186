"""The docs source: decision records, changelogs and telling sections."""

from __future__ import annotations

from pathlib import Path

from recollect.importing import documents
from recollect.importing.source import Item, Place
from tests.importing.readings import plain_reading
from tests.sandbox import Sandbox
from tests.support.history import with_past


def items_of(sandbox: Sandbox, files: dict[str, str]) -> dict[str, Item]:
    """The items that files give, by title."""
    repo = sandbox.init("repo")
    for name, text in files.items():
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    sandbox.commit(repo)
    return items_in(repo)


def items_in(repo: Path) -> dict[str, Item]:
    """The items of a repository, by title."""
    found = documents.SOURCE.read(plain_reading(repo), Place(".", ""))
    return {one.summary: one for one in found if isinstance(one, Item)}


def test_a_decision_record_is_a_decision(sandbox: Sandbox) -> None:
    """A person wrote it as one, so it needs no confirmation."""
    repo = with_past(sandbox)
    items = items_in(repo)
    record = items["We decided to use PostgreSQL for the cart"]
    assert (record.kind, record.is_rule) == ("decisions", True)
    assert "it locks rows" in record.body
    assert record.fields["files_read"] == ["docs/adr/0001-use-postgresql.md"]
    assert record.commit == sandbox.git(
        repo, "log", "-1", "--format=%H", "--", "docs/adr/0001-use-postgresql.md"
    )


def test_a_changelog_tells_what_was_broken(sandbox: Sandbox) -> None:
    """With its version and date; an ordinary change stays out."""
    items = items_in(with_past(sandbox))
    flag = items["Removed the `--legacy` flag, which nobody used (2.0.0)"]
    assert flag.created == "2026-02-03"
    assert not flag.is_rule
    assert not [title for title in items if "color" in title]


def test_release_notes_in_a_folder_count_by_version(sandbox: Sandbox) -> None:
    """The newest first, as in a changelog."""
    heads = (
        "Version {0}\n===========\n\nBackwards incompatible changes\n-------------------------\n\n"
    )
    note = heads + "* Dropped support for SQLite {0}.\n"
    items = items_of(
        sandbox, {f"docs/releases/{n}.txt": note.format(n) for n in ("9.1", "10.0", "8.4")}
    )
    ranked = sorted(items.values(), key=lambda item: -item.score)
    assert [item.summary for item in ranked] == [
        "Dropped support for SQLite 10.0 (10.0)",
        "Dropped support for SQLite 9.1 (9.1)",
        "Dropped support for SQLite 8.4 (8.4)",
    ]


def test_sections_that_explain_or_warn_come_in(sandbox: Sandbox) -> None:
    """A question is a title; so is a statement. What describes stays out."""
    items = items_of(
        sandbox,
        {
            "README.md": "# Shop\n\nIt sells.\n\n## Usage\n\nThe tool is started with `run`.\n\n"
            "## Why is there no ORM here?\n\n"
            "Queries are few and must be fast, and an ORM hides them from review.\n\n"
            "## Known issues\n\n"
            "- The cart cannot be shared between two browsers, because it is a cookie.\n"
            "- Refunds do not work on Sundays, when the bank is closed for maintenance.\n"
        },
    )
    assert set(items) == {
        "Why is there no ORM here?",
        "The cart cannot be shared between two browsers, because it is a cookie",
        "Refunds do not work on Sundays, when the bank is closed for maintenance",
    }
    assert {item.kind for item in items.values()} == {"learnings"}


def test_files_of_others_and_links_out_are_not_read(sandbox: Sandbox) -> None:
    """A vendored folder is not ours, and a link may lead anywhere."""
    outside = sandbox.root / "secret.md"
    outside.write_text(
        "## Known issues\n\nThe outside file is never read by an import of anybody.\n"
    )
    repo = sandbox.init("repo")
    (repo / "vendor").mkdir()
    (repo / "vendor" / "FAQ.md").write_text(outside.read_text())
    (repo / "FAQ.md").symlink_to(outside)
    sandbox.commit(repo)
    assert items_in(repo) == {}


def test_a_version_names_its_other_changes(sandbox: Sandbox) -> None:
    """So that one memory answers for them, too."""
    text = "## 3.0\n\n### Removed\n\n- Dropped the `--old` flag for good.\n\n### Added\n\n"
    items = items_of(sandbox, {"CHANGELOG.md": text + "- Added a resume option to downloads.\n"})
    (item,) = items.values()
    assert item.summary == "Dropped the `--old` flag for good (3.0)"
    assert item.body.endswith("Related changes:\n- Added a resume option to downloads.")


def test_an_entry_with_a_reason_comes_in_and_a_routine_one_does_not(sandbox: Sandbox) -> None:
    """However it is headed; a chore stays out even if it says why."""
    reason = "Open the log once instead of per line, because a full disk made it hang for minutes"
    text = (
        f"## 1.2\n\n### Fixed\n\n- {reason}.\n- Show the right color.\n\n"
        f"### Internal\n\n- Update the tests, because they used a removed flag by default.\n"
    )
    items = items_of(sandbox, {"CHANGES.md": text})
    assert set(items) == {f"{reason} (1.2)"}
    assert "From CHANGES.md, 1.2, section “Fixed”" in items[f"{reason} (1.2)"].body


def test_an_upgrade_guide_needs_no_version(sandbox: Sandbox) -> None:
    """Each of its sections is about something that breaks."""
    text = (
        "# Migration from v7\n\n## The old runner is gone\n\n" + "Call `run()` of the new one. " * 4
    )
    items = items_of(sandbox, {"docs/migration.md": text})
    assert set(items) == {"The old runner is gone"}


def test_a_guide_tells_its_rules(sandbox: Sandbox) -> None:
    """A section without a rule or a reason stays out."""
    text = (
        "# Contributing\n\n## Options\n\nOptions are costly for everybody. Avoid a new one, because"
        " it must be supported for ever.\n\n## Setup\n\nThe tools are installed with `make`, and"
        " the server is started with `make run`.\n"
    )
    items = items_of(sandbox, {"CONTRIBUTING.md": text})
    assert len(items) == 1
    assert "supported for ever" in next(iter(items.values())).body

"""The docs source: decision records, changelogs and telling sections."""

from __future__ import annotations

from tests.importing.readings import items_in, items_of
from tests.sandbox import Sandbox
from tests.support.history import with_past


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
    note = heads + (
        "* Dropped support for SQLite {0}. It cannot store JSON, so that every query would have to"
        " decode it, because there is no function for it.\n"
    )
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
    """A statement is a title, under what it is about. What describes stays out."""
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
    why = items.pop("Queries are few and must be fast, and an ORM hides them from review")
    assert why.fields["asked_as"] == ["Why is there no ORM here?"]
    assert why.kind == "decisions"
    assert set(items) == {
        "Shop: The cart cannot be shared between two browsers, because it is a cookie",
        "Shop: Refunds do not work on Sundays, when the bank is closed for maintenance",
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


def test_how_to_questions_and_bare_lines_stay_out(sandbox: Sandbox) -> None:
    """The manual and the changelog say it already."""
    items = items_of(
        sandbox,
        {
            "FAQ.md": "# FAQ\n\n## How do I start it?\n\nThe server is started with `make run`, and"
            " it is stopped with a signal, because it never ends by itself.\n",
            "CHANGELOG.md": "## 3.0\n\n### Removed\n\n- Dropped the `--old` flag for good.\n",
        },
    )
    assert items == {}


def test_what_a_release_stresses_names_the_release(sandbox: Sandbox) -> None:
    """Above the lists of a version; the same text in a second version comes once."""
    said = (
        "This release reverts the shared queue of 3.0, because it made programs hang on two"
        " cores.\n\n### Added\n\n- A resume option.\n\n"
    )
    items = items_of(sandbox, {"CHANGELOG.md": f"## 3.1.1\n\n{said}## 3.0.9\n\n{said}"})
    (item,) = items.values()
    assert item.summary == (
        "Release 3.1.1 reverts the shared queue of 3.0, because it made programs hang on two cores"
    )
    assert "A resume option" not in item.body


def test_an_entry_with_a_reason_comes_in_and_a_routine_one_does_not(sandbox: Sandbox) -> None:
    """However it is headed; a chore stays out even if it says why."""
    reason = "Open the log once instead of per line, because a full disk made it hang for minutes"
    more = "Previously each line would open it again, which was slow on network disks"
    text = (
        f"## 1.2\n\n### Fixed\n\n- {reason}. {more}.\n- Show the right color.\n\n"
        f"### Internal\n\n- Update the tests, because they used a removed flag by default.\n"
    )
    items = items_of(sandbox, {"CHANGES.md": text})
    assert set(items) == {f"{reason} (1.2)"}
    item = items[f"{reason} (1.2)"]
    assert "From CHANGES.md, 1.2, section “Fixed”" in item.body
    assert item.kind == "solutions"


def test_an_upgrade_guide_needs_no_version(sandbox: Sandbox) -> None:
    """Each of its sections is about something that breaks."""
    text = (
        "# Migration from v7\n\n## The old runner is gone\n\n"
        "Call `run()` of the new one instead of `start()`, because there is no thread any more.\n"
    )
    items = items_of(sandbox, {"docs/migration.md": text})
    assert set(items) == {"The old runner is gone"}


def test_an_upgrade_belongs_to_the_version_that_it_leads_to(sandbox: Sandbox) -> None:
    """Also if the program is named again before it, or an older version is mentioned below."""
    text = (
        "# Upgrading\n\nUpgrading from Rails 8.0 to Rails 8.1\n"
        "-------------------------------------\n\n### The 6.1 runner is gone\n\n"
        "Call `run()` of the new one instead of `start()`, because there is no thread any more.\n"
    )
    (item,) = items_of(sandbox, {"docs/upgrading.md": text}).values()
    assert item.summary.endswith("any more (8.1)")


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


def test_a_reason_counts_wherever_it_stands(sandbox: Sandbox) -> None:
    """In a manual, too; what somebody asks about is the title."""
    text = (
        "# Features\n\n## Transpile Only\n\nFiles are transpiled.\n\n"
        "The reason Vite does not perform type checking as part of the transform process is because"
        " the two jobs work differently. One needs the whole graph.\n"
    )
    items = items_of(sandbox, {"docs/features.md": text})
    item = items["Vite does not perform type checking as part of the transform process"]
    assert item.kind == "decisions"
    assert "One needs the whole graph." in item.body


def test_a_title_names_the_new_state(sandbox: Sandbox) -> None:
    """How it was before is in the text."""
    text = (
        "# Why\n\n## One Tool\n\nThe build originally relied on two separate tools, which"
        " was hard to keep aligned.\n\nRolldown unifies both into a single bundler, because two"
        " pipelines differ.\n"
    )
    items = items_of(sandbox, {"docs/why.md": text})
    (title,) = items
    assert "Rolldown unifies both" in title
    assert "originally relied" in items[title].body


def test_a_guide_tells_what_an_upgrade_means(sandbox: Sandbox) -> None:
    """A heading that says what was removed is the title; a consequence is enough to be kept."""
    text = (
        "# Migration\n\n### Removed Resolution Using Format Sniffing\n\nWhen both fields were"
        " present, we used to look at the content, because some packages were wrong. We no"
        " longer do, since the new field solved this.\n\n"
        "### Format and downgrade\n\nThe format has been changed slightly in preparation for the"
        " new index. Consequently, it can only be read by version 2 or newer: you will be only able"
        " to downgrade to 2.55, not lower, without losing your persistent data.\n"
    )
    items = items_of(sandbox, {"docs/migration.md": text})
    assert "Removed Resolution Using Format Sniffing" in items
    assert any("downgrade" in item.body for item in items.values())


def test_a_hole_in_a_changelog_is_a_solution_of_its_version(sandbox: Sandbox) -> None:
    """Dated by the heading, or by the tag of the version."""
    entry = (
        " * An overflow in the multiplication lets an attacker learn a key, because the carry is"
        " lost. No other algorithms are affected, since they use another path (CVE-2017-{0}).\n\n"
    )
    text = (
        "# Changes\n\n## Changes between 1.1.0c and 1.1.0d [26 Jan 2023]\n\n"
        + entry.format(3732)
        + "## Changes between 1.1.0b and 1.1.0c\n\n"
        + entry.format(3733)
    )
    repo = sandbox.init("repo")
    (repo / "CHANGES.md").write_text(text)
    sandbox.commit(repo)
    sandbox.git(repo, "tag", "OpenSSL_1_1_0c")
    tagged = sandbox.git(repo, "for-each-ref", "--format=%(creatordate:short)", "refs/tags")
    found = sorted(items_in(repo).values(), key=lambda item: str(item.created))
    assert [item.created for item in found] == ["2023-01-26", tagged]
    assert {item.kind for item in found} == {"solutions"}
    assert found[0].summary.endswith("(1.1.0d)")


def test_a_version_without_a_dot_is_a_version(sandbox: Sandbox) -> None:
    """Its entry has neither the names of those who helped nor the place of the release."""
    text = (
        "The tool\n\nCHANGES WITH 258:\n\n        Feature Removals:\n\n"
        "        * Support for the old hierarchy is removed, because the kernel no longer keeps\n"
        "          it, and because two hierarchies confused all who had to configure them.\n\n"
        "        Contributions from: Ada, Bob\n\n        — Edinburgh, 2025/12/17\n"
    )
    items = items_of(sandbox, {"NEWS": text})
    (item,) = items.values()
    assert item.summary.startswith("Support for the old hierarchy is removed")
    assert "Edinburgh" not in item.body


def test_rules_in_a_list_come_one_by_one(sandbox: Sandbox) -> None:
    """Each under its heading, if it says why; a rule is a constraint."""
    text = (
        "# Style\n\n## Threads\n\n"
        "- We avoid threads where we can. This is because a lock that another holds stays\n"
        "  locked in a child, which then waits for ever, so that the manager must never use them.\n"
        "- Use four spaces.\n"
    )
    items = items_of(sandbox, {"docs/style.md": text})
    assert {item.summary: item.kind for item in items.values()} == {
        "Threads: We avoid threads where we can": "constraints"
    }


def test_parts_of_a_section_come_together(sandbox: Sandbox) -> None:
    """Short ones below a heading are one memory, and no others."""
    text = (
        "# Features\n\n## Ending a feature\n\n### Alpha\n\n"
        "An alpha feature must not be used for work, so that it can be removed at any time.\n\n"
        "### Beta\n\nA beta feature is deprecated for at least two releases, because users rely on"
        " it. It must never go in a patch release.\n"
    )
    (item,) = items_of(sandbox, {"docs/technical/features.md": text}).values()
    assert "Alpha:\n\nAn alpha feature" in item.body
    assert "at least two releases" in item.body


def test_a_file_without_an_extension_is_read_if_its_name_is_in_capitals(sandbox: Sandbox) -> None:
    """A Dockerfile is no document, whatever its comments say."""
    text = "# Known issues\n\nThe cart cannot be shared, because it is a cookie of one browser.\n"
    found = items_of(sandbox, {"Dockerfile": text, "KNOWN_ISSUES": text})
    assert [item.fields["files_read"] for item in found.values()] == [["KNOWN_ISSUES"]]


def test_an_entry_that_only_says_what_to_use_now_stays_out(sandbox: Sandbox) -> None:
    """Who reads it a year later learns nothing: neither why, nor what would go wrong."""
    kept = "Payments are no longer tried again, because a second try would charge a customer twice"
    text = (
        "## 2.4\n\n### Backward-incompatible changes\n\n"
        "- `shop.md5sum()`, deprecated since Shop 2.1, is removed. Use `shop.digest()` instead of"
        " it, which takes the same arguments.\n"
        "- The `SHOP_OBJ_` values have been renamed for consistency. They are now prefixed with"
        " `SHOP_OBJECT_`. The old ones will be retained for backward compatibility.\n"
        "- The `Shop.cart` class is deprecated and no longer documented. It will be removed in 3.0"
        " in favor of `Shop.basket`, which has the same methods and is faster by default.\n"
        f"- {kept}.\n"
    )
    items = items_of(sandbox, {"CHANGELOG.md": text})
    assert set(items) == {f"{kept} (2.4)"}


def test_versions_that_were_superseded_long_ago_stay_out(sandbox: Sandbox) -> None:
    """Their entries are outdated: what is true today is in the newer ones."""
    entry = "- The cart is a cookie {0}, because a table of carts made every page wait for a lock."
    text = "".join(
        f"## {version} ({day})\n\n### Breaking changes\n\n{entry.format(version)}\n\n"
        for version, day in (("9.0", "2026-02-01"), ("8.0", "2024-01-01"), ("1.0", "2013-05-01"))
    )
    items = items_of(sandbox, {"CHANGELOG.md": text})
    assert len(items) == 2
    assert not [title for title in items if "1.0" in title]


def test_without_dates_only_the_newest_versions_count(sandbox: Sandbox) -> None:
    """A changelog of a hundred versions has no room for the first ones."""
    entry = "- The cart is a cookie {0}, because a table of carts made every page wait for a lock."
    text = "".join(
        f"## {version}.0\n\n### Breaking changes\n\n{entry.format(version)}\n\n"
        for version in range(99, 0, -1)
    )
    versions = {
        int(title.split()[5].partition(",")[0]) for title in items_of(sandbox, {"NEWS.md": text})
    }
    assert max(versions) == 99
    assert min(versions) > 50


def test_a_manual_is_no_memory(sandbox: Sandbox) -> None:
    """It says how to use something, in whatever words; only what explains itself comes in."""
    manual = (
        "You must set `debug` to see more, because the log is short by default. Never use it in"
        " production, so that nobody sees your keys. It is considered unsafe, and otherwise the"
        " server would restart. We prefer a file, rather than the environment, in order to avoid"
        " surprises. Previously it was on, which caused confusion.\n"
    )
    files = {
        "docs/config.rst": f"Settings\n========\n\nDebug\n-----\n\n{manual}",
        "doc/terminal.txt": f"*terminal.txt* Shop\n\nSHOP REFERENCE MANUAL\n\n{manual}",
    }
    files["docs/dev/design.md"] = f"# Design\n\n## Settings\n\n{manual}"
    (item,) = items_of(sandbox, files).values()
    assert "From docs/dev/design.md" in item.body


def test_a_list_keeps_its_lines(sandbox: Sandbox) -> None:
    """Items in one line read like a sentence that went wrong."""
    text = (
        "# Known issues\n\nThe cart cannot be shared, because it is a cookie of one browser.\n\n"
        "The cookie has limits:\n\n- two windows\n  of it differ\n- private windows are empty\n"
    )
    (item,) = items_of(sandbox, {"KNOWN_ISSUES.md": text}).values()
    assert "- two windows of it differ\n- private windows are empty" in item.body


def test_a_long_section_is_kept_around_what_it_says(sandbox: Sandbox) -> None:
    """One run of paragraphs, without gaps in which something else was."""
    filler = "This paragraph tells how the rest is arranged and names some parts of it. " * 8
    said = "Orders are never deleted, because the tax office may ask for each of them"
    text = "# Design\n\n## Orders\n\n" + "\n\n".join(
        [filler, filler, filler, f"{said}.", "We decided that to avoid fines.", *[filler] * 3]
    )
    (item,) = items_of(sandbox, {"docs/design.md": text}).values()
    assert item.summary.endswith(said)
    assert f"{said}.\n\nWe decided that to avoid fines." in item.body
    assert "…" not in item.body


def test_half_a_bracket_is_no_title(sandbox: Sandbox) -> None:
    """A sentence may have been split in the middle of one."""
    text = (
        "# Rationale\n\nThe purpose is to build spiders of parts (aka. Legs) that must be combined"
        " because no part works alone.\n"
    )
    assert not [t for t in items_of(sandbox, {"sep/rationale.md": text}) if t.startswith("Legs)")]


def test_numbers_of_tickets_and_marks_of_lists_are_no_text(sandbox: Sandbox) -> None:
    """In the forms of changelogs; a line that begins with a bar is a table only if it ends so."""
    text = (
        "## 2.4\n\n### Fixed\n\n"
        "- |Shop:pay()| no longer tries again, because a second try charged customers twice, which"
        " caused complaints. (`6342`, `6347`)\n\n"
        "## 2.3\n\n• The cart is a cookie, because a table made pages wait, which broke them.\n"
    )
    (item,) = items_of(sandbox, {"CHANGELOG.md": text}).values()
    assert "charged customers twice" in item.body
    assert "6342" not in item.body
    assert "•" not in item.summary


def test_a_version_without_a_date_is_not_newer_than_the_one_above_it(sandbox: Sandbox) -> None:
    """So an old one is outdated, too."""
    entry = "- The cart is a cookie {0}, because a table of carts made every page wait for a lock."
    heads = ("9.0 (2026-02-01)", "2.0 (2014-01-01)", "1.0")
    text = "".join(
        f"## {head}\n\n### Breaking changes\n\n{entry.format(head[:3])}\n\n" for head in heads
    )
    (title,) = items_of(sandbox, {"CHANGELOG.md": text})
    assert "9.0" in title


def test_the_title_of_a_guide_gives_its_version(sandbox: Sandbox) -> None:
    """A line above and below it is another style than a line below; fields and roles go."""
    guide = (
        "=======================\nWhat's New in Shop 2.1?\n=======================\n\n"
        "Changes\n=======\n\nThe cart is no longer saved by default\n"
        "--------------------------------------\n\n:tags: cart\n:tickets: 12\n\n"
        ":ref:`change_12`\n\n"
        "Saving it removed what :meth:`.Cart.add` had put there, because both wrote at"
        " once. You must now call ``save()`` instead, otherwise the cart is lost.\n"
    )
    items = items_of(sandbox, {"docs/migration_21.rst": guide})
    item = items["The cart is no longer saved by default (2.1)"]
    assert "`Cart.add`" in item.body
    assert "`save()`" in item.body
    assert not [mark for mark in (":tags:", "change_12", "``", ":meth:") if mark in item.body]


def test_a_guide_to_a_version_of_long_ago_stays_out(sandbox: Sandbox) -> None:
    """It is as old as the tag of the first release of its version."""
    guide = (
        "=======================\nWhat's New in Shop {0}?\n=======================\n\n"
        "Changes\n=======\n\nThe {1} cart is no longer saved by default\n"
        "-------------------------------------------------\n\n"
        "Saving the {1} removed what the other page had put there, because both wrote at once."
        " You must now save it, otherwise the cart is lost.\n"
    )
    repo = sandbox.init("repo")
    (repo / "docs").mkdir()
    for version, which in (("2.1", "red"), ("0.9", "blue")):
        name = f"migration_{version.replace('.', '')}.rst"
        (repo / "docs" / name).write_text(guide.format(version, which))
    sandbox.commit(repo)
    assert len(items_in(repo)) == 2
    for tag, year in (("rel_0_9_0", "2012"), ("rel_2_1_0", "2026")):
        when = f"{year}-01-02T00:00:00Z"
        then = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        sandbox.git(repo, "commit", "-q", "--allow-empty", "-m", tag, env=then)
        sandbox.git(repo, "tag", tag)
    assert list(items_in(repo)) == ["The red cart is no longer saved by default (2.1)"]

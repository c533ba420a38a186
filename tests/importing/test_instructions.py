"""The instructions source: rules for agents, each with its file."""

from __future__ import annotations

from recollect.core.memory import READ_IN
from recollect.importing import instructions
from recollect.importing.source import Item, Skipped
from tests.importing.readings import plain_reading
from tests.sandbox import Sandbox
from tests.support.history import with_past


def test_rules_come_in_and_descriptions_do_not(sandbox: Sandbox) -> None:
    """What forbids is a constraint, what asks is a preference."""
    repo = with_past(sandbox)
    (place,) = instructions.SOURCE.find(plain_reading(repo))
    items = [i for i in instructions.SOURCE.read(plain_reading(repo), place) if isinstance(i, Item)]
    assert [(item.kind, item.summary) for item in items] == [
        ("preferences", "Run `make test` before you commit anything"),
        ("constraints", "Never call the network in a test"),
    ]
    assert all(item.is_rule for item in items)
    assert items[0].body == "From CLAUDE.md, section “Guide > Testing”"
    assert items[0].fields["provenance"] == {READ_IN: ["CLAUDE.md"]}


def test_two_names_of_one_file_are_read_once(sandbox: Sandbox) -> None:
    """A link inside the repository is another name; hooks must know both."""
    repo = with_past(sandbox)
    (repo / "AGENTS.md").symlink_to("CLAUDE.md")
    (repo / "GEMINI.md").symlink_to("/etc/hostname")
    sandbox.commit(repo)
    (place,) = instructions.SOURCE.find(plain_reading(repo))
    items = [i for i in instructions.SOURCE.read(plain_reading(repo), place) if isinstance(i, Item)]
    assert sorted(items[0].fields["provenance"][READ_IN]) == ["AGENTS.md", "CLAUDE.md"]


def test_code_is_no_part_of_a_title(sandbox: Sandbox) -> None:
    """A rule may have it below."""
    repo = sandbox.init("repo")
    rule = "- Return early instead of nesting\n  ```go\n  if err != nil { return err }\n  ```\n"
    (repo / "AGENTS.md").write_text(f"# Style\n\n{rule}")
    sandbox.commit(repo)
    (place,) = instructions.SOURCE.find(plain_reading(repo))
    (found,) = instructions.SOURCE.read(plain_reading(repo), place)
    assert isinstance(found, Item)
    assert found.summary == "Return early instead of nesting"


def test_a_pointer_is_no_rule(sandbox: Sandbox) -> None:
    """What it points at may hold one; what forbids something says so itself."""
    repo = sandbox.init("repo")
    (repo / "AGENTS.md").write_text(
        "# Rules\n\n"
        "- Please review our Open Source Policy for complete guidelines on licensing.\n"
        "- Consult the documentation of the build before you change its options.\n"
        "- Never edit the generated files of the parser by hand.\n"
    )
    sandbox.commit(repo)
    (place,) = instructions.SOURCE.find(plain_reading(repo))
    found = list(instructions.SOURCE.read(plain_reading(repo), place))
    titles = [one.summary for one in found if isinstance(one, Item)]
    assert titles == ["Never edit the generated files of the parser by hand"]
    reasons = [one.reason for one in found if isinstance(one, Skipped)]
    assert "a pointer, not a rule" in reasons

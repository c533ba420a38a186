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
    assert reasons == ["a description, not a rule"] * 2


def _titles(sandbox: Sandbox, text: str, path: str = "AGENTS.md") -> list[str]:
    repo = sandbox.init("repo")
    (repo / path).parent.mkdir(parents=True, exist_ok=True)
    (repo / path).write_text(text)
    sandbox.commit(repo)
    reading = plain_reading(repo)
    places = instructions.SOURCE.find(reading)
    found = [one for place in places for one in instructions.SOURCE.read(reading, place)]
    return [one.summary for one in found if isinstance(one, Item)]


def test_what_must_not_be_is_no_order(sandbox: Sandbox) -> None:
    """An item below "MUST NOT" says the opposite of what is meant."""
    text = (
        "# Rules\n\n## MUST NOT\n\n- Introduce new dependencies without a reason\n\n"
        "## Common mistakes\n\n- Use `grep` without a pattern in scripts\n"
    )
    assert _titles(sandbox, text) == ["Do not introduce new dependencies without a reason"]


def test_lists_of_what_to_look_for_are_no_rules(sandbox: Sandbox) -> None:
    """Nor are comments to write, templates, pointers and what holds everywhere."""
    text = (
        "# Review\n\nTriggers include:\n- Tests that must cover only one of two paths\n"
        "- Shared helpers where only one path was fixed\n\n"
        '- "This must be a temporary hack. Can we remove it?"\n'
        "- Patch 9.2.NNNN: must be a short description\n"
        "- Commit message must follow the format above\n"
        "- Keep comments short and technical\n"
        "- `docs/STYLE.md` — full guide (must-read before writing code)\n"
        "# Code\n\n- Once released, features of the core must stay compatible\n"
        "- If so, you must ask\n- Prefer `unwrap_or()` over a match of one arm\n"
    )
    assert _titles(sandbox, text) == [
        "Once released, features of the core must stay compatible",
        "Prefer `unwrap_or()` over a match of one arm",
    ]


def test_instructions_of_others_are_not_ours(sandbox: Sandbox) -> None:
    """What is vendored has rules of its own."""
    text = "# A\n\n- Never edit the parser by hand.\n"
    assert _titles(sandbox, text, "vendor/lib/AGENTS.md") == []


def test_brief_rules_are_rules(sandbox: Sandbox) -> None:
    """Most files have a few of them, and no more."""
    text = (
        "# Rules\n\n- Never push to main directly.\n- Use uv for all installs.\n"
        "- Always run the linter first\n- Don't worry about style\n- Be careful with it all\n"
    )
    assert _titles(sandbox, text) == [
        "Never push to main directly",
        "Use uv for all installs",
        "Always run the linter first",
    ]

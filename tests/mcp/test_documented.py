"""The page about MCP is true: every tool, every argument, and every predicate it speaks of."""

from __future__ import annotations

from recollect.core.facts import holds_one_value
from recollect.mcp.arguments import FREE_FIELDS
from recollect.mcp.tools import TOOLS
from tests.support.docs import code, page, rows, sections


def test_every_tool_is_documented_with_its_arguments() -> None:
    """The table has each tool once; what it does not spell out it refers to."""
    table = {row[0].strip("`"): row for row in rows(sections(page("mcp.md"))["Tools"])}

    assert list(table) == list(TOOLS)
    for name, tool in TOOLS.items():
        told = code(table[name][2])
        if "`search_memories`" in table[name][2]:
            told |= code(table["search_memories"][2]) - {"query", "mode"}
        assert set(tool.parameters.types) - told == set(), name
        assert not tool.parameters.takes_fields or "field" in table[name][2]


def test_a_description_tells_what_its_schema_does_not() -> None:
    """An argument that is taken but not listed is named to the agent somewhere."""
    everywhere = " ".join(tool.description for tool in TOOLS.values())
    for name, tool in TOOLS.items():
        listed = tool.parameters.schema()["properties"]
        for argument in tool.parameters.types:
            assert argument in listed or argument in everywhere or argument in QUIET, (
                f"{name}: {argument}"
            )
    assert "sensitivity" in FREE_FIELDS


# Arguments that agents need not know of: what they do is said in a result or on the page.
QUIET = {
    "all",
    "body",
    "keep_both",
    "summary",
    "dry_run",
    "lifecycle_event",
    "reason",
    "session",
    "limit",
}


REPLACING = "Facts that replace others"


def test_the_predicates_of_the_page_hold_one_value() -> None:
    """The table names those that do, by the whole predicate, its first word, or its last word."""
    table = {row[0]: code(row[1]) for row in rows(sections(page("mcp.md"))[REPLACING])}

    assert sum(map(len, table.values())) > 35
    assert all(map(holds_one_value, table["the whole predicate"]))
    assert all(holds_one_value(f"{word} thing") for word in table["the first word"])
    assert all(holds_one_value(f"thing {word}") for word in table["the last word"])
    assert not any(map(holds_one_value, ("uses", "depends on", "contains", "is a", "likes")))

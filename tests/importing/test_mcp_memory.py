"""The graph that the MCP server “memory” wrote."""

from __future__ import annotations

from pathlib import Path

from recollect.importing.mcp_memory import SOURCE
from tests.importing.readings import read, reading_in, shop
from tests.importing.rivals import SERVER_MEMORY, unpacked
from tests.sandbox import Sandbox

STORE = f"server-memory-{SERVER_MEMORY}.jsonl"


def test_a_file_of_the_program(sandbox: Sandbox, tmp_path: Path) -> None:
    """Each observation is a memory that names its entity; relations stand together."""
    path = unpacked(STORE, tmp_path / "memory.jsonl")
    items, left = read(SOURCE, reading_in(sandbox, shop(sandbox), tmp_path), path)

    assert [item.summary for item in items] == [
        "billing-service: Uses PostgreSQL 16",
        "billing-service: Amounts are integers in cents",
        "Ada: Prefers small commits",
        "Ada is related to billing-service",
    ]
    assert items[0].fields["tags"] == ["service", "billing-service"]
    assert items[3].body == "- Ada maintains billing-service"
    assert not left


def test_it_is_found_in_the_repository_and_by_the_variable(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """A file in the repository counts, a link to a file elsewhere does not."""
    repository = shop(sandbox)
    elsewhere = unpacked(STORE, tmp_path / "graph.jsonl")
    (repository / "memory.json").symlink_to(elsewhere)
    reading = reading_in(sandbox, repository, tmp_path)

    assert not SOURCE.find(reading)
    named = reading._replace(environ={"MEMORY_FILE_PATH": str(elsewhere)})
    assert [place.about for place in SOURCE.find(named)] == ["2 entities, 1 relations"]
    unpacked(STORE, repository / "memory.jsonl")
    assert [place.path for place in SOURCE.find(reading)] == [str(repository / "memory.jsonl")]

"""What a result or an error tells an agent to do next is something that an agent can do."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.core.names import short
from recollect.engine.server import Engine
from recollect.errors import RecollectError
from recollect.mcp.hints import for_agents
from recollect.mcp.tools import TOOLS
from recollect.sleep.plan import BY_AGE, Step
from recollect.sleep.run import write_steps
from tests.mcp.calls import DECISION, ask, refuse


@pytest.fixture
def engine(repo: Path) -> Iterator[Engine]:
    """An engine in a repository that knows nothing."""
    engine = Engine(repo, dict(os.environ))
    yield engine
    engine.stop()


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("list_memories", {}),
        ("get_timeline", {}),
        ("search_memories", {"query": "screw drawer"}),
        ("query_facts", {}),
    ],
)
def test_a_page_past_the_end_says_so(engine: Engine, tool: str, more: dict[str, str]) -> None:
    """It is not the words that are wrong; where there is nothing at all, they may be."""
    assert "try other words" in ask(engine, tool, offset=5, **more)["next"]

    for number in range(3):
        ask(engine, "store_memory", kind="notes", summary=f"Screw {number} of the drawer")
        ask(engine, "store_fact", subject="drawer", predicate="holds", object=f"screw {number}")
    assert "offset=50 is past the end" in ask(engine, tool, offset=50, **more)["next"]
    assert "past the end" not in ask(engine, tool, **more)["next"]


def test_errors_name_tools_and_not_commands(engine: Engine) -> None:
    """The next step after each refusal is a call that the agent can make."""
    made = ask(engine, "write_memory", kind="decisions", document=DECISION)
    name = made["id"]
    refusals = [
        refuse(engine, "get_memory", id="decisions:0000000:7"),
        refuse(engine, "write_memory", kind="notes", document=DECISION),
        refuse(engine, "find_candidate", kind="notes", new_info="x"),
        refuse(engine, "write_memory", id=name, document=DECISION),
        refuse(engine, "write_memory", id=name, if_version="old", document=DECISION),
        refuse(engine, "update_memory", id=name, if_version=made["version"], sensitivity="secret"),
        refuse(
            engine,
            "write_memory",
            id=name,
            if_version=made["version"],
            document={**DECISION, "record_status": "retired"},
        ),
    ]
    ask(engine, "delete_memory", id=name)
    refusals += [
        refuse(engine, "write_memory", id=name, if_version="old", document=DECISION),
        refuse(engine, "write_memory", kind="decisions", document=DECISION),
    ]

    for said in refusals:
        assert not re.search(r"recollect [a-z]|--[a-z]", said), said
    assert "list_memories(status=all)" in refusals[0]
    assert f"get_memory(id={short(name)})" in refusals[3]
    assert ", status=restored)" in refusals[-2]


def test_what_no_tool_does_is_for_the_user() -> None:
    """Every error's own hint names tools that there are, or asks the user."""
    kinds: list[type[RecollectError]] = [RecollectError, *_errors(RecollectError)]
    for kind in kinds:
        said = for_agents(kind.hint)
        assert said.startswith("Ask the user") or not re.search(r"recollect [a-z]", said), said
        assert set(re.findall(r"\b(\w+)\(", said)) <= TOOLS.keys()
    asked = "Ask the user to run: recollect edit notes:1234567:0 --ttl DAYS"
    assert for_agents(asked) == asked


def test_a_change_of_the_configuration_of_git_is_for_the_user() -> None:
    """To trust a directory is a decision that no agent takes."""
    said = for_agents("To trust it, run: git config --global --add safe.directory PATH")

    assert said.startswith("Ask the user: ")


def test_message_and_hint_are_two_sentences(engine: Engine) -> None:
    """Also where the message ends with an id, which is followed by no full stop elsewhere."""
    said = refuse(engine, "get_memory", id="nope:1")

    assert "There is no memory nope:1. " in said
    assert "list_memories(status=all)" in said
    assert "public" in said  # it does not list the others


def _errors(kind: type[RecollectError]) -> list[type[RecollectError]]:
    return [found for sub in kind.__subclasses__() for found in (sub, *_errors(sub))]


@pytest.mark.parametrize("level", ["ALL", "unknown", "Secret ", "none"])
def test_the_sensitivity_that_is_offered_is_granted(engine: Engine, level: str) -> None:
    """What the hint names is what agents may ask for."""
    said = refuse(engine, "list_memories", sensitivity=level)

    offered = said.partition("Ask for ")[2].partition(", one")[0].split(", ")
    assert len(offered) == 3
    for one in offered:
        ask(engine, "list_memories", sensitivity=one)


@pytest.mark.parametrize("at", ["1 day", "1d", "2 hours ago", "1 week", "3 Years"])
def test_ages_may_be_written_out(engine: Engine, at: str) -> None:
    """An agent writes them as people say them."""
    ask(engine, "store_fact", subject="a", predicate="b", object="c", valid_from="2001-01-01")

    assert ask(engine, "query_facts", at=at)["total"] == 1
    assert ask(engine, "list_memories", since=at)["total"] == 1


@pytest.mark.parametrize("at", ["next tuesday", "../x", "-1d", "999999999y", "9" * 40 + "d"])
def test_what_is_no_moment_is_told_how_to_write_one(engine: Engine, at: str) -> None:
    """Not that it is no revision: that is the last thing it was meant to be."""
    said = refuse(engine, "query_facts", at=at)

    assert "revision" not in said
    assert "2026-08-23, 30d or HEAD~3" in said


def test_other_times_of_a_known_fact_are_not_dropped_in_silence(engine: Engine) -> None:
    """An earlier beginning is kept; what is not kept is told, with what to do, and that works."""
    fact: dict[str, Any] = {"subject": "api", "predicate": "version", "object": "2"}
    ask(engine, "store_fact", **fact, valid_from="2024-01-01")
    assert "note" not in ask(engine, "store_fact", **fact)
    assert "note" not in ask(engine, "store_fact", **fact, valid_from="2024-01-01")

    later = ask(engine, "store_fact", **fact, valid_from="2025-01-01", valid_until="2026-01-01")
    assert later["done"] == "known already"
    for part in ("2025-01-01", "2026-01-01", "delete_memory(id)"):
        assert part in later["note"]
    ask(engine, "delete_memory", id=later["id"])
    again = ask(engine, "store_fact", **fact, valid_from="2025-01-01", valid_until="2026-01-01")
    assert (again["done"], again["valid_until"]) == ("stored", "2026-01-01T00:00:00Z")
    assert ask(engine, "query_facts", at="2024-06-01")["total"] == 0

    earlier = ask(engine, "store_fact", **fact, valid_from="2023-01-01")
    assert (earlier["done"], earlier["valid_from"]) == ("stored", "2023-01-01T00:00:00Z")


def test_what_sleep_archived_is_restored_as_it_was(engine: Engine, repo: Path) -> None:
    """What was resolved is not open again."""
    made = ask(engine, "store_memory", kind="blockers", summary="The disk is full")
    ask(engine, "set_status", id=made["id"], status="resolved")
    with recollect.open(repo) as store:
        memory = store.get(made["id"])
        write_steps(store, [Step(memory, "archived", "old", BY_AGE, time.time())], "sleep")

    assert ask(engine, "set_status", id=made["id"], status="restored")["done"] == "resolved"

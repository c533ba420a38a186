"""All tools on one screen: their names, what agents read about them, and what they take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from recollect.app.config import data_dir
from recollect.app.failures import describe, note_failure
from recollect.app.warm import Stores
from recollect.errors import RecollectError, ValidationError
from recollect.mcp import reading, writing
from recollect.mcp.arguments import Parameters
from recollect.mcp.engine import Engine
from recollect.mcp.results import Json, Outcome, failed, succeeded


class Tool(NamedTuple):
    """A tool: what it is for, what it takes, and what it does."""

    description: str
    parameters: Parameters
    run: Callable[[Stores, Mapping[str, Any]], Json]


_PAGE = "limit:count offset:count"

TOOLS: Mapping[str, Tool] = {
    "store_memory": Tool(
        "Remember something. Also takes concepts, files_modified, importance, sensitivity, ttl…",
        Parameters("kind summary * body tags:texts", fields=True),
        writing.store_memory,
    ),
    "search_memories": Tool(
        "Memories that answer a question, best first.",
        Parameters(f"query * kind status tags:texts since until sensitivity mode session {_PAGE}"),
        reading.search_memories,
    ),
    "list_memories": Tool(
        "Memories by filter, newest first.",
        Parameters(f"* kind status tags:texts since until sensitivity session {_PAGE}"),
        reading.list_memories,
    ),
    "get_memory": Tool("One memory, whole.", Parameters("id"), reading.get_memory),
    "update_memory": Tool(
        "Change a memory; if_version is the version you read.",
        Parameters("id if_version * summary body tags:texts", fields=True),
        writing.update_memory,
    ),
    "delete_memory": Tool(
        "Retire a memory; restorable.", Parameters("id * reason"), writing.delete_memory
    ),
    "search_by_file": Tool(
        "Memories about a file.", Parameters(f"path * {_PAGE}"), reading.search_by_file
    ),
    "search_by_concept": Tool(
        "Memories of a concept: gotcha, pattern, trade-off, how-it-works…",
        Parameters(f"concept * {_PAGE}"),
        reading.search_by_concept,
    ),
    "get_timeline": Tool(
        "Memories in order of time.",
        Parameters(f"* session since until {_PAGE}"),
        reading.get_timeline,
    ),
    "set_status": Tool(
        "active, resolved, archived or retired.",
        Parameters("id status * reason"),
        writing.set_status,
    ),
    "why": Tool(
        "Why memories were kept or injected lately.",
        Parameters("* limit:count session"),
        reading.why,
    ),
}


def listing() -> list[Json]:
    """The tools as agents read them."""
    return [
        {"name": name, "description": tool.description, "input_schema": tool.parameters.schema()}
        for name, tool in TOOLS.items()
    ]


def call(engine: Engine, name: str, given: Mapping[str, Any] | None) -> Outcome:
    """Run a tool; whatever goes wrong, the agent reads what to do about it."""
    tool = TOOLS.get(name)
    try:
        if tool is None:
            raise ValidationError(f"There is no tool {name[:60]!r}.", "Use: " + ", ".join(TOOLS))
        arguments = tool.parameters.check(given)
        return succeeded(engine.with_stores(lambda stores: tool.run(stores, arguments)))
    except RecollectError as error:
        return failed(error)
    except Exception as error:
        note_failure(data_dir(engine.environment), f"mcp {name[:60]}", describe(error))
        return Outcome(
            f"Recollect failed ({type(error).__name__}); nothing is known to be lost."
            " Try again, or ask the user to run `recollect doctor`.",
            is_error=True,
        )

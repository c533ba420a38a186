"""All tools on one screen: their names, the descriptions that agents read, their arguments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from recollect.api.recollect import Recollect
from recollect.config.config import data_dir
from recollect.core.capabilities import ERASE, READ, WRITE, require
from recollect.core.named_tuple import NamedTuple
from recollect.engine.server import Engine
from recollect.errors import RecollectError, ValidationError
from recollect.mcp import facts, maintenance, reading, typed, writing
from recollect.mcp.arguments import Parameters
from recollect.mcp.results import Json, Outcome, failed, succeeded
from recollect.state.failures import describe, note_failure


class Tool(NamedTuple):
    """A tool: its description, its parameters, and the function behind it."""

    description: str
    parameters: Parameters
    run: Callable[[Recollect, Mapping[str, Any]], Json]
    # What the client must be allowed to do.
    needs: str = READ


_PAGE = "limit:count offset:count"
_FILTERS = "status tags:texts since until session observation_type sensitivity"

TOOLS: Mapping[str, Tool] = {
    "store_memory": Tool(
        "Remember something. asked_as: 5 questions it answers, in other words. Also takes"
        " tags, concepts, files_modified, importance, sensitivity, ttl",
        Parameters("kind summary * body", fields=True),
        writing.store_memory,
        WRITE,
    ),
    "search_memories": Tool(
        "Find answers, also in commits. Also takes offset, status, tags, since, until, session,"
        " observation_type, sensitivity, mode",
        Parameters(f"query * kind limit:count + all:flag offset:count mode {_FILTERS}"),
        reading.search_memories,
    ),
    "list_memories": Tool(
        "Newest first; takes the filters of search_memories",
        Parameters(f"* kind + {_PAGE} {_FILTERS}"),
        reading.list_memories,
    ),
    "get_memory": Tool(
        "Show a memory; id may be a list", Parameters("id:names + sensitivity"), reading.get_memory
    ),
    "update_memory": Tool(
        "Change fields; if_version: the version you read",
        Parameters("id if_version + summary body", fields=True),
        writing.update_memory,
        WRITE,
    ),
    "delete_memory": Tool(
        "Retire it; set_status restores it", Parameters("id + reason"), writing.delete_memory, WRITE
    ),
    "search_by_file": Tool(
        "Memories about a file", Parameters(f"path + {_PAGE}"), reading.search_by_file
    ),
    "search_by_concept": Tool(
        "gotcha, pattern, trade-off, how-it-works, why-it-exists, what-changed, problem-solution",
        Parameters(f"concept + {_PAGE}"),
        reading.search_by_concept,
    ),
    "get_timeline": Tool(
        "By time; also takes project, since, until",
        Parameters(f"* session + project since until {_PAGE}"),
        reading.get_timeline,
    ),
    "store_fact": Tool(
        "Store a fact; it closes one that it contradicts (replaces=false: keep both)."
        " Also takes confidence, source, valid_from, valid_until",
        Parameters(
            "subject predicate object"
            " + confidence:fraction source valid_from valid_until replaces:flag"
        ),
        facts.store_fact,
        WRITE,
    ),
    "query_facts": Tool(
        "Find facts by any part; at: a date; history=true: past ones; hops=2: related ones",
        Parameters(f"* subject predicate object + at history:flag hops:count {_PAGE}"),
        facts.query_facts,
    ),
    "purge_expired": Tool(
        "Erase expired ones", Parameters("+ dry_run:flag"), maintenance.purge_expired, ERASE
    ),
    "summarize_old": Tool(
        "Merge similar ones older than days",
        Parameters("* days:count + dry_run:flag"),
        maintenance.summarize_old,
        WRITE,
    ),
    "find_candidate": Tool(
        "Before write_memory: the memory that new_info is about, and what you may do to it",
        Parameters("kind new_info + lifecycle_event"),
        typed.find_candidate,
    ),
    "write_memory": Tool(
        "Create a typed memory (kind) or update one (id, if_version). document: title, tags,"
        " content, related_files, confidence, asked_as, changes",
        Parameters("document:object * kind + id if_version"),
        typed.write_memory,
        WRITE,
    ),
    "set_status": Tool(
        "active, resolved, archived, retired, restored; confirmed with user_said",
        Parameters("id status + reason user_said keep_both:flag"),
        writing.set_status,
        WRITE,
    ),
    "why": Tool(
        "Why memories were captured, injected or skipped",
        Parameters("+ limit:count session"),
        reading.why,
    ),
}


def listing(allowed: Collection[str]) -> list[Json]:
    """The tools as agents see them: those that the client may use."""
    return [
        {"name": name, "description": tool.description, "input_schema": tool.parameters.schema()}
        for name, tool in TOOLS.items()
        if tool.needs in allowed
    ]


def _run(tool: Tool, store: Recollect, arguments: Mapping[str, Any]) -> Json:
    """Run a tool; its result also says what was redacted, and what else the agent should know."""
    before = len(store.ledger.warnings)
    result = tool.run(store, arguments)
    told = result.get("warnings", ())
    new = dict.fromkeys(text for text in store.ledger.warnings[before:] if text not in told)
    return {**result, "warnings": [*told, *new]} if new else result


def call(engine: Engine, name: str, given: Mapping[str, Any] | None) -> Outcome:
    """Run a tool; if it fails, the result says what the agent can do."""
    tool = TOOLS.get(name)
    try:
        if tool is None:
            raise ValidationError(f"There is no tool {name[:60]!r}.", "Use: " + ", ".join(TOOLS))
        require(engine.allowed, tool.needs)
        arguments = tool.parameters.check(given)
        return succeeded(engine.with_stores(lambda stores: _run(tool, stores.store, arguments)))
    except RecollectError as error:
        return failed(error)
    except Exception as error:
        note_failure(data_dir(engine.environment), f"mcp {name[:60]}", describe(error))
        return Outcome(
            f"Recollect failed ({type(error).__name__}); no memory was lost as far as we know."
            " Try again, or ask the user to run `recollect doctor`.",
            is_error=True,
        )

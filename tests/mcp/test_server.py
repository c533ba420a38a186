"""The server as any MCP client sees it: the official SDK lists the tools and calls every one."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client

from recollect.core.capabilities import MCP, SURFACES
from recollect.mcp.tools import TOOLS, listing
from recollect.search.tokens import count_tokens
from tests.mcp.calls import DECISION
from tests.sandbox import Sandbox

MOST_TOKENS = 1800
MEMORY_TOOLS = {
    *("store_memory", "search_memories", "list_memories", "get_memory", "update_memory"),
    *("delete_memory", "search_by_file", "search_by_concept", "get_timeline", "store_fact"),
    *("query_facts", "purge_expired", "summarize_old"),
}


def converse(directory: Path, talk: Callable[[Client], Awaitable[None]]) -> None:
    """Start the server as a client does, talk to it, and go away."""

    async def session() -> None:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "recollect", "mcp"],
            env=dict(os.environ),
            cwd=directory,
        )
        async with Client(stdio_client(server)) as client:
            await talk(client)

    anyio.run(session)


async def ask(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that must succeed; its result."""
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text  # type: ignore[union-attr]
    assert not result.is_error, text
    said: dict[str, Any] = json.loads(text)
    return said


def test_a_client_lists_every_tool(repo: Path) -> None:
    """The tools come over the wire under their names, with the instructions of the server."""

    async def talk(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == list(TOOLS)
        assert {
            *MEMORY_TOOLS,
            "find_candidate",
            "write_memory",
            "set_status",
            "why",
        } == TOOLS.keys()
        for tool in tools:
            assert tool.description
            assert tool.input_schema["type"] == "object"

    converse(repo, talk)


def test_the_tools_take_few_tokens() -> None:
    """All that a session pays before the first call: names, descriptions, schemas."""
    tools = [
        {"name": t["name"], "description": t["description"], "inputSchema": t["input_schema"]}
        for t in listing(SURFACES[MCP])
    ]

    assert count_tokens(json.dumps(tools, separators=(",", ":"))) <= MOST_TOKENS


def test_a_client_calls_the_tools_of_memories(repo: Path, sandbox: Sandbox) -> None:
    """Store, search, read, change, retire, restore; all of it is in the ledger afterwards."""

    async def talk(client: Client) -> None:
        done = await ask(
            client,
            "store_memory",
            kind="decision",
            summary="Prices are kept in cents",
            body="Floats lost money.",
            tags=["money"],
            concepts=["gotcha"],
            files_modified=["src/cart.py"],
        )
        assert done["done"] == "stored"
        name, version = done["id"], done["version"]

        again = await ask(
            client,
            "store_memory",
            kind="decisions",
            summary="prices are kept in cents",
            body="Floats lost money.",
        )
        assert (again["done"], again["id"]) == ("known already", name)

        for tool, arguments in (
            ("search_memories", {"query": "how are prices kept?"}),
            ("list_memories", {"kind": "decisions", "tags": ["money"]}),
            ("search_by_file", {"path": str(repo / "src" / "cart.py")}),
            ("search_by_concept", {"concept": "gotcha"}),
            ("get_timeline", {}),
        ):
            found = await ask(client, tool, **arguments)
            assert [line["id"] for line in found["memories"]] == [name], tool
            assert found["memories"][0]["version"] == version
            assert found["next"]

        whole = await ask(client, "get_memory", id=name)
        assert whole["body"] == "Floats lost money."

        stale = await client.call_tool(
            "update_memory", {"id": name, "if_version": "old", "body": "No."}
        )
        assert stale.is_error
        changed = await ask(client, "update_memory", id=name, if_version=version, body="Yes.")
        assert changed["version"] != version

        assert (await ask(client, "delete_memory", id=name, reason="wrong"))["done"] == "retired"
        assert (await ask(client, "list_memories"))["memories"] == []
        assert (await ask(client, "set_status", id=name, status="active"))["done"] == "active"
        assert "events" in await ask(client, "why")

    converse(repo, talk)

    (memory,) = sandbox.open(repo).memories()
    assert (memory.summary, memory.body) == ("Prices are kept in cents", "Yes.")
    assert memory.provenance == {"said_by": "agent", "via": "mcp"}


def test_a_client_calls_the_tools_of_facts(repo: Path) -> None:
    """A newer fact closes the older one; two hops follow what was found."""

    async def talk(client: Client) -> None:
        await ask(client, "store_fact", subject="shop", predicate="uses", object="Postgres")
        await ask(client, "store_fact", subject="Postgres", predicate="version", object="15")
        newer = await ask(
            client, "store_fact", subject="postgres", predicate="Version", object="16"
        )
        assert [fact["object"] for fact in newer["closed"]] == ["15"]

        found = await ask(client, "query_facts", subject="shop", hops=2)
        assert [(f["object"], f.get("hop", 1)) for f in found["facts"]] == [
            ("Postgres", 1),
            ("16", 2),
        ]

    converse(repo, talk)


def test_a_person_picks_memories_and_prompts(repo: Path, sandbox: Sandbox) -> None:
    """Resources are memories; the prompt brings what is remembered; nonsense is refused."""
    store = sandbox.open(repo)
    store.capture("decisions", "Prices are kept in cents", "Floats lost money.")
    store.capture("notes", "The vault is under the stairs", sensitivity="private")
    store.close()

    async def talk(client: Client) -> None:
        (only,) = (await client.list_resources()).resources
        assert only.name == "Prices are kept in cents"
        (read,) = (await client.read_resource(str(only.uri))).contents
        assert "Floats lost money." in read.text  # type: ignore[union-attr]
        assert (await client.list_resource_templates()).resource_templates
        (prompt,) = (await client.list_prompts()).prompts
        said = await client.get_prompt(prompt.name, {"topic": "How are prices kept?"})
        assert "Prices are kept in cents" in said.messages[0].content.text  # type: ignore[union-attr]
        for uri in ("recollect://memory/nonsense", "file:///etc/passwd"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
        with pytest.raises(MCPError):
            await client.get_prompt("nonsense", {})

    converse(repo, talk)


def test_a_client_calls_the_tools_of_upkeep(repo: Path, sandbox: Sandbox) -> None:
    """What has expired is erased; what is old and alike is merged."""
    pytest.importorskip("recollect.sleep.purge")
    store = sandbox.open(repo)
    store.capture("notes", "Only for a day", ttl=1, created="2020-01-01T00:00:00Z")
    store.close()

    async def talk(client: Client) -> None:
        trial = await ask(client, "purge_expired", dry_run=True)
        assert [line["summary"] for line in trial["would_purge"]] == ["Only for a day"]
        assert len((await ask(client, "purge_expired"))["purged"]) == 1
        assert (await ask(client, "summarize_old", days=7))["merged"] == []

    converse(repo, talk)

    assert sandbox.open(repo).memories(status="all") == []


def test_a_client_calls_the_tools_of_typed_memories(repo: Path, sandbox: Sandbox) -> None:
    """The candidate is found, the document becomes a memory, and an update needs its version."""

    async def talk(client: Client) -> None:
        found = await ask(client, "find_candidate", kind="decisions", new_info="PostgreSQL it is")
        assert found["next"]
        made = await ask(client, "write_memory", kind="decisions", document=DECISION)
        assert made["status"] == "created"
        known = await ask(
            client, "find_candidate", kind="decisions", new_info="Use PostgreSQL database"
        )
        assert made["id"] in json.dumps(known)
        changed = {**DECISION, "tags": ["database", "workers"], "changes": [{"summary": "a tag"}]}
        refused = await client.call_tool("write_memory", {"id": made["id"], "document": changed})
        assert refused.is_error
        done = await ask(
            client, "write_memory", id=made["id"], if_version=made["version"], document=changed
        )
        assert done["status"] == "updated"

    converse(repo, talk)

    (memory,) = sandbox.open(repo).memories()
    assert set(memory.tags) == {"database", "workers"}


def test_an_agent_neither_erases_nor_learns_of_what_is_private(
    repo: Path, sandbox: Sandbox
) -> None:
    """A known memory gets no new end; a private one is not shown, and not touched by its id."""
    store = sandbox.open(repo)
    old = store.capture("decisions", "Use PostgreSQL", created="2020-01-01T00:00:00Z")
    private = store.capture("notes", "Salaries are high", sensitivity="private")
    gone: dict[str, Any] = {"sensitivity": "secret", "ttl": 1, "created": "2020-01-01T00:00:00Z"}
    store.capture("notes", "A secret giraffe", **gone)

    async def talk(client: Client) -> None:
        changed = {"id": old.id, "if_version": old.version, "ttl": 1}
        assert (await client.call_tool("update_memory", changed)).is_error
        trial = await ask(client, "purge_expired", dry_run=True)
        assert "giraffe" not in json.dumps(trial)
        assert len(trial["would_purge"]) == 1
        assert (await client.call_tool("delete_memory", {"id": private.id})).is_error
        said = await ask(client, "store_memory", kind="notes", summary="Salaries are high")
        assert said["done"] == "stored"
        done = await ask(client, "delete_memory", id=private.uid)
        assert "summary" not in done

    converse(repo, talk)
    assert store.get(old.id).ttl is None

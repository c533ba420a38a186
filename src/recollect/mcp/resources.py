"""What people, not models, pick from a menu: memories to attach, and a prompt that recalls.

Clients show resources where a person mentions something, and prompts as commands. They are no part
of what a session pays for the tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.core.age import age
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.engine.server import Engine
from recollect.engine.stores import Stores
from recollect.errors import NotFound, ValidationError
from recollect.mcp.reading import find, search_memories
from recollect.search.rendering import render_block, render_memory
from recollect.search.sanitise import quoted

PREFIX = "recollect://memory/"
_MOST = 20
_PROMPT = "recall"
_TOPIC = "topic"


def list_resources(engine: Engine) -> list[dict[str, Any]]:
    """The newest memories, each as something to mention."""

    def newest(stores: Stores) -> list[Memory]:
        return stores.store.newest(_MOST, sensitivity="public")

    return [
        {
            "uri": PREFIX + short(memory.id),
            "name": quoted(memory.summary),
            "description": memory.kind,
            "mime_type": "text/markdown",
        }
        for memory in engine.with_stores(newest)
    ]


def read_resource(engine: Engine, uri: str) -> str:
    """A memory as text."""

    def read(stores: Stores) -> str:
        if not uri.startswith(PREFIX):
            raise NotFound(f"There is no resource {uri[:100]}", f"Resources begin with {PREFIX}")
        store, memory = find(stores, uri.removeprefix(PREFIX))
        store.used([memory])
        return quoted("\n\n".join(filter(None, (f"# {memory.summary}", memory.text))))

    return engine.with_stores(read)


def list_prompts() -> list[dict[str, Any]]:
    """What a person may ask for."""
    topic = {"name": _TOPIC, "description": "what it is about", "required": True}
    return [
        {
            "name": _PROMPT,
            "description": "Bring what is remembered about a topic into the conversation",
            "arguments": [topic],
        }
    ]


def get_prompt(engine: Engine, name: str, given: Mapping[str, str] | None) -> str:
    """What is said for a person who asked."""
    topic = (given or {}).get(_TOPIC, "").strip()
    if name != _PROMPT or not topic:
        raise ValidationError(
            f"There is no prompt {name[:60]!r} without a {_TOPIC}.", f"Use {_PROMPT} with {_TOPIC}."
        )

    def recall(stores: Stores) -> str:
        lines = search_memories(stores, {"query": topic, "limit": 5})["memories"]
        now = stores.store.ledger.clock().timestamp()
        found = [find(stores, line["id"])[1] for line in lines]
        if not found:
            return f"Nothing is remembered about {quoted(topic)}."
        shown = [render_memory(m, age(m.created, now), "", brief=False) for m in found]
        return f"What is remembered about {quoted(topic)}:\n{render_block(shown)}"

    return engine.with_stores(recall)

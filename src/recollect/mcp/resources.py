"""What people, not models, pick from a menu: memories to attach, and the prompt `recall`.

Clients offer resources where a person types a mention, and prompts as commands. They add nothing
to the tokens that a session pays for the tools.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.api.agent_text import memory_block, quoted
from recollect.core.capabilities import READ, require
from recollect.core.names import short
from recollect.engine.server import Engine
from recollect.engine.stores import Stores
from recollect.errors import NotFound, ValidationError
from recollect.mcp.reading import find, read, search_memories

PREFIX = "recollect://memory/"
_MOST = 20
_PROMPT = "recall"
_TOPIC = "topic"


def list_resources(engine: Engine) -> list[dict[str, Any]]:
    """The newest public memories of the project, as resources."""
    require(engine.allowed, READ)
    return [
        {
            "uri": PREFIX + short(memory.id),
            "name": quoted(memory.summary),
            "description": memory.kind,
            "mime_type": "text/markdown",
        }
        for memory in engine.with_stores(
            lambda stores: stores.store.newest(_MOST, sensitivity="public", expired=False)
        )
    ]


def read_resource(engine: Engine, uri: str) -> str:
    """The text of a memory."""
    require(engine.allowed, READ)

    def text(stores: Stores) -> str:
        if not uri.startswith(PREFIX):
            raise NotFound(f"There is no resource {uri[:100]}", f"Resources begin with {PREFIX}")
        owner, memory = read(stores.store, uri.removeprefix(PREFIX))
        owner.used([memory])
        return quoted("\n\n".join(filter(None, (f"# {memory.summary}", memory.text))))

    return engine.with_stores(text)


def list_prompts() -> list[dict[str, Any]]:
    """The prompts that a person can pick."""
    topic = {"name": _TOPIC, "description": "what it is about", "required": True}
    return [
        {
            "name": _PROMPT,
            "description": "Bring what is remembered about a topic into the conversation",
            "arguments": [topic],
        }
    ]


def get_prompt(engine: Engine, name: str, given: Mapping[str, str] | None) -> str:
    """The text of a prompt that a person picked."""
    require(engine.allowed, READ)
    topic = (given or {}).get(_TOPIC, "").strip()
    if name != _PROMPT or not topic:
        raise ValidationError(
            f"There is no prompt {name[:60]!r} without a {_TOPIC}.", f"Use {_PROMPT} with {_TOPIC}."
        )

    def recall(stores: Stores) -> str:
        lines = search_memories(stores.store, {"query": topic, "limit": 5})["memories"]
        now = stores.store.now()
        found = [find(stores.store, line["id"])[1] for line in lines]
        if not found:
            return f"Nothing is remembered about {quoted(topic)}."
        return f"What is remembered about {quoted(topic)}:\n{memory_block(found, now)}"

    return engine.with_stores(recall)

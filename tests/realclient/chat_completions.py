"""What the model says, in the form of the Chat Completions API: as much of it as is needed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

Json = dict[str, Any]


def is_chat(path: str) -> bool:
    """Whether a request is in this form."""
    return path.partition("?")[0].endswith("/chat/completions")


def chunks(blocks: Sequence[Json]) -> Iterator[Json]:
    """The parts of one streamed answer. Its blocks are those of a message."""
    uses = [block for block in blocks if block["type"] == "tool_use"]
    said = "".join(block["text"] for block in blocks if block["type"] == "text")
    calls = [
        {
            "index": index,
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
        }
        for index, block in enumerate(uses)
    ]
    delta = {"role": "assistant", "content": said} | ({"tool_calls": calls} if calls else {})
    yield _chunk(delta, None)
    yield _chunk({}, "tool_calls" if calls else "stop")


def _chunk(delta: Json, finish: str | None) -> Json:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1}
    return {**head, "model": "scripted", "choices": [choice]}


def tool_results(body: Json) -> list[str]:
    """What the tools said, as the model got it with a request."""
    return [str(said["content"]) for said in body["messages"] if said["role"] == "tool"]


def tools_of(body: Json) -> set[str]:
    """The tools that a request offers to the model."""
    return {tool["function"]["name"] for tool in body["tools"]}

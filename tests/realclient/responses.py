"""What the model says, in the form of the Responses API: as much of it as Codex needs."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

Json = dict[str, Any]
_USAGE = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}


def response_events(blocks: Sequence[Json]) -> Iterator[Json]:
    """The events of one response. Its blocks are those of a message."""
    response = {"id": f"resp_{uuid.uuid4().hex[:24]}"}
    yield {"type": "response.created", "response": response}
    for block in blocks:
        yield {"type": "response.output_item.done", "item": _item(block)}
    details = {"input_tokens_details": None, "output_tokens_details": None}
    yield {"type": "response.completed", "response": {**response, "usage": _USAGE | details}}


def _item(block: Json) -> Json:
    """A tool is named `namespace/name`: Codex groups the tools of a server under one name.

    A tool without a namespace is Codex's own; one whose only argument is `input` takes plain text.
    """
    if block["type"] == "text":
        said = {"type": "output_text", "text": block["text"]}
        return {"type": "message", "role": "assistant", "content": [said]}
    namespace, _, name = block["name"].rpartition("/")
    call = {"call_id": block["id"], "name": name}
    if block["input"].keys() == {"input"}:
        return {"type": "custom_tool_call", **call, "input": block["input"]["input"]}
    call |= {"type": "function_call", "arguments": json.dumps(block["input"])}
    return {**call, "namespace": namespace} if namespace else call


def tool_results(body: Json) -> list[str]:
    """What the tools said, as the model got it with a request."""
    return [
        "\n".join(part["text"] for part in item["output"])
        if isinstance(item["output"], list)
        else item["output"]
        for item in body["input"]
        if item["type"] == "function_call_output"
    ]


def tools_of(body: Json) -> dict[str, set[str]]:
    """The tools that a request offers to the model, by their namespace."""
    return {
        tool["name"]: {inner["name"] for inner in tool["tools"]}
        for tool in body["tools"]
        if tool["type"] == "namespace"
    }

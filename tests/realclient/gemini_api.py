"""What the model says, in the form of the Gemini API: as much of it as is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]


def is_gemini(path: str) -> bool:
    """Whether a request is in this form."""
    return path.partition("?")[0].endswith(("enerateContent",))


def content(blocks: Sequence[Json]) -> Json:
    """One answer. Its blocks are those of a message."""
    parts = [
        {"text": block["text"]}
        if block["type"] == "text"
        else {"functionCall": {"name": block["name"], "args": block["input"]}}
        for block in blocks
    ]
    said = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    return {"candidates": [said], "usageMetadata": usage, "modelVersion": "scripted"}


def declared(body: Json) -> set[str]:
    """The tools that a request offers to the model; none if it is in another form."""
    return {
        function["name"]
        for tool in body.get("tools", [])
        for function in tool.get("functionDeclarations", ())
    }

"""What a client asks first is answered before the SDK is imported, and as the SDK answers it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from recollect.mcp.greeting import answers
from scripts.record_greeting import asked_of_the_sdk, converse, opening

VERSIONS = (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_client_gets_the_answers_of_the_sdk(version: str, repo: Path) -> None:
    """If it fails, run: python -m scripts.record_greeting."""
    messages = opening(version)
    given = converse(messages, repo)
    sdk = converse(asked_of_the_sdk(version), repo)

    for message in messages:
        if "id" in message:
            recorded = answers()[message["method"]][version]
            assert given[message["id"]] == recorded == sdk[message["id"]]


@pytest.mark.parametrize("version", [HANDSHAKE_PROTOCOL_VERSIONS[-1], *MODERN_PROTOCOL_VERSIONS])
def test_a_call_after_the_greeting_is_answered_once(version: str, repo: Path) -> None:
    """The SDK gets all messages, and nothing is answered twice, not even under the same id."""
    messages = opening(version)
    meta = messages[0]["params"].get("_meta", {})
    call = {"name": "list_memories", "arguments": {}, **({"_meta": meta} if meta else {})}
    asked: dict[str, Any] = {"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": call}
    again = {**messages[-1], "id": "again"}

    said = converse([*messages, asked, again], repo)

    assert said["call"]["content"][0]["type"] == "text"
    assert said["again"] == said[messages[-1]["id"]]


@pytest.mark.parametrize(
    "line",
    [
        *("", "{", "[]", "null", "\ufeff{}", "\0"),
        '{"jsonrpc": "2.0", "id": 1}',
        '{"jsonrpc": "2.0", "method": 7}',
        '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 7}}',
        '{"jsonrpc": "2.0", "id": [], "method": "initialize", "params": []}',
    ],
)
def test_what_no_client_should_send_is_for_the_sdk(line: str, repo: Path) -> None:
    """It ends with its input, and nothing goes to standard error but what the SDK logs."""
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "mcp"],
        input=f"{line}\n".encode(),
        cwd=repo,
        capture_output=True,
        timeout=120,
    )

    assert done.returncode == 0
    assert b"greeting.py" not in done.stderr


def test_connecting_and_listing_needs_no_sdk(repo: Path) -> None:
    """A client that only lists the tools gets its answers without the import."""
    code = (
        "import sys\n"
        "from recollect.mcp.greeting import Greeting\n"
        "greeting = Greeting()\n"
        "greeting.start()\n"
        "greeting.is_over.wait()\n"
        "assert greeting.has_ended and greeting.has_listed.is_set()\n"
        "assert not {'mcp', 'anyio', 'pydantic', 'click', 'recollect.engine'} & set(sys.modules)\n"
    )
    given = "".join(json.dumps(message) + "\n" for message in opening("2025-06-18"))
    done = subprocess.run(
        [sys.executable, "-c", code], input=given.encode(), cwd=repo, capture_output=True
    )

    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3

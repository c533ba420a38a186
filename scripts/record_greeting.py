"""Records what the SDK answers to a client that connects, for `src/recollect/mcp/greeting.py`.

python -m scripts.record_greeting

Run it after a change of the tools, the prompts or the instructions, and with every new version of
the SDK. `tests/mcp/test_greeting.py` fails if the file is not what the SDK answers.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from recollect.mcp.greeting import VERSION
from recollect.version import __version__

FILE = Path(__file__).parents[1] / "src" / "recollect" / "mcp" / "greeting.json"
LISTS = ("tools/list", "prompts/list")
_CLIENT = {"name": "recorder", "version": "1"}
# Only the SDK answers it, and what follows.
FOR_THE_SDK = {"jsonrpc": "2.0", "id": "first", "method": "ping"}


def opening(version: str) -> list[dict[str, Any]]:
    """The messages of a client that connects and lists what there is."""
    if version in MODERN_PROTOCOL_VERSIONS:
        meta = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": _CLIENT,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        methods = ("server/discover", *LISTS)
        return [_request(at, name, {"_meta": meta}) for at, name in enumerate(methods)]
    given = {"protocolVersion": version, "capabilities": {}, "clientInfo": _CLIENT}
    return [
        _request(0, "initialize", given),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *(_request(at, name) for at, name in enumerate(LISTS, 1)),
    ]


def _request(number: int, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    request = {"jsonrpc": "2.0", "id": number, "method": method}
    return request if params is None else {**request, "params": params}


def converse(messages: Sequence[dict[str, Any]], directory: Path) -> dict[Any, Any]:
    """The answers of `recollect mcp` by the id of the message."""
    wanted = {message["id"] for message in messages if "id" in message}
    with subprocess.Popen(
        [sys.executable, "-m", "recollect", "mcp"],
        cwd=directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(json.dumps(message) + "\n" for message in messages))
        server.stdin.flush()
        said: dict[Any, Any] = {}
        while wanted - said.keys():
            answer = json.loads(server.stdout.readline())
            said[answer["id"]] = answer.get("result", answer.get("error"))
        server.stdin.close()
    return said


def asked_of_the_sdk(version: str) -> list[dict[str, Any]]:
    """The same messages in an order that no greeting answers."""
    messages = opening(version)
    if version in MODERN_PROTOCOL_VERSIONS:
        return [messages[1], messages[0], *messages[2:]]
    return [FOR_THE_SDK, *messages]


def record(directory: Path) -> dict[str, list[dict[str, Any]]]:
    """The SDK's answers by method, each with the versions of the protocol that it is for."""
    found: dict[str, list[dict[str, Any]]] = {}
    for version in (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS):
        said = converse(asked_of_the_sdk(version), directory)
        for message in opening(version):
            if "id" in message:
                results = found.setdefault(message["method"], [])
                result = said[message["id"]]
                known = next((one for one in results if one["result"] == result), None)
                if known is None:
                    results.append({"versions": [version], "result": result})
                else:
                    known["versions"].append(version)
    return found


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as folder:
        text = json.dumps(record(Path(folder)), indent=1, ensure_ascii=False)
    FILE.write_text(text.replace(f'"{__version__}"', f'"{VERSION}"') + "\n", "utf-8")


if __name__ == "__main__":
    main()

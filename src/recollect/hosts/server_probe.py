"""Greets an MCP server as an agent does, to see whether it answers."""

from __future__ import annotations

import json
import select
import subprocess
from pathlib import Path

_SECONDS, _PATIENCE = 20.0, 5.0
_GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "recollect doctor", "version": "1"},
    },
}


def server_problem(command: list[str], directory: Path) -> str:
    """Start a server, greet it and end it; return what is wrong, or nothing."""
    try:
        server = subprocess.Popen(
            command,
            cwd=directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        return str(error)
    assert server.stdin is not None
    assert server.stdout is not None
    with server:
        try:
            server.stdin.write(json.dumps(_GREETING).encode() + b"\n")
            server.stdin.flush()
            if not select.select([server.stdout], [], [], _SECONDS)[0]:
                return f"nothing came within {_SECONDS:.0f} seconds"
            answer = json.loads(server.stdout.readline() or b"null")
        except (OSError, ValueError) as error:
            return str(error)
        finally:
            _end(server)
    is_right = isinstance(answer, dict) and "serverInfo" in (answer.get("result") or {})
    return "" if is_right else "its answer is not one of an MCP server"


def _end(server: subprocess.Popen[bytes]) -> None:
    """Let a server end as agents do, and make sure that it does."""
    assert server.stdin is not None
    try:
        server.stdin.close()
        server.wait(_PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        server.kill()

"""Any message to the MCP server: tools answer, and the server stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from recollect.config.config import data_dir
from recollect.engine.server import Engine
from recollect.mcp.tools import TOOLS, call
from recollect.state.failures import recent_failures
from tests.fuzz.fuzzing import mutate_json, run

ARGUMENTS: dict[str, Any] = {
    "query": "order import", "kind": "notes", "summary": "Ship on Tuesdays", "body": "Why not.",
    "id": "decisions:0000000:0", "limit": 5, "offset": 0, "tags": ["a"], "since": "30d",
    "subject": "cart", "predicate": "rounds", "object": "up", "status": "archived",
    "file": "src/cart.py", "path": "src/cart.py", "concept": "gotcha", "confidence": 0.5,
    "mode": "text", "as_of": "2026-01-01", "session": "s", "dry_run": True, "days": 30,
    "new_info": "PostgreSQL", "document": {"title": "Use PostgreSQL", "tags": ["db"], "content": {
        "status": "accepted", "context": "c", "decision": "d", "rationale": ["r"]}},
}  # fmt: skip
MORE = (
    "decisions",
    "notes:0000000:0",
    "HEAD",
    "all",
    "30d",
    "9999-12-31T23:59:59-23:59",
    "private",
)


def inputs() -> list[bytes]:
    """A plausible call of each tool."""
    calls = []
    for name, tool in TOOLS.items():
        given = {key: value for key, value in ARGUMENTS.items() if key in tool.parameters.types}
        calls.append(json.dumps({"name": name, "arguments": given}).encode())
    return calls


def test_any_arguments_of_a_tool(repo: Path) -> None:
    """A result or an error that says what to do, and no failure that nobody expected."""
    engine = Engine(repo, dict(os.environ))

    def check(data: bytes) -> None:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return
        if not isinstance(value, dict) or not isinstance(value.get("name"), str):
            return
        arguments = value.get("arguments")
        outcome = call(engine, value["name"], arguments if isinstance(arguments, dict) else None)
        assert outcome.text
        assert "Recollect failed" not in outcome.text, recent_failures(data_dir(os.environ), 0)

    try:
        run(
            "tools",
            inputs(),
            check,
            examples=200,
            mutate=lambda dice, data: mutate_json(dice, data, MORE),
        )
    finally:
        engine.stop()


def test_any_line_to_the_server(repo: Path) -> None:
    """It answers the next request, whatever came before, with JSON on every line."""
    hello = {
        "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "fuzz", "version": "1"}},
    }  # fmt: skip
    calls = [
        json.dumps({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": json.loads(call)})
        for n, call in enumerate(inputs(), 1)
    ]
    calls += [
        json.dumps({"jsonrpc": "2.0", "id": 90 + n, "method": method, "params": {}})
        for n, method in enumerate(("tools/list", "resources/list", "prompts/get", "ping", "x"))
    ]
    server = subprocess.Popen(
        [sys.executable, "-m", "recollect", "mcp"],
        cwd=repo,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    stdin, stdout = server.stdin, server.stdout
    number = 1_000_000

    def answered(line: bytes) -> None:
        nonlocal number
        number += 1
        ping = json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode()
        stdin.write(line.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n" + ping + b"\n")
        stdin.flush()
        while True:
            said = stdout.readline()
            assert said, "the server has gone"
            if json.loads(said).get("id") == number:
                return

    try:
        answered(json.dumps(hello).encode())
        stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        run("messages", [c.encode() for c in calls], answered, examples=120, mutate=mutate_json)
    finally:
        stdin.close()
        server.wait()
        stdout.close()
        assert server.stderr is not None
        with server.stderr as stderr:
            complaint = stderr.read()
    assert b"Traceback" not in complaint

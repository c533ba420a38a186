"""Writes the stores beside this module again, with the programs themselves.

    python -m tests.importing.rivals.make /tmp/rivals

Installs the programs from PyPI and npm into the folder, unless they are there, and lets each of
them write two or three memories. It needs the network, npm, Python 3.12, and some gigabytes. Models
are replaced by random vectors, so nothing is asked of a service. `make test` does not run it.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.importing import rivals
from tests.importing.rivals import drivers

NOTE = """# Use PostgreSQL for persistence

Two workers write at once.

## Observations
- [decision] Use PostgreSQL 16 #database (after the outage)
- [constraint] Amounts are integers in cents #money

## Relations
- relates_to [[Billing service]]
"""


def run(*words: str | Path, home: Path | None = None, **more: Any) -> str:
    """Run a program, with its own home; return what it prints."""
    environment = {**os.environ, **({"HOME": str(home)} if home else {}), **more}
    done = subprocess.run(
        [str(word) for word in words], env=environment, capture_output=True, text=True, timeout=900
    )
    if done.returncode:
        raise SystemExit(f"{words[0]} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return done.stdout


def install(base: Path) -> None:
    """Install what is not there."""
    packages = {"mem0ai": rivals.MEM0, "mempalace": rivals.MEMPALACE}
    packages["basic-memory"] = rivals.BASIC_MEMORY
    for package, version in packages.items():
        venv = base / f"{package}-venv"
        if not venv.exists():
            run("python3.12", "-m", "venv", venv)
            run(venv / "bin" / "pip", "install", f"{package}=={version}")
    node = {
        "mcpmem": f"@modelcontextprotocol/server-memory@{rivals.SERVER_MEMORY}",
        "agentmem": f"@agentmemory/agentmemory@{rivals.AGENTMEMORY}",
        "bun": "bun",
    }
    for folder, package in node.items():
        if not (base / folder / "node_modules").exists():
            (base / folder).mkdir(parents=True, exist_ok=True)
            run("npm", "install", "--prefix", base / folder, package)
    for version in rivals.CLAUDE_MEM:  # its dependencies are bundled
        place = base / f"claude-mem-{version}"
        if not place.exists():
            place.mkdir(parents=True)
            run("npm", "pack", "--pack-destination", place, f"claude-mem@{version}")
            run("tar", "xzf", place / f"claude-mem-{version}.tgz", "-C", place)


def packed(source: Path, name: str) -> None:
    """Store a database as one compressed file, with what is in its WAL."""
    copy = source.with_name("packed.db")
    copy.unlink(missing_ok=True)
    with sqlite3.connect(source) as db:
        db.execute("VACUUM INTO ?", (str(copy),))
    (rivals.FOLDER / name).write_bytes(gzip.compress(copy.read_bytes(), mtime=0))


def claude_mem(base: Path, home: Path, version: str, port: int) -> None:
    """Let the worker save by its own API."""
    data = home / "data"
    data.mkdir(parents=True)
    off = {"CLAUDE_MEM_CHROMA_ENABLED": "false", "CLAUDE_MEM_WORKER_PORT": str(port)}
    (data / "settings.json").write_text(json.dumps(off))
    bun = base / "bun" / "node_modules" / ".bin"
    worker = base / f"claude-mem-{version}" / "package" / "plugin" / "scripts"
    process = subprocess.Popen(
        [bun / "bun", worker / "worker-service.cjs", "--daemon"],
        env={
            **os.environ,
            **off,
            "HOME": str(home),
            "CLAUDE_MEM_DATA_DIR": str(data),
            "PATH": f"{bun}:{os.environ['PATH']}",
        },
        cwd=home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(60):
            time.sleep(0.5)
            try:
                ask(port, "/api/memory/save", drivers.SAVED)
                break
            except OSError:
                continue
        ask(port, "/api/import", drivers.OBSERVED)
    finally:
        process.terminate()
        process.wait(20)
    packed(data / "claude-mem.db", f"claude-mem-{version}.db.gz")


def agentmemory(base: Path, home: Path, port: int) -> None:
    """Let the full server save by its own API; what it exports.

    Its engine is a program of its own that no registry has, so `engine.mjs` stands in for it, and
    for its model. Everything that the server keeps and exports, it makes by itself.
    """
    home.mkdir(parents=True)
    modules = base / "agentmem" / "node_modules"
    socket = str(port + 1)
    engine = Path(__file__).parent / "engine.mjs"
    variables = {
        **os.environ,
        "HOME": str(home),
        "III_ENGINE_URL": f"ws://127.0.0.1:{socket}",
        "III_REST_PORT": str(port),
        "III_STREAM_PORT": str(port + 2),
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": f"http://127.0.0.1:{port}",
    }
    server = modules / "@agentmemory" / "agentmemory" / "dist" / "index.mjs"
    started = [
        subprocess.Popen(
            ["node", *map(str, words)],
            env=variables,
            cwd=home,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for words in ([engine, socket, port, modules, drivers.SUMMARY], [server])
    ]
    try:
        for _ in range(60):
            time.sleep(0.5)
            with suppress(OSError):
                if ask(port, "/agentmemory/livez"):
                    break
        lessons = {}
        for path, body in drivers.TOLD:
            told = ask(port, f"/agentmemory/{path}", body)
            lesson = told.get("lesson", {})
            lessons[lesson.get("content")] = lesson.get("id")
        ask(port, "/agentmemory/lessons/delete", {"lessonId": lessons[drivers.DELETED]})
        found = ask(port, "/agentmemory/export")
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(20)
    name = f"agentmemory-{rivals.AGENTMEMORY}-export.json"
    (rivals.FOLDER / name).write_text(json.dumps(found, indent=1) + "\n")


def ask(port: int, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Ask a server; send JSON if there is any. It may complain after it has stored a memory."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}",
        None if body is None else json.dumps(body).encode(),
        {"content-type": "application/json"},
    )
    try:
        answer = urllib.request.urlopen(request, timeout=20).read()
    except urllib.error.HTTPError as error:
        sys.stderr.write(f"{path} is answered with {error.code}\n")
        return {}
    said = json.loads(answer)
    return said if isinstance(said, dict) else {}


def main(base: Path) -> None:
    """Write every store."""
    install(base)
    work = base / "made"
    shutil.rmtree(work, ignore_errors=True)
    for number, version in enumerate(rivals.CLAUDE_MEM):
        claude_mem(base, work / f"claude-mem-{version}", version, 37_811 + number)

    script = work / "talk.mjs"
    script.write_text(drivers.TALK)
    graph = rivals.FOLDER / f"server-memory-{rivals.SERVER_MEMORY}.jsonl"
    graph.unlink(missing_ok=True)
    server = base / "mcpmem/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
    run("node", script, server, json.dumps(drivers.GRAPH), MEMORY_FILE_PATH=str(graph))
    store = rivals.FOLDER / f"agentmemory-{rivals.AGENTMEMORY}.json"
    store.unlink(missing_ok=True)
    server = base / "agentmem/node_modules/@agentmemory/agentmemory/dist/standalone.mjs"
    run("node", script, server, json.dumps(drivers.KEPT), STANDALONE_PERSIST_PATH=str(store))
    agentmemory(base, work / "agentmemory", 37_820)

    home = work / "basic-memory"
    (home / "shop").mkdir(parents=True)
    program = base / "basic-memory-venv" / "bin" / "basic-memory"
    run(program, "project", "add", "shop", home / "shop", "--default", home=home)
    words = ("--project", "shop", "--title", "Use PostgreSQL for persistence", "--folder")
    more = ("decisions", "--content", NOTE, "--tags", "database")
    run(program, "tool", "write-note", *words, *more, home=home)
    notes = rivals.FOLDER / f"basic-memory-{rivals.BASIC_MEMORY}"
    shutil.rmtree(notes, ignore_errors=True)
    shutil.copytree(home / "shop", notes)

    home = work / "mem0"
    home.mkdir()
    (home / "run.py").write_text(drivers.MEM0)
    run(base / "mem0ai-venv" / "bin" / "python", home / "run.py", home, home=home)
    packed(home / "history.db", f"mem0-{rivals.MEM0}-history.db.gz")
    shutil.copy(home / "export.json", rivals.FOLDER / f"mem0-{rivals.MEM0}-export.json")

    home = work / "mempalace"
    (home / "shop").mkdir(parents=True)
    (home / "shop" / "decisions.md").write_text("# Decisions\n\n" + "Use PostgreSQL. " * 20)
    (home / "run.py").write_text(drivers.MEMPALACE)
    run(base / "mempalace-venv" / "bin" / "python", home / "run.py", home, home=home)
    packed(home / "palace" / "chroma.sqlite3", f"mempalace-{rivals.MEMPALACE}.sqlite3.gz")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Hosts: one folder each, and nothing about any of them anywhere else."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.hosts import environment, registry
from recollect.hosts.claude_code.events import _ACTIONS
from tests.sandbox import Sandbox

SOURCE = Path(registry.__file__).parents[1]
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("package", registry.HOSTS)
def test_what_hosts_set_is_known_to_hooks(package: str) -> None:
    """What the code that has no time to load a host knows is what the hosts say."""
    host = registry.host(package)

    assert host.PROJECT_VARIABLE in environment.PROJECT_VARIABLES
    assert set(host.VARIABLES) <= set(environment.PREFIXES)


def test_the_project_is_in_any_of_the_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host may have its own variable; an empty one does not count."""
    first = environment.PROJECT_VARIABLES[0]
    monkeypatch.setattr(environment, "PROJECT_VARIABLES", (first, "ACME_PROJECT"))

    assert environment.project_in({"ACME_PROJECT": "/acme", first: ""}) == "/acme"
    assert environment.project_in({"ACME_PROJECT": "/acme", first: "/first"}) == "/first"
    assert environment.project_in({}) == ""


@pytest.mark.parametrize("package", registry.HOSTS)
def test_the_tested_version_is_documented(package: str) -> None:
    """The page about agents names each host, and the version that the tests drive."""
    host = registry.host(package)
    page = (ROOT / "docs" / "hosts.md").read_text("utf-8")

    (row,) = [line for line in page.splitlines() if f"| `{host.NAME}` |" in line]
    assert host.TITLE in row
    assert host.TESTED in row


def test_every_folder_is_registered() -> None:
    """A folder that nobody names would never be used."""
    folders = {path.parent.name for path in (SOURCE / "hosts").glob("*/__init__.py")}

    assert folders == set(registry.HOSTS)


def test_no_host_outside_its_package() -> None:
    """Only `hosts` knows one: everything else asks the registry."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        inside = path.relative_to(SOURCE).parts[0] == "hosts"
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and not inside:
                names = {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
                hosts = [f"recollect.hosts.{package}" for package in registry.HOSTS]
                if any(name.startswith(host) for name in names for host in hosts):
                    found.add(f"{path.relative_to(SOURCE)}: {node.module}")

    assert not found


# Literals outside `hosts` that name an agent for another reason than to serve it.
ALLOWED = {
    ("capture/tool_learning.py", "apply_patch"): "a pattern for errors of agents' tools",
    ("importing/document_folder.py", "cursor"): "a folder to leave out",
    ("index/applying.py", "cursor"): "how far the index has read",
    ("index/postgres/migrations.py", "cursor"): "a table of the index",
    ("index/table_index.py", "cursor"): "how far the index has read",
    ("importing/agentmemory.py", "cwd"): "a field of another program's export",
    ("importing/claude_mem.py", "CLAUDE_"): "a variable of another program, claude-mem",
    ("importing/letsgo.py", "session_id"): "a column of another program's database",
    ("search/rendering.py", "CLAUDE.md"): "the guide tells the agent what this memory is not",
    ("store/store.py", "Write"): "a type, not a tool",
    ("web/actions.py", "Edit"): "a word of a page, not a tool",
    ("web/memory.py", "Edit"): "a button, not a tool",
}


def host_literals() -> re.Pattern[str]:
    """What only a host may spell: its names, variables, files, tools and fields of its input."""
    hosts = [registry.host(package) for package in registry.HOSTS]
    inside = {host.TITLE for host in hosts} | {name for host in hosts for name in host.VARIABLES}
    inside |= {file for host in hosts for file in host.INSTRUCTIONS}
    inside |= {"claude-code", "CURSOR_", "apply_patch", "MultiEdit", "NotebookEdit", "WebFetch"}
    whole = {host.NAME for host in hosts} | {*_ACTIONS, *FIELDS}
    parts = "|".join(map(re.escape, sorted(inside)))
    return re.compile(f"{parts}|^(?:{'|'.join(map(re.escape, sorted(whole)))})$")


FIELDS = ("tool_input", "tool_name", "transcript_path", "session_id", "hook_event_name", "cwd")


def test_no_host_in_a_string_outside_its_package() -> None:
    """No name, variable, tool or input field of a host is spelled outside of `hosts`."""
    wanted = host_literals()
    found = set()
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE)
        tree = ast.parse(path.read_text("utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if place.parts[0] == "hosts" or not isinstance(node, ast.Constant) or id(node) in docs:
                continue
            if isinstance(node.value, str) and (name := wanted.search(node.value)):
                found.add((place.as_posix(), name[0]))

    assert found == set(ALLOWED)


# What adding a host takes besides its folder: its name in the registry.
WITH_ACME = """
import sys, time
from recollect.hosts import registry
from tests.hosts import acme
sys.modules["recollect.hosts.acme"] = acme
registry.HOSTS = ("acme", *registry.HOSTS)
from recollect.hooks.runner import main
sys.exit(main(sys.argv[1:], time.time_ns() // 1_000_000))
"""


def test_a_third_host_keeps_and_recalls(sandbox: Sandbox) -> None:
    """A prompt of a host that is new is served like any other, in its own words."""
    repo = sandbox.init("repo")

    def hook(event: str, **payload: str) -> list[str]:
        given = json.dumps({"acme": 1, "talk": "t1", "place": str(repo), **payload}).encode()
        command = [sys.executable, "-c", WITH_ACME, event]
        environment = {**os.environ, "RECOLLECT_HOOK_DEADLINE": "20000"}
        done = subprocess.run(
            command, input=given, capture_output=True, cwd=ROOT, env=environment, check=True
        )
        return list(json.loads(done.stdout)["acme"])

    kept = hook("prompt", says="[remember:decisions] Ship with the blue pipeline on Fridays")
    recalled = hook("prompt", says="Which pipeline do we ship with on Fridays?", talk="t2")

    assert "decisions:" in kept[0]
    assert "blue pipeline" in "\n".join(recalled)


CLAUDES = {"session_id": "s1", "transcript_path": "/home/ada/.claude/projects/-x/s1.jsonl"}
CODEX = {"session_id": "s1", "transcript_path": "/home/ada/.codex/sessions/rollout-1-s1.jsonl"}
LOADED = """
import json, sys
from recollect.hosts.registry import host_of
host = host_of(json.loads(sys.argv[1]), {}, sys.argv[2])
loaded = [name.split(".")[2] for name in sys.modules if name.startswith("recollect.hosts.")]
print(host.NAME, *sorted(set(loaded) & set(sys.argv[3].split(","))))
"""


@pytest.mark.parametrize(
    ("named", "payload", "loaded"),
    [
        ("claude-code", CLAUDES, "claude-code claude_code"),
        ("codex", CODEX, "codex codex"),
        ("gemini", {"hook_event_name": "AfterAgent"}, "gemini gemini"),
    ],
)
def test_a_hook_loads_only_the_host_that_its_command_names(
    named: str, payload: dict[str, str], loaded: str
) -> None:
    """The others cost time, and say nothing."""
    given = [json.dumps(payload), named, ",".join(registry.HOSTS)]
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *given], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == loaded


def test_who_runs_a_hook() -> None:
    """Codex also runs the plugin of Claude Code; a name that nobody knows does not count."""
    assert registry.host_of(CODEX, {}, "claude-code").NAME == "codex"
    assert registry.host_of({}, {}, "codex").NAME == "codex"
    assert registry.host_of(CODEX, {}, "../codex").NAME == "codex"
    assert registry.host_of({}, {}, "documented").NAME == "claude-code"
    assert registry.host_of(CODEX, {}).NAME == "codex"
    assert registry.host_of({}, {}).NAME == "claude-code"


@pytest.mark.parametrize(
    ("client", "name"),
    [
        ("claude-code", "claude-code"),
        ("codex-mcp-client", "codex"),
        ("gemini-cli-mcp-client-recollect", "gemini"),
        ("Visual Studio Code", ""),
        ("example-client", ""),  # `amp` is no word in it
        ("", ""),
        ("- -", ""),
    ],
)
def test_an_mcp_client_is_known_by_its_name(client: str, name: str) -> None:
    """The words of the name decide."""
    assert registry.host_of_client(client) == name

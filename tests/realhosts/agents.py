"""The other agents, each pinned, on a machine of its own, with a model that is scripted.

An agent says how its client is started and what its tools are called; the journey is the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recollect.hosts.registry import host_named
from tests.realclient import codex
from tests.realclient.api import Answer, use
from tests.realclient.client import (
    CACHE,
    Client,
    ClientMissing,
    installed_client,
    installed_package,
)
from tests.realclient.run import Run
from tests.realclient.workplace import Conversation, Workplace, write_program

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Agent:
    """A client: how it is fetched, set up and asked, and how its model uses tools."""

    name: str  # as `recollect install` knows it
    fetch: Callable[[], Path]
    settle: Callable[[Workplace], None]  # its own settings, without ours
    arguments: Callable[[str], Sequence[str]]
    read: Callable[[str], Answer]
    write: Callable[[str, str], Answer]
    run: Callable[[str], Answer]
    memory: Callable[..., Answer]  # a tool of our MCP server, and its arguments
    settings: Sequence[str]  # the files of the user that an installation may touch, below the home
    starter: Sequence[str] = ()  # what starts the client, if it does not start by itself

    def command(self, place: Workplace, prompt: str) -> list[str]:
        """The command line of one prompt."""
        return [*self.starter, str(place.client), *self.arguments(prompt)]


def npm_program(name: str, package: str, program: str) -> Path:
    """A program of an npm package, which node runs."""
    version = host_named(name).TESTED

    def check(room: Path) -> None:
        command = ["node", str(room / "node_modules" / program), "--version"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if version not in done.stdout:
            raise ClientMissing(f"{package} does not run: {done.stderr[-500:]}")

    folder = CACHE / f"{package.rpartition('/')[2]}-{version}"
    return installed_package(folder, f"{package}@{version}", check) / "node_modules" / program


def _settle_gemini(place: Workplace) -> None:
    settings = {
        "security": {
            "auth": {"selectedType": "gemini-api-key"},
            "folderTrust": {"enabled": False},
        },
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    folder = place.home / ".gemini"
    folder.mkdir()
    (folder / "settings.json").write_text(f"// mine\n{json.dumps(settings, indent=4)}\n")
    place.variables |= {
        "GOOGLE_GEMINI_BASE_URL": place.api.url,
        "GEMINI_API_KEY": "not-a-key",
        "GEMINI_CLI_NO_RELAUNCH": "true",  # else a kill of the first process leaves the second
    }


GEMINI = Agent(
    name="gemini",
    fetch=lambda: npm_program("gemini", "@google/gemini-cli", ".bin/gemini"),
    settle=_settle_gemini,
    arguments=lambda prompt: (
        *("-m", "gemini-2.5-flash", "--yolo", "--output-format", "stream-json"),
        *("-p", prompt),
    ),
    read=lambda path: use("read_file", file_path=path),
    write=lambda path, text: use("write_file", file_path=path, content=f"{text}\n"),
    run=lambda command: use("run_shell_command", command=command),
    memory=lambda tool, **given: use(f"mcp_recollect_{tool}", **given),
    settings=(".gemini/settings.json",),
)


def _settle_codex(place: Workplace) -> None:
    folder = place.home / ".codex"
    folder.mkdir()
    # It adds a project that it has not seen; so it is there before.
    known = f'[projects."{place.repo}"]\ntrust_level = "trusted"\n'
    mine = f"# mine\n[tui]\nnotifications = true # keep\n\n{known}"
    (folder / "config.toml").write_text(
        codex.MODEL.format(url=place.api.url).replace('"scripted"', '"gpt-5.5"', 1) + mine
    )
    (folder / "hooks.json").write_text('{\n    "hooks": {}\n}\n')
    place.variables |= {"CODEX_HOME": str(folder), "SCRIPTED_KEY": "not-a-key"}


CODEX = Agent(
    name="codex",
    fetch=codex.installed_codex,
    settle=_settle_codex,
    arguments=lambda prompt: (
        *("exec", "--json", "--skip-git-repo-check"),
        *("--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", prompt),
    ),
    read=lambda path: use("exec_command", cmd=f"cat {path}"),
    write=lambda path, text: use(
        "apply_patch", input=f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch"
    ),
    run=lambda command: use("exec_command", cmd=command),
    memory=lambda tool, **given: use(f"mcp__recollect/{tool}", **given),
    settings=(".codex/config.toml", ".codex/hooks.json"),
)


def _settle_qwen(place: Workplace) -> None:
    folder = place.home / ".qwen"
    folder.mkdir()
    settings = {
        "$version": 4,  # else it adds it
        "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": False}},
        "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
    }
    (folder / "settings.json").write_text(f"// mine\n{json.dumps(settings, indent=4)}\n")
    place.variables |= {
        "OPENAI_API_KEY": "not-a-key",
        "OPENAI_BASE_URL": f"{place.api.url}/v1",
        "OPENAI_MODEL": "scripted",
        "QWEN_CODE_NO_RELAUNCH": "true",
    }


QWEN = Agent(
    name="qwen",
    # `.bin/qwen` only starts this, and outlives a kill.
    fetch=lambda: npm_program("qwen", "@qwen-code/qwen-code", "@qwen-code/qwen-code/cli.js"),
    starter=("node", "--expose-gc"),
    settle=_settle_qwen,
    arguments=lambda prompt: (
        *("--auth-type", "openai", "--yolo", "--output-format", "stream-json"),
        *("-p", prompt),
    ),
    read=lambda path: use("read_file", file_path=path),
    write=lambda path, text: use("write_file", file_path=path, content=f"{text}\n"),
    run=lambda command: use("run_shell_command", command=command, is_background=False),
    memory=lambda tool, **given: use(f"mcp__recollect__{tool}", **given),
    settings=(".qwen/settings.json",),
)

# OpenCode installs types for plugins from there, into every folder with settings, ours or not.
_NPM_REGISTRY = "registry.npmjs.org:443"


def _settle_opencode(place: Workplace) -> None:
    model = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{place.api.url}/v1", "apiKey": "not-a-key"},
        "models": {"scripted": {"name": "scripted"}},
    }
    settings = {
        "$schema": "https://opencode.ai/config.json",  # else it adds it
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "snapshot": False,  # it copies the whole project at every step
        "provider": {"scripted": model},
    }
    folder = place.home / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / ".gitignore").write_text("*\n")  # else it adds one
    (folder / "opencode.jsonc").write_text(f"// mine\n{json.dumps(settings, indent=4)}\n")
    place.tolerated = frozenset((_NPM_REGISTRY,))
    unwanted = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS")
    place.variables |= {f"OPENCODE_DISABLE_{name}": "1" for name in unwanted}


def _installed_opencode() -> Path:
    version = host_named("opencode").TESTED
    # The package has one executable for processors with AVX2, and one for others.
    where = "node_modules/opencode-*/bin/opencode"
    return installed_client(client=Client("opencode", version, f"opencode-ai@{version}", where))


OPENCODE = Agent(
    name="opencode",
    fetch=_installed_opencode,
    settle=_settle_opencode,
    # With a title, it does not ask its model for one.
    arguments=lambda prompt: ("run", "--format", "json", "--title", "Work", prompt),
    read=lambda path: use("read", filePath=path),
    write=lambda path, text: use("write", filePath=path, content=f"{text}\n"),
    run=lambda command: use("bash", command=command, description="Run it"),
    memory=lambda tool, **given: use(f"recollect_{tool}", **given),
    settings=(".config/opencode/opencode.jsonc",),
)


def _settle_copilot(place: Workplace) -> None:
    folder = place.home / ".copilot"
    folder.mkdir()
    mine = {"mcpServers": {"mine": {"type": "local", "command": "true", "args": [], "tools": []}}}
    (folder / "mcp-config.json").write_text(f"{json.dumps(mine, indent=4)}\n")
    place.variables |= {
        "COPILOT_OFFLINE": "true",  # with a model of one's own it needs no account
        "COPILOT_PROVIDER_BASE_URL": f"{place.api.url}/v1",
        "COPILOT_MODEL": "gpt-5.5",
        "COPILOT_AUTO_UPDATE": "false",
    }


def _installed_copilot() -> Path:
    version = host_named("copilot").TESTED
    where = "node_modules/@github/copilot-*/copilot"
    return installed_client(client=Client("copilot", version, f"@github/copilot@{version}", where))


COPILOT = Agent(
    name="copilot",
    fetch=_installed_copilot,
    settle=_settle_copilot,
    arguments=lambda prompt: (
        *("-p", prompt, "--allow-all", "--trust-folder", "--output-format", "json"),
    ),
    read=lambda path: use("view", path=path),
    write=lambda path, text: use(
        "apply_patch", input=f"*** Begin Patch\n*** Add File: {path}\n+{text}\n*** End Patch"
    ),
    run=lambda command: use("bash", command=command, description="Run it"),
    memory=lambda tool, **given: use(f"recollect-{tool}", **given),
    settings=(".copilot/mcp-config.json",),
)

# `tests/realclient` has its own journey, and drives it in other ways, too.
CLAUDE_CODE = Agent(
    name="claude-code",
    fetch=installed_client,
    settle=lambda place: None,
    arguments=lambda prompt: (
        *("-p", prompt, "--output-format", "stream-json", "--verbose"),
        *("--permission-mode", "acceptEdits"),
        *("--allowedTools", "Bash,Read,Write,mcp__plugin_recollect_memory__*"),
    ),
    read=lambda path: use("Read", file_path=path),
    write=lambda path, text: use("Write", file_path=path, content=f"{text}\n"),
    run=lambda command: use("Bash", command=command, description="Run it"),
    memory=lambda tool, **given: use(f"mcp__plugin_recollect_memory__{tool}", **given),
    settings=(),
)

AGENTS = {agent.name: agent for agent in (GEMINI, CODEX, QWEN, OPENCODE, COPILOT)}


def set_up(place: Workplace, agent: Agent) -> None:
    """Make a machine with the agent and our programs."""
    place.set_up()
    agent.settle(place)
    programs = install_programs(place)
    (programs / host_named(agent.name).PROGRAM).symlink_to(place.client)


def install_programs(place: Workplace) -> Path:
    """Put our programs on the machine, which note what each hook got and said; their folder."""
    programs, records = place.root / "bin", place.root / "records"
    records.mkdir()
    path = os.environ.get("PYTHONPATH", "")
    ours = f"PYTHONPATH='{path}' exec '{sys.executable}' -m recollect" + ' "$@"'
    write_program(programs, "recollect", ours)
    note = f'n="{records}/$(date +%s%N)-$$-$1"; cat > "$n.in"'
    real = Path(sys.executable).parent / "recollect-hook"
    serve = f'\'{real}\' "$@" < "$n.in" > "$n.out"; code=$?'
    write_program(programs, "recollect-hook", f'{note}; {serve}; cat "$n.out"; exit $code')
    place.programs = (programs,)
    return programs


def ask(place: Workplace, agent: Agent, prompt: str) -> Run:
    """Run the agent once, to the end; it must leave no process behind and ask no other host."""
    with Conversation(place, agent.command(place, prompt), place.repo) as conversation:
        conversation.close_input()
        run = conversation.finish()
    assert run.code == 0, f"{agent.name} ended with {run.code}: {run.stderr}\n{run.events}"
    return run

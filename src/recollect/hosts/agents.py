"""Detects whether an agent or a person runs a command. This is the only list of such signs.

Agents set variables in the environment of their shell. If there are none, the process above the
shell may be an agent. Variables that people set themselves (`CODEX_HOME`,
`CLAUDE_CODE_USE_BEDROCK`), or that an editor sets in the terminals that people type in
(`CURSOR_TRACE_ID`, `CLAUDE_CODE_SSE_PORT`), are no sign of an agent.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

# Variable → agent. A variable that is empty or off does not count.
VARIABLES: Mapping[str, str] = {
    "CLAUDECODE": "claude-code",
    "CLAUDE_CODE_CHILD_SESSION": "claude-code",
    "CLAUDE_CODE_SESSION_ID": "claude-code",
    "CODEX_SANDBOX": "codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "codex",
    "CODEX_THREAD_ID": "codex",
    "CODEX_CI": "codex",
    "GEMINI_CLI": "gemini",
    "QWEN_CODE": "qwen",
    "CURSOR_AGENT": "cursor",
    "OPENCODE": "opencode",
    "OPENCODE_CLIENT": "opencode",
    "CLINE_ACTIVE": "cline",
    "AUGMENT_AGENT": "augment",
    "ANTIGRAVITY_AGENT": "antigravity",
    "GOOSE_TERMINAL": "goose",
    "CRUSH": "crush",
    "TRAE_AI_SHELL_ID": "trae",
    "COPILOT_AGENT_SESSION_ID": "copilot",
    "COPILOT_CLI": "copilot",
    "AI_AGENT": "agent",  # a convention of several agents
}
# Variables that hold the id of the agent's session, the same that its hooks get.
# Our plugin for OpenCode sets the last one.
SESSIONS = (
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_THREAD_ID",
    "QWEN_CODE_SESSION_ID",
    "OPENCODE_SESSION_ID",
)
PROGRAMS: Mapping[str, str] = {
    "claude": "claude-code",
    "codex": "codex",
    "gemini": "gemini",
    "qwen": "qwen",
    "cursor-agent": "cursor",
    "opencode": "opencode",
    "goose": "goose",
    "crush": "crush",
    "aider": "aider",
    "amp": "amp",
    "copilot": "copilot",
}
_SHELLS = frozenset(
    {"sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "busybox", "env", "timeout", "nice", "uv"}
)
_OFF = ("", "0", "false", "no", "off")
_MOST_STEPS = 8


def agent_in(environment: Mapping[str, str]) -> str:
    """Return the agent whose shell has this environment; empty if it is a person's shell."""
    for name, agent in VARIABLES.items():
        if environment.get(name, "").strip().lower() not in _OFF:
            return agent
    return ""


def session_in(environment: Mapping[str, str]) -> str:
    """Return the id of the agent's session; empty if the environment has none."""
    return next((environment[name] for name in SESSIONS if environment.get(name)), "")


def agent_above(process: int | None = None) -> str:
    """Return the agent that started the shells above a process; empty if none did.

    The search stops at the first program that is not a shell: the environment covers what an agent
    starts through other programs. Without `/proc` the result is always empty.
    """
    process = os.getppid() if process is None else process
    for _ in range(_MOST_STEPS):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123
                stat = file.read(4096)
        except OSError:
            return ""
        name = stat[stat.find("(") + 1 : stat.rfind(")")]
        if name in PROGRAMS:
            return PROGRAMS[name]
        if name not in _SHELLS:
            return ""
        process = int(stat[stat.rfind(")") + 1 :].split()[1])
    return ""

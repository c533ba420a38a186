"""By what one knows that an agent runs a command, and not a person: the only list of it.

Agents tell it in the environment of their shell; else the process above the shell tells. Names
that people set themselves (`CODEX_HOME`, `CLAUDE_CODE_USE_BEDROCK`) or that an editor sets in the
terminals that people type in (`CURSOR_TRACE_ID`, `CLAUDE_CODE_SSE_PORT`) say nothing.
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
    "GEMINI_CLI": "gemini-cli",
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
    "AI_AGENT": "agent",  # a convention that several follow
}
# Where an agent tells the id of its session, the same that its hooks have.
SESSIONS = ("CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID")
PROGRAMS: Mapping[str, str] = {
    "claude": "claude-code",
    "codex": "codex",
    "gemini": "gemini-cli",
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
    """The agent whose shell this is, as the environment tells; empty where it is a person's."""
    for name, agent in VARIABLES.items():
        if environment.get(name, "").strip().lower() not in _OFF:
            return agent
    return ""


def session_in(environment: Mapping[str, str]) -> str:
    """The id of the agent's session, where the environment tells."""
    return next((environment[name] for name in SESSIONS if environment.get(name)), "")


def agent_above(process: int | None = None) -> str:
    """The agent that started the shells above a process; empty where none did.

    Only shells are looked through: a program in between that an agent started is asked by its
    environment. Where the system has no `/proc`, nothing is known.
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

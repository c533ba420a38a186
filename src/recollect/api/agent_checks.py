"""The checks of `doctor` for each agent: is it set up, do hooks run, does the server answer."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from recollect.core.age import age_of
from recollect.hosts.installing import states_here
from recollect.hosts.protocol import Host
from recollect.hosts.registry import DOCUMENTED
from recollect.hosts.server_probe import server_problem
from recollect.hosts.versions import is_older, version_of
from recollect.ledger.health import OK, WARNING, Finding
from recollect.redact.gate import redact_message
from recollect.store.store import Store

_COMMAND = "recollect"
_INSTALL = "In a clone of Recollect, run `make install`."


def check_agents(store: Store) -> Iterator[Finding]:
    """Check each agent on this machine, and what all of them start."""
    directory, home = store.work_tree or Path.cwd(), Path.home()
    states = states_here(directory, home, os.environ)
    if not states:
        yield Finding(OK, "plugin", "No agent is set up on this machine.")
    last = store.local.sessions.last_events()
    for agent, is_installed, problem in states:
        runs_hooks = agent.NAME not in DOCUMENTED
        if problem:
            yield Finding(
                WARNING,
                "plugin",
                redact_message(f"{agent.TITLE}: {problem}"),
                f"Correct the file, then run: recollect install {agent.NAME}",
            )
        elif is_installed:
            yield _installed(agent)
            if runs_hooks:
                plan = agent.installation("user", directory, home, os.environ)
                if waiting := agent.unapproved(directory, home, os.environ):
                    yield Finding(WARNING, "hooks", f"{agent.TITLE}: {waiting}", plan.afterwards)
                    continue
                yield _hooks(store, f"{agent.TITLE}: ", last.get(agent.NAME), plan.afterwards)
        else:
            yield Finding(
                # Without hooks, it may be an editor that nobody uses as an agent.
                WARNING if runs_hooks else OK,
                "plugin",
                f"Recollect is not installed in {agent.TITLE}, so its sessions have no memory.",
                f"Run: recollect install {agent.NAME}",
            )
    is_any = any(state.is_installed for state in states)
    if not is_any:
        yield _hooks(store, "", max(last.values(), default=None), "")
    yield from _programs(directory, is_needed=is_any)


def _installed(agent: Host) -> Finding:
    """Say which version there is, and which one our tests drive."""
    version = version_of(agent.PROGRAM, os.environ)
    named = f"Recollect is installed in {agent.TITLE}"
    if not version or not agent.TESTED or version == agent.TESTED:
        return Finding(OK, "plugin", f"{named} {version}".rstrip() + ".")
    if is_older(version, agent.TESTED):
        return Finding(
            WARNING,
            "plugin",
            f"{named} {version}, which is older than the tested version {agent.TESTED}.",
            f"Update {agent.TITLE} if its hooks do not run.",
        )
    return Finding(OK, "plugin", f"{named} {version}; tested with {agent.TESTED}.")


def _hooks(store: Store, named: str, last: tuple[float, str] | None, afterwards: str) -> Finding:
    """Say when a hook ran here last, of one agent or of any."""
    if last is None:
        start = "If you expected one, start a new session of the agent in this directory."
        hint = " ".join(filter(None, (start, afterwards)))
        return Finding(OK, "hooks", f"{named}No hook has run here yet.", hint)
    passed = age_of(max(0.0, store.now() - last[0]))
    when = "just now" if passed == "now" else f"{passed} ago"
    return Finding(OK, "hooks", f"{named}The last hook ran {when}: {last[1]}")


def _programs(directory: Path, *, is_needed: bool) -> Iterator[Finding]:
    """Check that what agents start is there, and if an agent needs it, that the server answers."""
    if importlib.util.find_spec("mcp") is None:
        missing = "The package mcp is missing, so agents have no memory tools."
        yield Finding(WARNING, "mcp", missing, _INSTALL)
        return
    if not is_needed:
        yield Finding(OK, "mcp", f"`{_COMMAND} mcp` can start.")
        return
    program = shutil.which(_COMMAND)
    if program is None or shutil.which(f"{_COMMAND}-hook") is None:
        yield Finding(
            WARNING,
            "plugin",
            f"`{_COMMAND}` is not on the PATH, so hooks and the MCP server cannot start.",
            _INSTALL,
        )
        return
    problem = server_problem([program, "mcp"], directory)
    if problem:
        said = f"`{_COMMAND} mcp` does not answer: {problem}"
        yield Finding(WARNING, "mcp", said, f"To see why, run: {_COMMAND} mcp")
    else:
        yield Finding(OK, "mcp", f"`{_COMMAND} mcp` answers.")

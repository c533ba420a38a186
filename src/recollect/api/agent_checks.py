"""The checks of `doctor` for each agent: is it set up, do hooks run, does the server answer."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from recollect.core.age import age_of
from recollect.hosts.installing import agents_here
from recollect.hosts.protocol import Host
from recollect.hosts.registry import DOCUMENTED
from recollect.hosts.server_probe import server_problem
from recollect.hosts.versions import is_older, version_of
from recollect.ledger.health import OK, WARNING, Finding
from recollect.store.store import Store

_COMMAND = "recollect"
INSTALL = "In a clone of Recollect, run `make install`."


def check_agents(store: Store) -> Iterator[Finding]:
    """Check each agent on this machine, and what all of them start."""
    directory, home = store.work_tree or Path.cwd(), Path.home()
    agents = agents_here(directory, home, os.environ)
    if not agents:
        yield Finding(OK, "plugin", "No agent is set up on this machine.")
        return
    last = store.local.sessions.last_events()
    is_any = False
    for agent in agents:
        is_on = agent.is_installed(directory, home, os.environ)
        is_any = is_any or is_on
        runs_hooks = agent.NAME not in DOCUMENTED
        if not is_on:
            yield Finding(
                # Without hooks, it may be an editor that nobody uses as an agent.
                WARNING if runs_hooks else OK,
                "plugin",
                f"Recollect is not installed in {agent.TITLE}, so its sessions have no memory.",
                f"Run: recollect install {agent.NAME}",
            )
            continue
        yield _installed(agent)
        if runs_hooks:
            yield _hooks(store, agent, directory, home, last.get(agent.NAME))
    if is_any:
        yield from _programs(directory)


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


def _hooks(
    store: Store, agent: Host, directory: Path, home: Path, last: tuple[float, str] | None
) -> Finding:
    """Say when a hook of an agent ran here last."""
    if last is not None:
        passed = age_of(max(0.0, store.now() - last[0]))
        when = "just now" if passed == "now" else f"{passed} ago"
        return Finding(OK, "hooks", f"{agent.TITLE}: the last hook ran {when}: {last[1]}")
    plan = agent.installation("user", directory, home, os.environ)
    start = "If you expected one, start a new session in this directory."
    return Finding(
        OK,
        "hooks",
        f"{agent.TITLE}: no hook has run here yet.",
        " ".join(filter(None, (start, plan.afterwards))),
    )


def _programs(directory: Path) -> Iterator[Finding]:
    """Check that what agents start is there, and that the server answers."""
    program = shutil.which(_COMMAND)
    if program is None or shutil.which(f"{_COMMAND}-hook") is None:
        yield Finding(
            WARNING,
            "plugin",
            f"`{_COMMAND}` is not on the PATH, so hooks and the MCP server cannot start.",
            INSTALL,
        )
        return
    problem = server_problem([program, "mcp"], directory)
    if problem:
        yield Finding(
            WARNING,
            "mcp",
            f"`{_COMMAND} mcp` does not answer: {problem}",
            f"To see why, run: {_COMMAND} mcp",
        )
    else:
        yield Finding(OK, "mcp", f"`{_COMMAND} mcp` answers.")

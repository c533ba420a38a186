"""Installs and removes a host as its `installation` says, or shows what that would do."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from recollect.errors import InstallFailed
from recollect.hosts import file_changes, settings_files
from recollect.hosts.instruction_files import AGENTS_FILE, has_block
from recollect.hosts.protocol import Host
from recollect.hosts.registry import host_named, names
from recollect.hosts.settings_files import Installation

_SECONDS = 120.0


class Outcome(NamedTuple):
    """What was done, or would be: the differences in files, and the commands."""

    differences: list[str]
    commands: list[str]
    afterwards: str
    # The file for the block with the most important memories, if there is to be one.
    block: Path | None = None
    # What the user should know, such as why a file stays.
    notes: Sequence[str] = ()

    @property
    def is_nothing(self) -> bool:
        """Whether everything was as it should be before."""
        return not self.differences and not self.commands


def set_up(
    agent: Host,
    scope: str,
    directory: Path,
    home: Path,
    environment: Mapping[str, str],
    *,
    removing: bool = False,
    dry_run: bool = False,
) -> Outcome:
    """Install a host, or remove it. With `dry_run`, nothing is changed."""
    plan = agent.installation(scope, directory, home, environment)
    change = settings_files.removing if removing else settings_files.installing
    changes = change(plan.files, environment)
    commands = plan.undo if removing else plan.commands
    programs = {name: _program(name, environment, plan) for name, *_ in commands}
    if not dry_run:
        with settings_files.keeping_form(plan.files):
            _run_all(commands, programs, directory, environment)
        if commands:
            changes = change(plan.files, environment)
        file_changes.apply(changes, environment)
    return Outcome(
        [found.difference for found in changes if found.before != found.after],
        [" ".join(command) for command in commands],
        "" if removing else plan.afterwards,
        _rules_file(plan.rules, removing=removing),
        [found.note for found in changes if found.note],
    )


def _rules_file(rules: Sequence[Path], *, removing: bool) -> Path | None:
    """Return the file that an agent reads, or from which the block is to be removed."""
    if not rules:
        return None
    found = (path for path in rules if (has_block(path) if removing else path.is_file()))
    return next(found, rules[0].parent / AGENTS_FILE)


class State(NamedTuple):
    """Whether Recollect is installed in a host; `problem` says why nobody knows."""

    host: Host
    is_installed: bool
    problem: str = ""


def states_here(directory: Path, home: Path, environment: Mapping[str, str]) -> list[State]:
    """Return the hosts that are on this machine; one that cannot be read hides no other."""
    states = []
    for one in map(host_named, names()):
        if not one.is_here(directory, home, environment):
            continue
        try:
            states.append(State(one, one.is_installed(directory, home, environment)))
        except InstallFailed as error:
            states.append(State(one, False, error.message))
    return states


def has_program(name: str, environment: Mapping[str, str]) -> bool:
    """Whether a program is on the search path."""
    return shutil.which(name, path=environment.get("PATH")) is not None


def _program(name: str, environment: Mapping[str, str], plan: Installation) -> str:
    found = shutil.which(name, path=environment.get("PATH"))
    if found is None:
        raise InstallFailed(f"Command `{name}` not found.", plan.instead)
    return found


def _run_all(
    commands: tuple[tuple[str, ...], ...],
    programs: Mapping[str, str],
    directory: Path,
    environment: Mapping[str, str],
) -> None:
    for name, *arguments in commands:
        said = " ".join((name, *arguments))
        try:
            done = subprocess.run(
                [programs[name], *arguments],
                cwd=directory,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InstallFailed(f"`{said}` failed: {error}") from None
        if done.returncode != 0:
            output = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
            raise InstallFailed(f"`{said}` failed: {output}")

"""A host that loads its modules when they are needed, so that a hook loads what it uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from recollect.hosts.protocol import OTHER, Event, PastSession, Replayed, Reply, TranscriptPart

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.hosts.settings_files import Installation


def detects_nothing(_payload: Mapping[str, Any], _environment: Mapping[str, str]) -> bool:
    """Return False: only the command of a hook tells that this host runs it."""
    return False


def is_its_session(
    payload: Mapping[str, Any], environment: Mapping[str, str], folder: str, variable: str
) -> bool:
    """Whether the transcript is in a host's folder; without one, its variable names the session."""
    path = payload.get("transcript_path")
    if isinstance(path, str) and path:
        return folder in path.replace("\\", "/")
    session = environment.get(variable)
    return bool(session) and session == payload.get("session_id")


class LazyHost:
    """The host in a package. What it is, it says here; its modules do the work.

    `events` reads and answers hooks, `setup` installs. If the host keeps transcripts that we read,
    `transcript` reads the one of a running session, and `past` those of others. `modules` names the
    ones that the package has; without a module there is nothing to read.
    """

    def __init__(
        self,
        package: str,
        modules: Sequence[str] = ("events", "setup"),
        *,
        title: str,
        program: str,
        tested: str = "",
        detects: Callable[[Mapping[str, Any], Mapping[str, str]], bool] = detects_nothing,
        project_variable: str = "CLAUDE_PROJECT_DIR",
        variables: tuple[str, ...] = (),
        instructions: tuple[str, ...] = ("AGENTS.md",),
        review: str = "",
        learn: str = "",
    ) -> None:
        self._package, self._modules = package, modules
        self.NAME = package.rpartition(".")[2].replace("_", "-")
        self.TITLE, self.PROGRAM, self.TESTED = title, program, tested
        self.PROJECT_VARIABLE, self.VARIABLES = project_variable, variables
        self.INSTRUCTIONS, self.REVIEW, self.LEARN = instructions, review, learn
        self.detects = detects

    def _find(self, module: str, name: str) -> Any:
        """Return a function of a module; None if the package has no such module or function."""
        if module not in self._modules:
            return None
        return getattr(import_module(f"{self._package}.{module}"), name, None)

    def action_of(self, tool: str) -> str:
        """What a tool does: one of the actions of the protocol."""
        find = self._find("events", "action_of")
        return str(find(tool)) if find else OTHER

    def read_event(
        self, name: str, payload: Mapping[str, Any], environment: Mapping[str, str]
    ) -> Event:
        """Read the input of a hook; a host without hooks ignores it."""
        read = self._find("events", "read_event")
        if not read:
            return Event(name, self.NAME, ignored=f"{self.TITLE} does not run our hooks")
        event: Event = read(name, payload, environment)
        return event

    def write_reply(self, name: str, reply: Reply) -> str:
        """Format a reply for stdout."""
        write = self._find("events", "write_reply")
        return str(write(name, reply)) if write else ""

    def read_transcript(self, path: Path, offset: int, *, most: int) -> TranscriptPart | None:
        """Read a transcript from an offset; None if this host's are not read."""
        read = self._find("transcript", "read_transcript")
        part: TranscriptPart | None = read(path, offset, most=most) if read else None
        return part

    def past_sessions(self, home: Path, environment: Mapping[str, str]) -> Iterator[PastSession]:
        """Yield the sessions with a transcript that we read."""
        find = self._find("past", "past_sessions")
        yield from find(home, environment) if find else ()

    def replay(self, path: Path) -> Iterator[Replayed]:
        """Yield what happened in a past session."""
        replay = self._find("past", "replay")
        yield from replay(path) if replay else ()

    def memory_folders(
        self, directories: Sequence[Path], home: Path, environment: Mapping[str, str]
    ) -> list[Path]:
        """Return the folders in which the host itself keeps notes about a project."""
        find = self._find("past", "memory_folders")
        return list(find(directories, home, environment)) if find else []

    def installation(
        self, scope: str, directory: Path, home: Path, environment: Mapping[str, str]
    ) -> Installation:
        """Return what installing takes."""
        install = self._find("setup", "installation")
        installation: Installation = install(scope, directory, home, environment)
        return installation

    def unapproved(self, directory: Path, home: Path, environment: Mapping[str, str]) -> str:
        """Say which of our hooks the host does not run yet, because its user must allow them."""
        find = self._find("setup", "unapproved")
        return str(find(directory, home, environment)) if find else ""

    def is_here(self, _directory: Path, home: Path, environment: Mapping[str, str]) -> bool:
        """Whether the agent is on this machine: it has settings here, or its program."""
        from recollect.hosts.installing import has_program

        if self._find("setup", "is_here")(home, environment):
            return True
        return bool(self.PROGRAM) and has_program(self.PROGRAM, environment)

    def is_installed(self, directory: Path, home: Path, environment: Mapping[str, str]) -> bool:
        """Whether everything is in place, for the user or for the project."""
        if find := self._find("setup", "is_installed"):
            return bool(find(directory, home, environment))
        from recollect.hosts.settings_files import is_in_place

        plans = (
            self.installation(scope, directory, home, environment) for scope in ("user", "project")
        )
        return any(plan.files and is_in_place(plan.files) for plan in plans)

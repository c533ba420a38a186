"""What a host provides, and the types it uses: events, actions, messages, replies.

A host is an agent that runs our hooks. Everything specific to a host is in its own package beside
this module. `registry` lists them. To add one, see CONTRIBUTING.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from recollect.core.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, Protocol

    from recollect.hosts.settings_files import Installation
else:  # a hook is not to wait for `typing`
    Protocol = object

SESSION_START: Final = "session-start"
PROMPT: Final = "prompt"
TOOL_PRE: Final = "tool-pre"
TOOL_POST: Final = "tool-post"
TOOL_FAILURE: Final = "tool-failure"
PRE_COMPACT: Final = "pre-compact"
STOP: Final = "stop"
SUBAGENT_STOP: Final = "subagent-stop"
SESSION_END: Final = "session-end"

EVENTS: Final = (
    SESSION_START,
    PROMPT,
    TOOL_PRE,
    TOOL_POST,
    TOOL_FAILURE,
    PRE_COMPACT,
    STOP,
    SUBAGENT_STOP,
    SESSION_END,
)


# What a tool does, whatever the host calls the tool.
READ: Final = "read"
CREATE: Final = "create"  # writes a whole file
EDIT: Final = "edit"  # changes parts of files
COMMAND: Final = "command"
FETCH: Final = "fetch"  # reads or searches the web
AGENT: Final = "agent"  # starts a subagent
OTHER: Final = ""

WRITES: Final = frozenset((CREATE, EDIT))

# For `read_transcript`: begin so that the part ends with the transcript.
LAST_PART: Final = -1


class Event(NamedTuple):
    """Something that happened in an agent's session. What the host does not provide is empty."""

    name: str
    host: str = "claude-code"
    session: str = ""
    # When the hook was called, in milliseconds. It identifies the event in every process.
    moment: int = 0
    # The id of a subagent. It shares the session of its parent but has its own context.
    agent: str = ""
    directory: str = ""
    # Why a session started (startup, resume, clear, compact) or ended.
    source: str = ""
    # What a person typed, or the last message of the agent.
    text: str = ""
    tool: str = ""
    action: str = OTHER
    # The files that a tool reads or writes.
    files: tuple[str, ...] = ()
    # The command of a tool, its output, and its error.
    command: str = ""
    output: str = ""
    error: str = ""
    # The path of the transcript, and whether the agent continues because a hook asked it to.
    transcript: str = ""
    again: bool = False
    # Whether nobody follows the session, or a program reads what the agent says last.
    unattended: bool = False
    # Why hooks ignore the event; empty if they do not.
    ignored: str = ""
    # What a person asks to remember with a slash command, which the agent carries out.
    asked: str = ""
    # The text that a tool wrote to a file, and the text of the file, or of the place, before.
    written: str = ""
    replaced: str = ""
    # The address that a tool fetched, and what the agent wanted to know.
    address: str = ""
    question: str = ""

    @property
    def context(self) -> str:
        """The id of the context window: that of the session, or of one of its subagents."""
        return f"{self.session}/{self.agent}" if self.agent else self.session


class Reply:
    """What the agent reads, and what its user sees."""

    def __init__(self) -> None:
        self.context: list[str] = []
        self.notice: list[str] = []
        # Whether the user has seen a line in this turn already: one is enough.
        self.had_line = False
        # What the user must see, at any event whose reply can show it.
        self.alarm: list[str] = []
        # What the agent must do before it stops.
        self.request = ""
        # Why a tool must not run.
        self.denial = ""


class Message(NamedTuple):
    """A message of a person or the agent, and the offset of its line."""

    role: str
    text: str
    at: int


class TranscriptPart(NamedTuple):
    """The new part of a transcript, and the offset to continue from.

    `exchanges` counts the messages of both sides, `tools` the calls of each tool. `failed`: the
    last tool failed; `recovered`: one failed, and the last one did not.
    """

    messages: tuple[Message, ...]
    end: int
    tools: Mapping[str, int]
    exchanges: int
    # Whether there is more to read after `end`.
    more: bool = False
    failed: bool = False
    recovered: bool = False


class PastSession(NamedTuple):
    """A session whose transcript a host keeps, as its first lines describe it.

    `directory` is where it ran; by now it may have moved. `modified` is in nanoseconds. `commit`
    and `remote` are empty if the host does not record them.
    """

    path: Path
    session: str
    directory: str
    size: int
    modified: int
    commit: str = ""
    remote: str = ""


class Replayed(NamedTuple):
    """An event of a past session, and the offset of its line in the transcript."""

    at: int
    event: Event


class Host(Protocol):
    """The functions and constants that the package of a host provides."""

    NAME: str
    TITLE: str
    # The variable that holds the project's directory, and the prefixes of all variables it sets.
    PROJECT_VARIABLE: str
    VARIABLES: tuple[str, ...]
    # The files with a project's standing instructions for the agent.
    INSTRUCTIONS: tuple[str, ...]
    # What a user types to review memories in the agent; empty if there is no such command.
    REVIEW: str
    # The same, to learn from what is here.
    LEARN: str
    # The program of the agent, and the version that our tests drive; empty if they drive none.
    PROGRAM: str
    TESTED: str

    def detects(self, payload: Mapping[str, Any], environment: Mapping[str, str], /) -> bool:
        """Whether this host runs the hook."""

    def action_of(self, tool: str, /) -> str:
        """What a tool of this host does: one of the actions above."""

    def read_event(
        self, name: str, payload: Mapping[str, Any], environment: Mapping[str, str], /
    ) -> Event:
        """Read the input of a hook. This never fails, whatever the input is."""

    def write_reply(self, name: str, reply: Reply, /) -> str:
        """Format a reply for stdout: one JSON object, or nothing."""

    def read_transcript(self, path: Path, offset: int, /, *, most: int) -> TranscriptPart | None:
        """Read `most` bytes of a transcript from an offset; None if there is none to read.

        The part ends with a line. With the offset `LAST_PART`, it is the end of the transcript.
        """

    def past_sessions(self, home: Path, environment: Mapping[str, str], /) -> Iterator[PastSession]:
        """Yield the sessions that the host keeps transcripts of, without reading these whole."""

    def replay(self, path: Path, /) -> Iterator[Replayed]:
        """Yield what happened in a past session, in order, with the moment of each event.

        A prompt is a `PROMPT`, a message of the agent a `STOP`, and a tool that ran a `TOOL_POST`
        or a `TOOL_FAILURE`. Lines that are malformed, too long or unknown are left out.
        """

    def memory_folders(
        self, directories: Sequence[Path], home: Path, environment: Mapping[str, str], /
    ) -> list[Path]:
        """Return the folders in which the host itself keeps notes about a project, if they exist.

        `directories` are the roots of the project's working trees.
        """

    def installation(
        self, scope: str, directory: Path, home: Path, environment: Mapping[str, str], /
    ) -> Installation:
        """Return what installing takes: for the user, or for the project in a directory."""

    def is_here(self, directory: Path, home: Path, environment: Mapping[str, str], /) -> bool:
        """Whether the agent is on this machine: it has a program here, or settings."""

    def is_installed(self, directory: Path, home: Path, environment: Mapping[str, str], /) -> bool:
        """Whether a session in a directory has our hooks, or what the host has instead."""

    def unapproved(self, directory: Path, home: Path, environment: Mapping[str, str], /) -> str:
        """Say which of our hooks the host does not run yet, because its user must allow them.

        Empty if there are none, or if nobody can tell.
        """

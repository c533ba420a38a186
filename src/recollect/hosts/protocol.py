"""What a host must tell, and the words in which it does: events, actions, messages, replies.

A host is an agent that runs our hooks. Everything that is particular to one is in its own folder
beside this module; `registry` names them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

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


# What a tool does, whatever a host calls it.
READ: Final = "read"
CREATE: Final = "create"  # writes a whole file
EDIT: Final = "edit"  # changes parts of files
COMMAND: Final = "command"
FETCH: Final = "fetch"  # reads or searches the web
AGENT: Final = "agent"  # starts a subagent
OTHER: Final = ""

WRITES: Final = frozenset((CREATE, EDIT))


class Event(NamedTuple):
    """Something that happened in an agent's session; what the agent did not say is empty."""

    name: str
    host: str = "claude-code"
    session: str = ""
    # When the agent told it, in milliseconds: whoever serves it, it is the same event.
    moment: int = 0
    # A subagent has the session of its parent, and a context of its own.
    agent: str = ""
    directory: str = ""
    # How a session came to start: startup, resume, clear, compact; or why it ended.
    source: str = ""
    # What a person typed, or what the agent said last.
    text: str = ""
    tool: str = ""
    action: str = OTHER
    # The files that a tool reads or writes.
    files: tuple[str, ...] = ()
    # What a tool was asked to do, what it said, and how it failed.
    command: str = ""
    output: str = ""
    error: str = ""
    # Where the agent keeps the talk, and whether it goes on because we asked it to.
    transcript: str = ""
    again: bool = False
    # Why the event is none of our business, if it is not.
    ignored: str = ""
    # What a person asks to keep by a command of the agent, which the agent will carry out.
    asked: str = ""

    @property
    def context(self) -> str:
        """Whose context window it is: that of the session, or of one of its subagents."""
        return f"{self.session}/{self.agent}" if self.agent else self.session


class Reply:
    """What the agent gets to read, and what its user gets to see."""

    def __init__(self) -> None:
        self.context: list[str] = []
        self.notice: list[str] = []
        # What its user must see, wherever that can be said.
        self.alarm: list[str] = []
        # What the agent is asked to do before it stops.
        self.request = ""
        # Why a tool must not do what it is about to do.
        self.denial = ""


class Message(NamedTuple):
    """Something that a person or the agent said, and where its line begins."""

    role: str
    text: str
    at: int


class Part(NamedTuple):
    """What is new in a transcript, and where to go on from.

    `exchanges` counts what both sides said, `tools` how often each tool was used.
    """

    messages: tuple[Message, ...]
    end: int
    tools: Mapping[str, int]
    exchanges: int


class Host(Protocol):
    """What every folder of a host provides, as functions and constants of its package."""

    NAME: str
    TITLE: str
    # The variable that holds the project's directory, and the prefixes of all that it sets.
    PROJECT_VARIABLE: str
    VARIABLES: tuple[str, ...]
    # The files in which a project gives it standing instructions.
    INSTRUCTIONS: tuple[str, ...]

    def detects(self, payload: Mapping[str, Any], environment: Mapping[str, str], /) -> bool:
        """Whether it is this host that runs the hook."""

    def action_of(self, tool: str, /) -> str:
        """What one of its tools does."""

    def read_event(
        self, name: str, payload: Mapping[str, Any], environment: Mapping[str, str], /
    ) -> Event:
        """The event behind a hook's input; whatever the input is, this does not fail."""

    def write_reply(self, name: str, reply: Reply, /) -> str:
        """What the hook prints for a reply: one JSON object, or nothing."""

    def read_transcript(self, path: Path, offset: int, /, *, most: int) -> Part | None:
        """What was said after an offset; None where there is no transcript to read."""

    def install(self, scope: str, directory: Path, environment: Mapping[str, str], /) -> Path:
        """Install the plugin; gives the folder that it is read from."""

    def uninstall(self, scope: str, directory: Path, environment: Mapping[str, str], /) -> None:
        """Remove the plugin; the memories stay."""

"""What an agent tells us, and what we answer, in words that no agent owns.

`hosts` turns an agent's own JSON into an `Event` and a `Reply` into the agent's own JSON.
"""

from __future__ import annotations

from typing import Final, NamedTuple

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


class Event(NamedTuple):
    """Something that happened in an agent's session; what the agent did not say is empty."""

    name: str
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

"""A third host, which is neither of the two that ship: all that adding one takes.

Its events have other names, its tools too, and its replies are lines of text.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.hosts import protocol as events
from recollect.hosts.protocol import (
    Event,
    Message,
    PastSession,
    Replayed,
    Reply,
    TranscriptPart,
)
from recollect.hosts.settings_files import Installation

NAME = "acme"
TITLE = "Acme"
PROJECT_VARIABLE = "ACME_PROJECT"
VARIABLES = ("ACME_",)
REVIEW = ""
LEARN = ""
PROGRAM = "acme"
TESTED = ""
INSTRUCTIONS = ("ACME.md",)

_ACTIONS = {"look": events.READ, "patch": events.EDIT, "shell": events.COMMAND}


def detects(payload: Mapping[str, Any], _environment: Mapping[str, str]) -> bool:
    """Whether it is this host."""
    return "acme" in payload


def action_of(tool: str) -> str:
    """What one of its tools does."""
    return _ACTIONS.get(tool, events.OTHER)


def read_event(name: str, payload: Mapping[str, Any], _environment: Mapping[str, str]) -> Event:
    """The event behind a hook's input."""
    tool = str(payload.get("verb", ""))
    return Event(
        name=name,
        session=str(payload.get("talk", "")),
        directory=str(payload.get("place", "")),
        text=str(payload.get("says", "")),
        tool=tool,
        action=action_of(tool),
        files=tuple(payload.get("paths", ())),
        transcript=str(payload.get("log", "")),
    )


def write_reply(_name: str, reply: Reply) -> str:
    """What the hook prints."""
    said = [*reply.alarm, *reply.notice, *reply.context]
    return json.dumps({"acme": said}, ensure_ascii=True) if said else ""


def read_transcript(path: Path, offset: int, *, most: int) -> TranscriptPart | None:
    """What was said: one line each, `who: what`."""
    text = path.read_text("utf-8")
    lines = [line.partition(": ") for line in text[offset:].splitlines()]
    messages = tuple(Message(who, what, offset) for who, _, what in lines)
    return TranscriptPart(messages, len(text), {}, len(messages))


def past_sessions(_home: Path, _environment: Mapping[str, str]) -> Iterator[PastSession]:
    """It keeps no transcripts."""
    yield from ()


def replay(_path: Path) -> Iterator[Replayed]:
    """It keeps no transcripts."""
    yield from ()


def memory_folders(
    _directories: Sequence[Path], _home: Path, _environment: Mapping[str, str]
) -> list[Path]:
    """It has no memory of its own."""
    return []


def installation(
    _scope: str, _directory: Path, _home: Path, _environment: Mapping[str, str]
) -> Installation:
    """It needs no installation."""
    return Installation()


def is_here(_directory: Path, _home: Path, _environment: Mapping[str, str]) -> bool:
    """It is always here."""
    return True


def unapproved(_directory: Path, _home: Path, _environment: Mapping[str, str]) -> str:
    """It runs every hook."""
    return ""


def is_installed(_directory: Path, _home: Path, _environment: Mapping[str, str]) -> bool:
    """It needs no plugin."""
    return True


# A module can be a host, too. Those that ship are objects that load their modules when needed.
HOST = sys.modules[__name__]

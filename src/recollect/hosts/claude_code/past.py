"""What Claude Code keeps in `~/.claude/projects`: the transcripts of past sessions, and its memory.

There is one folder for each directory that the client ran in, named after it, with every character
except letters and digits replaced by a dash. The lines of a transcript name the directory itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.core.age import seconds_of
from recollect.core.patterns import pattern
from recollect.hosts.claude_code.events import read_event
from recollect.hosts.claude_code.transcript import blocks_of, entry_of, message_text
from recollect.hosts.protocol import PROMPT, STOP, TOOL_FAILURE, TOOL_POST, PastSession, Replayed
from recollect.hosts.transcript_lines import own_lines

# The bytes at the start of a transcript in which a line names the directory.
_MOST_HEAD = 1 << 18
# Calls whose results have not come; a client that was killed leaves some behind.
_MOST_CALLS = 1_000
_MOST_OUTPUT = 1_000_000
_LONGEST_NAME = 200
_NOT_IN_NAME = pattern(r"[^A-Za-z0-9]")


def projects_folder(home: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder with one folder for each project."""
    config = environment.get("CLAUDE_CONFIG_DIR")
    return (Path(config) if config else home / ".claude") / "projects"


def past_sessions(home: Path, environment: Mapping[str, str]) -> Iterator[PastSession]:
    """Yield the sessions with a transcript; subagents have theirs in folders below."""
    for path in sorted(projects_folder(home, environment).glob("*/*.jsonl")):
        try:
            status = path.lstat()
        except OSError:
            continue
        directory = _directory_of(path)
        if directory:
            yield PastSession(path, path.stem, directory, status.st_size, status.st_mtime_ns)


def _directory_of(path: Path) -> str:
    for _, line in own_lines(path, _MOST_HEAD):
        if b'"cwd"' not in line:
            continue
        try:
            found = json.loads(line.decode("utf-8")).get("cwd")
        except (ValueError, RecursionError, AttributeError):
            continue
        if isinstance(found, str) and found:
            return found
    return ""


def memory_folders(
    directories: Sequence[Path], home: Path, environment: Mapping[str, str]
) -> list[Path]:
    """Return the memory folders of some directories that exist."""
    projects = projects_folder(home, environment)
    found: list[Path] = []
    for directory in directories:
        name = _NOT_IN_NAME.sub("-", str(directory))
        if len(name) <= _LONGEST_NAME:
            found.append(projects / name)
        else:  # the client cuts the name, and adds a hash
            found += sorted(projects.glob(name[:_LONGEST_NAME] + "-*"))
    return [folder / "memory" for folder in dict.fromkeys(found) if (folder / "memory").is_dir()]


def replay(path: Path) -> Iterator[Replayed]:
    """Yield what happened in a session."""
    calls: dict[str, Mapping[str, Any]] = {}
    for at, line in own_lines(path):
        entry = entry_of(line)
        if entry is None:
            continue
        moment = int((seconds_of(str(entry.get("timestamp"))) or 0.0) * 1000)
        common = {"session_id": entry.get("sessionId"), "cwd": entry.get("cwd")}
        for block in blocks_of(entry):
            kind = block.get("type")
            if kind == "tool_use" and len(calls) < _MOST_CALLS:
                calls[str(block.get("id"))] = block
            elif kind == "tool_result":
                call = calls.pop(str(block.get("tool_use_id")), None)
                if call is not None:
                    payload = {**common, **_result(call, block, entry.get("toolUseResult"))}
                    name = TOOL_FAILURE if block.get("is_error") else TOOL_POST
                    yield Replayed(at, read_event(name, payload, {})._replace(moment=moment))
        text = message_text(entry)
        if text:
            name = PROMPT if entry["type"] == "user" else STOP
            said = read_event(name, common, {})._replace(text=text, moment=moment)
            yield Replayed(at, said)


def _result(call: Mapping[str, Any], block: Mapping[str, Any], response: Any) -> dict[str, Any]:
    """Return a tool's result as the input of its hook would have it."""
    text = _text_of(block.get("content"))
    return {
        "tool_name": call.get("name"),
        "tool_input": call.get("input"),
        "tool_response": response if isinstance(response, dict) else text,
        "error": text if block.get("is_error") else "",
    }


def _text_of(content: Any) -> str:
    if isinstance(content, list):
        parts = [block.get("text") for block in content if isinstance(block, dict)]
        content = "\n".join(part for part in parts if isinstance(part, str))
    return content[:_MOST_OUTPUT] if isinstance(content, str) else ""

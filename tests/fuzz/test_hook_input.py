"""Any input of a hook: exit code 0, and nothing or one object that the client accepts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import RecollectError
from recollect.hooks import pipeline
from recollect.hooks.deadline import Deadline
from recollect.hooks.received import receive
from recollect.hooks.runner import serve
from recollect.hosts.claude_code.events import _WITH_CONTEXT
from recollect.hosts.protocol import EVENTS
from recollect.search.selection import utf16_length
from tests.fuzz.fuzzing import mutate_json, run

RECORDED = Path(__file__).parent.parent / "hosts" / "claude_code" / "recorded"
MOST_UNITS = 10_000  # what the client takes as context


def recorded(repo: Path) -> list[bytes]:
    """What the real client sent, as if it had been in this repository: event, then its JSON."""
    inputs = []
    for path in sorted(RECORDED.glob("*.json")):
        name = next(event for event in sorted(EVENTS, key=len)[::-1] if path.name.startswith(event))
        payload = json.loads(path.read_text().replace("/home/ada/shop", str(repo)))
        inputs.append(json.dumps([name, payload]).encode())
    prompt = {"session_id": "s", "cwd": str(repo), "prompt": "[remember:decisions] Ship on Tuesday"}
    return [*inputs, json.dumps(["prompt", prompt]).encode()]


def split(data: bytes) -> tuple[str, bytes]:
    """The event of an input and what the hook reads; broken JSON is read as it is."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return "prompt", data
    if not isinstance(value, list) or not value:
        return "prompt", data
    name = value[0] if value[0] in EVENTS else "stop"
    rest = value[1] if len(value) > 1 else None
    return name, json.dumps(rest).encode()


def check_answer(name: str, said: bytes) -> None:
    """Nothing, or one JSON object of the fields that the client knows."""
    if not said:
        return
    answer = json.loads(said)
    assert isinstance(answer, dict)
    assert answer
    assert answer.keys() <= {"systemMessage", "hookSpecificOutput", "decision", "reason"}
    assert isinstance(answer.get("systemMessage", ""), str)
    assert answer.get("decision", "block") == "block"
    assert ("decision" in answer) == ("reason" in answer)
    if "hookSpecificOutput" in answer:
        specific = answer["hookSpecificOutput"]
        assert specific["hookEventName"] == _WITH_CONTEXT[name]
        context = specific.get("additionalContext", "")
        assert isinstance(context, str)
        assert utf16_length(context) <= MOST_UNITS


class Answer:
    """Where a hook that runs in this process prints."""

    def __init__(self) -> None:
        self.said = b""

    def write(self, answer: bytes) -> None:
        """Take the answer."""
        self.said += answer

    def flush(self) -> None:
        """There is nothing to flush."""


class NoDeadline(Deadline):
    """A deadline that does not end the process of the tests."""

    def set(self, seconds: float) -> None:
        """Let it take as long as it takes."""


def test_any_input_in_this_process(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No stage of a pipeline fails, except with an error that we have words for."""
    failed: list[Exception] = []
    start = pipeline.Work.__init__

    def watched(work: pipeline.Work, *args: Any) -> None:
        start(work, *args)
        work.failures = failed

    monkeypatch.setattr(pipeline.Work, "__init__", watched)

    def check(data: bytes) -> None:
        failed.clear()
        name, given = split(data)
        try:
            json.loads(given)
        except (ValueError, RecursionError):
            return  # the hook's outermost boundary takes these
        answer = Answer()
        with suppress(RecollectError):
            serve(
                receive(name, given, os.environ),
                os.environ,
                NoDeadline(name, answer),
                moment=time.time_ns() // 1_000_000,
            )
        for error in failed:
            if not isinstance(error, RecollectError):
                raise error
        check_answer(name, answer.said)

    run("hooks", recorded(repo), check, examples=200, mutate=mutate_json)


def test_any_input_of_the_process(repo: Path) -> None:
    """As the client calls it."""

    def check(data: bytes) -> None:
        name, given = split(data)
        done = subprocess.run(
            [sys.executable, "-m", "recollect", "hook", name],
            input=given,
            capture_output=True,
            cwd=repo,
            env={
                **os.environ,
                "RECOLLECT_HOOK_DEADLINE": "30000",
                "RECOLLECT_HOOK_SESSION_DEADLINE": "30000",
            },
        )
        assert done.returncode == 0
        assert done.stderr == b""
        check_answer(name, done.stdout)

    run("hook-processes", recorded(repo)[::6], check, examples=15, mutate=mutate_json)

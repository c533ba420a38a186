"""An agent that calls hooks, and what happens around it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.api.recollect import Recollect
from recollect.capture.spool_flush import stash_of
from tests.support.server import ping


class Agent:
    """Calls the hooks of one session in one directory."""

    def __init__(self, directory: Path, session: str = "s1") -> None:
        self.directory = directory
        self.session = session

    def call(self, event: str, raw: bytes, env: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Call a hook with these bytes; whatever they are, the contract holds."""
        done = subprocess.run(
            [sys.executable, "-m", "recollect", "hook", event],
            input=raw,
            capture_output=True,
            cwd=self.directory,
            # The machine may be slow; deadlines have a test of their own.
            env={
                **os.environ,
                "RECOLLECT_HOOK_DEADLINE": "30000",
                "RECOLLECT_HOOK_SESSION_DEADLINE": "30000",
                **(env or {}),
            },
            timeout=60,
        )
        assert done.returncode == 0
        assert done.stderr == b""
        if not done.stdout:
            return {}
        said: dict[str, Any] = json.loads(done.stdout)
        return said

    def hook(
        self, event: str, env: Mapping[str, str] | None = None, **fields: Any
    ) -> dict[str, Any]:
        """Call a hook as the client does."""
        payload = {"session_id": self.session, "cwd": str(self.directory), **fields}
        return self.call(event, json.dumps(payload).encode(), env)

    def context(self, event: str, env: Mapping[str, str] | None = None, **fields: Any) -> str:
        """What the agent gets to read."""
        said = self.hook(event, env, **fields)
        return str(said.get("hookSpecificOutput", {}).get("additionalContext", ""))


def git_behind(tmp_path: Path, script: str) -> str:
    """A PATH on which git first runs a script of the shell."""
    git = tmp_path / "in-front" / "git"
    git.parent.mkdir()
    git.write_text(f'#!/bin/sh\n{script}\nexec {shutil.which("git")} "$@"\n')
    git.chmod(0o755)
    return f"{git.parent}{os.pathsep}{os.environ['PATH']}"


def wait_a_while(store: Recollect) -> None:
    """As if half a minute had passed since something was put aside."""
    for path in stash_of(store).folder.glob("*"):
        os.utime(path, (time.time() - 30,) * 2)


def transcript(path: Path, *messages: tuple[str, str], tools: Sequence[str] = ()) -> None:
    """Add messages to a transcript, in the shape of the real client's lines."""
    with path.open("a", encoding="utf-8") as file:
        for role, text in messages:
            content: Any = text if role == "user" else [{"type": "text", "text": text}]
            if role == "assistant":
                content += [{"type": "tool_use", "id": "t", "name": name} for name in tools]
            line = {"type": role, "isSidechain": False, "uuid": "u", "sessionId": "s1"}
            file.write(json.dumps({**line, "message": {"role": role, "content": content}}) + "\n")


class PatientAgent(Agent):
    """Calls hooks, and looks at what they did when the engine has done it all."""

    def call(self, event: str, raw: bytes, env: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Call a hook, and wait until the engine is idle again."""
        said = super().call(event, raw, env)
        ping(self.directory)
        return said


def with_memories(store: Recollect) -> Recollect:
    """A closed store with a few memories, one of them private."""
    store.capture("decisions", "Use PostgreSQL for persistence", "Two workers write at once.")
    store.capture("preferences", "Always use uv for Python environments")
    store.capture(
        "learnings", "The order import must run in one transaction", "A crash lost lines."
    )
    store.capture("notes", "The cart rounds half up", files_modified=["src/cart.py"])
    store.capture("notes", "The vault is under the stairs", sensitivity="private")
    store.close()
    return store

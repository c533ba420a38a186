"""Serves events in the process of the tests."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.engine.stores import StorePool
from recollect.hooks.deadline import Deadline
from recollect.hooks.received import receive
from recollect.hooks.runner import serve
from recollect.hooks.stash import stash


class Answer:
    """Where the reply goes."""

    text = b""

    def write(self, answer: bytes) -> None:
        """Remember the reply."""
        self.text += answer

    def flush(self) -> None:
        """Do nothing."""


class NoDeadline(Deadline):
    """A deadline that does not end the process of the tests."""

    def set(self, seconds: float) -> None:
        """Let it take as long as it takes."""


class Talk:
    """A session whose hooks run in this process, which is fast."""

    def __init__(
        self,
        repo: Path,
        session: str = "s1",
        moment: int = 1_700_000_000_000,
        pool: StorePool | None = None,
    ) -> None:
        self.repo = repo
        self.session = session
        self.pool = pool  # of an engine; without one, each hook opens the store itself
        self._moment = moment

    def hook(self, event: str, **fields: Any) -> str:
        """What the user is told."""
        return str(self._reply(event, fields).get("systemMessage", ""))

    def context(self, event: str, **fields: Any) -> str:
        """What the agent gets to read."""
        said = self._reply(event, fields).get("hookSpecificOutput", {})
        return str(said.get("additionalContext", ""))

    def _reply(self, event: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        self._moment += 1000
        given = {"session_id": self.session, "cwd": str(self.repo), **fields}
        raw = json.dumps(given).encode()
        found = stash(event, self._moment, raw, os.environ) or receive(event, raw, os.environ)
        answer = Answer()
        deadline = NoDeadline(event, answer)
        serve(found, os.environ, deadline, moment=self._moment, pool=self.pool)
        reply: dict[str, Any] = json.loads(answer.text or b"{}")
        return reply

    def say(self, prompt: str) -> str:
        """What the user is told about a prompt."""
        return self.hook("prompt", prompt=prompt)

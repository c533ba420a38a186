"""Learns from the tools of a past session: failures with their cures, milestones, changed files.

The detectors are those of the hooks. What the hooks keep in local state between two events is kept
here for the length of one session. A failure without a cure is not kept: it is over by now, or it
happens again and is noticed then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from recollect.capture.checkpoints import checkpoint, tests_failed
from recollect.capture.commands import (
    RUN,
    files_written,
    only_looks,
    repairing_parts,
    task_of,
)
from recollect.capture.cures import covers, cures_of, is_worth_keeping, passes_again, solution_of
from recollect.capture.tool_learning import (
    SILENT,
    THRESHOLD,
    Learning,
    is_own_tool,
    is_stopped,
    learn_from,
)
from recollect.capture.workarounds import difference
from recollect.core.named_tuple import NamedTuple
from recollect.hosts.protocol import COMMAND, TOOL_FAILURE, WRITES, Event
from recollect.state.session_marks import FILE, TESTS_FAIL

_MOST_WAITING: Final = 50
_MOST_CHANGES: Final = 2_000


class Waiting(NamedTuple):
    """A failure without a cure: when it was, and the changes before it and before another one."""

    learning: Learning
    moment: float
    since: int
    until: int | None = None


class Solved(NamedTuple):
    """A failure and its cure, as fields of a memory."""

    record: Mapping[str, Any]
    learning: Learning


class ToolReplay:
    """The tools of one session, in order."""

    def __init__(
        self, redact: Callable[[str], str], relative: Callable[[str, str], str | None]
    ) -> None:
        self._redact = redact
        self._relative = relative
        self.waiting: dict[tuple[str, str], Waiting] = {}
        self._changes: list[str] = []
        # What happened, for the summary of the session: the moment, and the entry.
        self.log: list[tuple[float, str]] = []

    def feed(self, event: Event) -> Iterator[Solved]:
        """Learn from the result of a tool; yield what it solves."""
        moment = event.moment / 1000
        if event.action in WRITES and event.name != TOOL_FAILURE:
            self._written(event, event.files, moment)
            return
        if is_own_tool(event.tool) or is_stopped(event.error):
            return
        if event.action == COMMAND and tests_failed(
            event.action, event.command, f"{event.output}\n{event.error}"
        ):
            self.log.append((moment, TESTS_FAIL))
        if event.name == TOOL_FAILURE:
            files = [path for one in event.files if (path := self._path(event, one))]
            event, learning = self._learn(event, files)
            self._failed(event, learning, moment)
        elif event.action == COMMAND:
            yield from self._ran(event, moment)

    def _ran(self, event: Event, moment: float) -> Iterator[Solved]:
        event, learning = self._learn(event, ())
        if learning is not None and learning.severity == SILENT:
            self._failed(event, learning, moment)
            return
        milestone = checkpoint(event.action, event.command, event.output)
        if milestone:
            self.log.append((moment, self._redact(milestone)))
        yield from self._solve(event)
        self._written(event, files_written(event.command), moment)
        if not only_looks(event.command):
            self._change(RUN + self._redact(part) for part in repairing_parts(event.command))

    def _learn(self, event: Event, files: Sequence[str]) -> tuple[Event, Learning | None]:
        """Return the event and what it teaches, both redacted if anything of them is used.

        A learning is cut out of the output, and redaction would miss half a secret.
        """

        def read(one: Event) -> Learning | None:
            return learn_from(one.tool, one.command, files, one.output, one.error, threshold=0)

        learning = read(event)
        is_used = learning is not None and learning.score >= THRESHOLD
        is_used = is_used or any(covers(event.command, one.learning) for one in self._open())
        if not is_used and not checkpoint(event.action, event.command, event.output):
            return event, None
        event = event._replace(
            command=self._redact(event.command),
            output=self._redact(event.output),
            error=self._redact(event.error),
        )
        return event, read(event)

    def _open(self) -> list[Waiting]:
        return list(self.waiting.values())

    def _failed(self, event: Event, learning: Learning | None, moment: float) -> None:
        now = len(self._changes)
        found = learning.fingerprint if learning is not None else ""
        for key, known in list(self.waiting.items()):
            if not covers(event.command, known.learning):
                continue
            if not found or key[1] == found:
                self.waiting[key] = known._replace(since=now, until=None)
            elif known.until is None:
                self.waiting[key] = known._replace(until=now)
        if learning is None or learning.score < THRESHOLD or len(self.waiting) >= _MOST_WAITING:
            return
        task = " ".join(task_of(event.command)[0]) or event.tool
        self.waiting[(task, found)] = Waiting(learning, moment, now)

    def _solve(self, event: Event) -> Iterator[Solved]:
        told: set[str] = set()
        for key, known in list(self.waiting.items()):
            if not passes_again(known.learning, event.command, event.tool, event.output):
                continue
            del self.waiting[key]
            if key[1] not in told:
                told.add(key[1])
                yield from self._solution(event, known)

    def _solution(self, event: Event, known: Waiting) -> Iterator[Solved]:
        changes = self._changes[known.since : known.until]
        way = ""
        if known.until is None:
            failed = known.learning.command
            inline, way = difference(failed, event.command, is_all=not changes)
            changes += [RUN + self._redact(part) for part in inline]
        cures = cures_of(known.learning, changes)
        if way or (cures and is_worth_keeping(known.learning, cures)):
            record = solution_of(known.learning, command=event.command, cures=cures, way=way)
            yield Solved(record, known.learning)

    def _written(self, event: Event, paths: Sequence[str], moment: float) -> None:
        inside = [path for one in paths if (path := self._path(event, one))]
        self._change(inside)
        self.log += [(moment, FILE + path) for path in inside]

    def _change(self, changes: Sequence[str] | Iterator[str]) -> None:
        if len(self._changes) < _MOST_CHANGES:
            self._changes.extend(changes)

    def _path(self, event: Event, path: str) -> str | None:
        found = self._relative(event.directory, path)
        return None if found is None else self._redact(found)

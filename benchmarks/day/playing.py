"""Plays a day with the real client, and keeps what the agent, the user and the ledger got."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGKILL
from typing import Any

from benchmarks.day.acting import Agent
from benchmarks.day.history import make_history
from benchmarks.day.scripts import Day, Session
from tests.realclient.api import MessagesApi, Request, Script, Silence
from tests.realclient.engine import ping
from tests.realclient.run import Hook
from tests.realclient.workplace import PLUGIN, Conversation, Workplace

_BLOCK = re.compile(
    r'<(memory-context(?= source="recollect")|recollect-titles(?=>)).*?</\1>', re.DOTALL
)
_GUIDE = re.compile(r"<recollect-guide .*?</recollect-guide>", re.DOTALL)
_MEMORY = re.compile(r"<memory ([^>]*)>\n(.*?)\n</memory>", re.DOTALL)
_TITLE = re.compile(r"^> (([a-z-]+):[0-9a-f]+:\d+\S*) \(([^)]*)\) (.*)$", re.MULTILINE)
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_ENGINE_WAIT = 10.0  # seconds; a person takes longer to type the first prompt


@dataclass(frozen=True, slots=True)
class Injected:
    """A memory that was put in front of the agent."""

    id: str
    kind: str
    status: str
    text: str


@dataclass(slots=True)
class PlayedTurn:
    """What happened in a turn; turn 0 is the start of the session."""

    session: int
    turn: int
    began: float
    ended: float = 0.0
    context: str = ""  # all of ours that the agent had when it read the prompt
    conversation: str = ""  # of a session that goes on: all that the agent reads
    hooks: Sequence[Hook] = ()
    refused: Sequence[str] = ()  # what tools said that failed

    @property
    def injected(self) -> list[Injected]:
        """The memories that came in this turn."""
        return [memory for text in self.added for memory in memories_in(text)]

    @property
    def titles(self) -> list[Injected]:
        """The memories whose titles came in this turn."""
        return [memory for text in self.added for memory in titles_in(text)]

    @property
    def added(self) -> list[str]:
        """The texts that our hooks gave to the agent in this turn."""
        answers = (_answer(hook).get("hookSpecificOutput") or {} for hook in self.hooks)
        return [text for one in answers if (text := str(one.get("additionalContext") or ""))]

    @property
    def lines(self) -> list[str]:
        """The lines that the user was shown."""
        said = (str(_answer(hook).get("systemMessage") or "") for hook in self.hooks)
        return [line for text in said for line in text.splitlines() if line.strip()]


@dataclass(slots=True)
class PlayedDay:
    """What happened in a day, and what was left of it."""

    day: Day
    turns: list[PlayedTurn] = field(default_factory=list)
    memories: list[dict[str, Any]] = field(default_factory=list)
    waiting: list[dict[str, Any]] = field(default_factory=list)  # for `recollect review`
    traces: list[dict[str, Any]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    drafts_asked: int = 0
    seconds: float = 0.0

    def turn(self, session: int, turn: int) -> PlayedTurn:
        """The turn at a position."""
        return next(one for one in self.turns if (one.session, one.turn) == (session, turn))

    def traces_of(self, turn: PlayedTurn) -> list[dict[str, Any]]:
        """The traces of a turn, oldest first."""
        return [t for t in self.traces if turn.began <= t["at"] <= turn.ended]


def titles_in(text: str) -> list[Injected]:
    """The memories of which a hook gave the agent only the title."""
    bare = _MEMORY.sub("", text)
    return [
        Injected(name, kind, "unconfirmed" if "unconfirmed" in marks else "", title)
        for name, kind, marks, title in _TITLE.findall(bare)
    ]


def memories_in(text: str) -> list[Injected]:
    """The memories in a text that a hook gave to the agent."""
    found = []
    for given, quoted in _MEMORY.findall(text):
        values: Mapping[str, str] = dict(_ATTRIBUTE.findall(given))
        lines = (line.removeprefix(">").strip() for line in quoted.splitlines())
        found.append(
            Injected(
                values.get("id", ""),
                values.get("kind", ""),
                values.get("status", ""),
                "\n".join(lines),
            )
        )
    return found


def play_day(
    day: Day,
    root: Path,
    client: Path,
    *,
    may_draft: bool = True,
    settings: Mapping[str, str] | None = None,
) -> PlayedDay:
    """Play a day on a machine of its own, made in an empty folder.

    Without `settings`, which are environment variables, our configuration is the default.
    """
    started = time.monotonic()
    played = PlayedDay(day)
    with MessagesApi() as api:
        place = Workplace(root, client, api, PLUGIN, variables=dict(settings or {}))
        place.move_in()
        place.follow()
        make_history(place.repo, day.project, place.environment())
        ids: list[str] = []
        for number, session in enumerate(day.sessions, 1):
            folder = _folder(place, session)
            agent = Agent(day, session, number, folder, may_draft)
            ids.append(_play(place, agent, played, ids))
            played.drafts_asked += agent.asked
        _look(place, played)
    played.seconds = time.monotonic() - started
    return played


def _folder(place: Workplace, session: Session) -> Path:
    """Where a session runs; its worktree is made if it is not there."""
    if not session.worktree:
        return place.repo
    folder = place.home / session.worktree
    if not folder.exists():
        place.git("worktree", "add", "--quiet", str(folder))
    return folder


def _play(place: Workplace, agent: Agent, played: PlayedDay, ids: Sequence[str]) -> str:
    session, number = agent.session, agent.number
    options = ["--resume", ids[session.resume - 1]] if session.resume else []
    turns = [PlayedTurn(number, 0, time.time())]
    with place.start(options=options, cwd=agent.folder, several=True) as talk:
        if not session.is_hasty:
            _wait_for_engine(place, agent.folder)
        for count, turn in enumerate(session.turns, 1):
            is_cut = session.end == "kill-in-turn" and count == len(session.turns)
            now = PlayedTurn(number, count, time.time())
            turns[-1].ended = now.began
            turns.append(now)
            script = [*agent.answers(count), *([Silence()] if is_cut else ())]
            place.api.play(Script(script, rest=agent.rest))
            before = len(place.api.requests)
            talk.say(turn.user)
            if is_cut:
                _wait_for_main(talk, place.api, before, len(script))
            else:
                talk.wait_for_result()
            first = next(iter(_main(place.api, before)), None)
            now.context = _ours(first) if first else ""
            now.conversation = first.text if first and session.resume else ""
            now.ended = time.time()
        if session.end != "exit":
            talk.signal(SIGKILL)
        run = talk.finish()
    by_turn = run.hooks_by_turn()
    turns[0].hooks = [hook for hook in by_turn[0] if hook.event == "SessionStart"]
    turns[1].hooks = [hook for hook in by_turn[0] if hook.event != "SessionStart"]
    for one, hooks in zip(turns[2:], by_turn[1:], strict=False):
        one.hooks = hooks
    if len(by_turn) >= len(turns):
        turns[-1].hooks = [*turns[-1].hooks, *by_turn[-1]]
    turns[-1].ended = time.time()
    for one, refused in zip(turns[1:], _refused(run.events), strict=False):
        one.refused = refused
    played.turns += turns
    return run.session


def _refused(events: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """What tools said that failed, a list for each turn."""
    turns: list[list[str]] = [[]]
    for event in events:
        if event.get("type") == "result":
            turns.append([])
        elif event.get("type") == "user" and isinstance(event["message"]["content"], list):
            blocks = event["message"]["content"]
            turns[-1] += [str(block["content"]) for block in blocks if block.get("is_error")]
    return turns


def _wait_for_engine(place: Workplace, folder: Path) -> None:
    end = time.monotonic() + _ENGINE_WAIT
    while ping(place, folder) is None and time.monotonic() < end:
        time.sleep(0.05)


def _wait_for_main(talk: Conversation, api: MessagesApi, before: int, count: int) -> None:
    talk.wait_until(lambda: len(_main(api, before)) >= count, f"request {count}")


def _main(api: MessagesApi, before: int) -> list[Request]:
    return [request for request in api.requests[before:] if request.kind == "main"]


def _ours(request: Request) -> str:
    """What our hooks gave to the agent, as far as it is in a request."""
    return _GUIDE.sub("", "\n".join(found[0] for found in _BLOCK.finditer(request.text)))


def _answer(hook: Hook) -> dict[str, Any]:
    try:
        answer = json.loads(hook.stdout or "{}")
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _look(place: Workplace, played: PlayedDay) -> None:
    """Look at what the day left, after its end."""
    played.memories = _json(place, "list", "--status", "all", "--json")
    known = {one["uid"] for one in played.memories}
    more = _json(place, "list", "--status", "unconfirmed", "--json")
    played.memories += [one for one in more if one["uid"] not in known]
    played.waiting = _json(place, "review", "--json")
    played.traces = _json(place, "why", "-n", "500", "--json")[::-1]
    played.failures = place.hook_failures()


def _json(place: Workplace, *command: str) -> list[dict[str, Any]]:
    try:
        printed = place.recollect(*command)
    except AssertionError:  # an option that this version does not have
        return []
    found = json.loads(printed)
    return found if isinstance(found, list) else []

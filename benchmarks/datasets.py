"""The texts and questions that recall is measured on, read from the folder RECOLLECT_DATA.

The data is for evaluation only and never becomes part of the project.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

VARIABLE = "RECOLLECT_DATA"
LOCOMO = Path("locomo") / "locomo_1_to_6.json"
GITCITE = Path("gitcite_postgres")
SETS = ("locomo-turns", "locomo-sessions", "gitcite-tune", "gitcite-report")
# The numbers that LoCoMo gives to its kinds of questions. The adversarial ones ask one person
# about what the other one said; their evidence is the turn that tells it.
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")


class NoData(Exception):
    """The data folder is not given, or a file is missing in it."""


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be remembered and found."""

    id: str
    text: str
    time: datetime
    group: str = ""
    session: str = ""
    speaker: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A question and the items that answer it.

    It searches the items of its own group only, and with a time only items older than it.
    """

    text: str
    gold: frozenset[str]
    category: str = ""
    group: str = ""
    time: datetime | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """Items, queries, and how much of the source could not be used."""

    name: str
    items: tuple[Item, ...]
    queries: tuple[Query, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)

    def groups(self) -> dict[str, list[Item]]:
        """The items by group, in their order."""
        found: dict[str, list[Item]] = {}
        for item in self.items:
            found.setdefault(item.group, []).append(item)
        return found


def data_folder() -> Path:
    """The folder that RECOLLECT_DATA names."""
    named = os.environ.get(VARIABLE)
    if not named:
        raise NoData(f"{VARIABLE} is not set: give it the folder that holds the benchmark data.")
    folder = Path(named)
    if not folder.is_dir():
        raise NoData(f"{VARIABLE} names {folder}, which is not a folder.")
    return folder


def load(name: str, folder: Path) -> Corpus:
    """One of the sets by its name."""
    if name.startswith("locomo-"):
        path = folder / LOCOMO
        if not path.is_file():
            raise NoData(f"There is no {path}.")
        conversations = json.loads(path.read_text("utf-8"))
        return locomo(name, conversations, sessions=name == "locomo-sessions")
    if name.startswith("gitcite-"):
        paths = folder / GITCITE / "commits.jsonl", folder / GITCITE / "queries.jsonl"
        for path in paths:
            if not path.is_file():
                raise NoData(f"There is no {path}.")
        return gitcite(name, *map(_lines, paths), later=name == "gitcite-report")
    raise NoData(f"There is no set {name!r}; the sets are: {', '.join(SETS)}.")


def _lines(path: Path) -> list[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def locomo(name: str, conversations: Iterable[Mapping[str, Any]], *, sessions: bool) -> Corpus:
    """Conversations as turns, each conversation by itself, or as sessions in one pool."""
    items: list[Item] = []
    queries: list[Query] = []
    dropped: dict[str, int] = {}
    for conversation in conversations:
        label = str(conversation["sample_id"])
        turns = _turns(label, conversation["conversation"])
        items.extend(_sessions(turns) if sessions else turns)
        known = {turn.id: turn for turn in turns}
        for asked in conversation["qa"]:
            gold = set()
            for turn_id in _evidence(label, asked, dropped):
                if turn_id in known:
                    gold.add(known[turn_id].session if sessions else turn_id)
                else:
                    _count(dropped, "evidence that names no turn")
            if not gold:
                _count(dropped, "questions without evidence")
                continue
            category = CATEGORIES.get(asked["category"], str(asked["category"]))
            group = "" if sessions else label
            queries.append(Query(str(asked["question"]), frozenset(gold), category, group))
    return Corpus(name, tuple(items), tuple(queries), dropped)


def _turns(label: str, conversation: Mapping[str, Any]) -> list[Item]:
    turns = []
    for key, said in conversation.items():
        if not isinstance(said, list):
            continue
        time = parse_time(conversation[f"{key}_date_time"])
        session = f"{label}/{key}"
        for turn in said:
            text = f"{turn['speaker']}: {turn['text']}"
            if turn.get("blip_caption"):
                text += f" [shares a photo: {turn['blip_caption']}]"
            turns.append(
                Item(f"{label}/{turn['dia_id']}", text, time, label, session, turn["speaker"])
            )
    return turns


def _sessions(turns: Iterable[Item]) -> list[Item]:
    said: dict[str, list[Item]] = {}
    for turn in turns:
        said.setdefault(turn.session, []).append(turn)
    return [
        Item(
            session,
            "\n".join((_heading(part), *(turn.text for turn in part))),
            part[0].time,
            session=session,
        )
        for session, part in said.items()
    ]


def _heading(turns: Iterable[Item]) -> str:
    """Who spoke and when; a session tells its day, and questions ask for it."""
    turns = list(turns)
    speakers = " and ".join(sorted({turn.speaker for turn in turns}))
    return f"{speakers}, {turns[0].time:%I:%M %p}, {turns[0].time.day} {turns[0].time:%B %Y}"


def _evidence(label: str, asked: Mapping[str, Any], dropped: dict[str, int]) -> set[str]:
    """The turns that a question names; several may be written in one string."""
    found: set[str] = set()
    for text in asked.get("evidence") or ():
        parts = _EVIDENCE.findall(text)
        if not parts:
            _count(dropped, "evidence that cannot be read")
        found.update(f"{label}/D{session}:{turn}" for session, turn in parts)
    return found


def _count(dropped: dict[str, int], what: str) -> None:
    dropped[what] = dropped.get(what, 0) + 1


def parse_time(text: str) -> datetime:
    """When a session took place: "1:56 pm on 8 May, 2023"."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def gitcite(
    name: str,
    commits: Iterable[Mapping[str, Any]],
    queries: Iterable[Mapping[str, Any]],
    *,
    later: bool,
) -> Corpus:
    """Commit messages, and the texts of later commits that cite them.

    The earlier half of the queries by time is for tuning, the later half for reporting.
    """
    items = tuple(
        Item(
            commit["id"],
            commit["text"],
            datetime.fromtimestamp(commit["time"], UTC),
            speaker=commit.get("author", ""),
            files=tuple(commit.get("files") or ()),
        )
        for commit in commits
    )
    times = {item.id: item.time for item in items}
    asked: list[Query] = []
    dropped: dict[str, int] = {}
    for query in sorted(queries, key=lambda query: (query["time"], query["id"])):
        time = datetime.fromtimestamp(query["time"], UTC)
        gold = {cited for cited in query["gold"] if cited in times and times[cited] < time}
        if len(gold) < len(query["gold"]):
            _count(dropped, "queries that cite an unknown or a younger commit")
        asked.append(Query(query["text"], frozenset(gold), time=time))
    middle = len(asked) // 2
    half = [query for query in (asked[middle:] if later else asked[:middle]) if query.gold]
    return Corpus(name, items, tuple(half), dropped)

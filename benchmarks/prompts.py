"""Stores of several sorts with prompts: what injection is fitted on, and what it is measured on.

A setting is a store and the prompts that somebody types in it, each with the memories that it
should bring. There are three sorts: commits of PostgreSQL with the openings of later commits that
cite them, hand-written memories with questions about them (`benchmarks/questions`), and such
memories among commits. Prompts that should bring nothing are questions of LoCoMo, what people typed
in recorded sessions of another project, and what the writers of the questions thought of.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import recollect
from benchmarks.capture.transcripts import entries, recorded
from benchmarks.corpus import run_git
from benchmarks.datasets import Item, data_folder, load
from benchmarks.quality import as_record, counting
from recollect.api.recollect import Recollect

HALVES = ("tuning", "held-out")
QUESTIONS = Path(__file__).parent / "questions"
NOTHING = "nothing"
_OPENING = 160
_COMMIT_PROMPTS = 300
_TALK = 300
_LONGEST = 2000
_LEAST_PARAGRAPH = 80


class Prompt(NamedTuple):
    """What somebody types, the memories it should bring, and the sort of question it is."""

    text: str
    gold: frozenset[str] = frozenset()
    sort: str = NOTHING


class Setting(NamedTuple):
    """A store, as records by a name, and prompts."""

    name: str
    records: Mapping[str, Mapping[str, Any]]
    prompts: Sequence[Prompt]


class Project(NamedTuple):
    """Hand-written memories of one project, and questions about them."""

    name: str
    records: Mapping[str, Mapping[str, Any]]
    prompts: Sequence[Prompt]


def read_projects(folder: Path, *, asked_as: bool = False) -> list[Project]:
    """Read every project of a folder; rows with a sort are prompts, the others are memories."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for path in sorted(folder.rglob("*.jsonl")):
        lines = path.read_text("utf-8").splitlines()
        rows.setdefault(path.name.partition(".")[0], []).extend(
            json.loads(line) for line in lines if line.strip()
        )
    return [_project(name, own, asked_as=asked_as) for name, own in rows.items()]


def _project(name: str, rows: Iterable[Mapping[str, Any]], *, asked_as: bool) -> Project:
    records, prompts = {}, []
    for row in rows:
        if "sort" in row:
            gold = frozenset({f"{name}/{row['memory']}"} if "memory" in row else ())
            prompts.append(Prompt(row["text"], gold, row["sort"]))
            continue
        records[f"{name}/{row['id']}"] = {
            "kind": row["kind"],
            "summary": row["summary"],
            "body": row.get("body", ""),
            "tags": row.get("tags", []),
            "files_modified": row.get("files", []),
            "at": None,
            "created": f"{row['date']}T12:00:00Z",
            **({"asked_as": row["asked_as"]} if asked_as and "asked_as" in row else {}),
        }
    return Project(name, records, prompts)


def commit_prompts(half: str, opening: int = _OPENING) -> tuple[dict[str, Item], list[Prompt]]:
    """Return the commits of PostgreSQL, and openings of later commits that cite them."""
    corpus = load("gitcite-tune" if half == "tuning" else "gitcite-report", data_folder())
    queries = list(corpus.queries)
    random.Random(5).shuffle(queries)
    queries = queries[:_COMMIT_PROMPTS]
    gold = {uid for query in queries for uid in query.gold}
    # The store must not hold the commit that a prompt is the opening of.
    own = {query.time for query in queries} - {i.time for i in corpus.items if i.id in gold}
    prompts = [
        Prompt(query.text[:opening], frozenset(query.gold), "commit")
        for query in queries
        if query.time in own
    ]
    return {item.id: item for item in corpus.items if item.time not in own}, prompts


def unrelated(half: str) -> list[Prompt]:
    """Return prompts that have nothing to do with any of the stores; each half has its own."""
    folder = data_folder()
    talk = [Prompt(query.text, sort="talk") for query in load("locomo-turns", folder).queries]
    typed = [Prompt(text[:_LONGEST], sort="typed") for text in dict.fromkeys(typed_prompts(folder))]
    random.Random(6).shuffle(talk)
    start = HALVES.index(half)
    return [*talk[: 2 * _TALK][start::2], *typed[start::2]]


def typed_prompts(folder: Path) -> Iterator[str]:
    """Return what people typed in recorded sessions."""
    for path in recorded(folder):
        for entry in entries(path):
            message = entry.get("message")
            if not isinstance(message, dict) or entry.get("type") != "user":
                continue
            content = message.get("content")
            if isinstance(content, str) and not content.lstrip().startswith(("<", "/")):
                yield content


def mixed(half: str, size: int, *, asked_as: bool = False, gone: int = 0) -> Setting:
    """All hand-written memories of a half among commits, or some if the store is smaller.

    Half of a small store are hand-written memories, so that there are prompts about both. `gone`
    prompts are about memories that the store lacks, so they should bring nothing.
    """
    projects = read_projects(QUESTIONS / half, asked_as=asked_as)
    written = {uid: record for project in projects for uid, record in project.records.items()}
    asked = [prompt for project in projects for prompt in project.prompts]
    commits, cited = commit_prompts(half)
    rng = random.Random(size)
    some = dict(rng.sample(sorted(written.items()), min(len(written), size // 2)))
    gold = sorted({uid for prompt in cited for uid in prompt.gold})
    others = sorted(set(commits) - set(gold))
    rng.shuffle(others)
    room = size - len(some)
    few = gold[: max(0, room)]
    chosen = [commits[uid] for uid in (*few, *others[: max(0, room - len(few))])]
    if len(chosen) < room:
        chosen += islice(_paragraphs(commits[uid] for uid in others), room - len(chosen))
    records = {**some, **{item.id: as_record(item) for item in chosen}}
    prompts = [p for p in (*asked, *cited) if p.gold and p.gold <= records.keys()]
    nothing = [p for p in asked if not p.gold]
    lacking = [Prompt(p.text, sort="gone") for p in asked if p.gold and not p.gold <= some.keys()]
    nothing += rng.sample(lacking, min(gone, len(lacking)))
    return Setting(f"mixed {size}", records, [*prompts, *nothing, *unrelated(half)])


def _paragraphs(items: Iterable[Item]) -> Iterator[Item]:
    """Return the paragraphs of texts, but not the first ones, as texts of their own."""
    for item in items:
        for number, text in enumerate(item.text.split("\n\n")[1:]):
            if len(text) >= _LEAST_PARAGRAPH:
                yield replace(item, id=f"{item.id}#{number}", text=text)


def build(folder: Path, setting: Setting, *, vectors: bool) -> tuple[Recollect, dict[str, str]]:
    """Make a repository that remembers the records of a setting; return it and uid → name."""
    place = Path(tempfile.mkdtemp(dir=folder))
    run_git(place, "init", "--quiet", "--initial-branch=main", ".")
    store = recollect.open(place)
    kept = store.capture_many([dict(record) for record in setting.records.values()])
    if vectors:
        store.indexing.embed_pending(store.indexing.fresh(), progress=counting(setting.name))
    return store, {m.uid: name for m, name in zip(kept, setting.records, strict=True)}

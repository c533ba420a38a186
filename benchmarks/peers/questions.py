"""The pure part: the questions as a corpus, the scores of rankings, and the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from benchmarks.datasets import Corpus, Item, Query
from benchmarks.metrics import judge, summarize
from benchmarks.prompts import Project

SORTS = ("words", "paraphrase", "indirect", "all")
COLUMNS = {"r@1": "hit@1", "hit@5": "hit@5", "ndcg@10": "nDCG@10"}
_LONGEST_REASON = 160


class Failed(Exception):
    """A peer does not run here; the text says why."""


class Measured(NamedTuple):
    """What a system found for each question, and its times."""

    rankings: Sequence[Sequence[str]]
    # For the 60 memories of a project, and the median of one question.
    store_seconds: float
    query_seconds: float


def as_text(record: Mapping[str, Any]) -> str:
    """A memory as one text with everything that our search sees, title first."""
    lines = [record["summary"], "", record["body"], ""]
    if record["tags"]:
        lines.append(f"Tags: {', '.join(record['tags'])}")
    if record["files_modified"]:
        lines.append(f"Files: {', '.join(record['files_modified'])}")
    lines += record.get("asked_as", ())
    return "\n".join(lines).strip()


def as_corpus(projects: Sequence[Project]) -> Corpus:
    """All memories and the questions that have an answer, each in the group of its project."""
    return Corpus(
        "questions",
        tuple(
            Item(name, as_text(record), datetime.fromisoformat(record["created"]), project.name)
            for project in projects
            for name, record in project.records.items()
        ),
        tuple(
            Query(prompt.text, prompt.gold, prompt.sort, project.name)
            for project in projects
            for prompt in project.prompts
            if prompt.gold
        ),
    )


def score(measured: Measured, queries: Sequence[Query]) -> dict[str, Any]:
    """The means for each sort of question, and the times."""
    judged = [
        (query.category, judge(ranking, query.gold))
        for ranking, query in zip(measured.rankings, queries, strict=True)
    ]
    return {
        "scores": summarize(judged),
        "store_seconds": round(measured.store_seconds, 2),
        "query_ms": round(measured.query_seconds * 1000, 1),
    }


def why(log: str) -> str:
    """Why a peer failed: the last line of what it printed that is not empty."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    reason = lines[-1] if lines else "it ended without a word"
    return f"does not run offline: {reason[:_LONGEST_REASON]}"


def table(results: Mapping[str, Mapping[str, Any] | str]) -> Iterator[str]:
    """Markdown: hit@1 / hit@5 / nDCG@10 for each sort of question, in percent."""
    yield f"| {' / '.join(COLUMNS.values())} | {' | '.join(SORTS)} | 60 memories | one query |"
    yield "|---|" + "---:|" * (len(SORTS) + 2)
    for name, result in results.items():
        if isinstance(result, str):
            yield f"| {name} | {result} |" + " |" * (len(SORTS) + 1)
            continue
        cells = [
            " / ".join(f"{100 * result['scores'][sort][column]:.0f}" for column in COLUMNS)
            for sort in SORTS
        ]
        yield (
            f"| {name} | {' | '.join(cells)} | {result['store_seconds']:.1f} s"
            f" | {result['query_ms']:.0f} ms |"
        )

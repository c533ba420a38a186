"""The pure part: the questions as a corpus, the scores of rankings, and the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from benchmarks.datasets import Corpus, Item, Query
from benchmarks.metrics import judge, summarize
from benchmarks.prompts import Project

SORTS = ("words", "paraphrase", "indirect", "all")
COLUMNS = {"r@1": "hit@1", "hit@5": "hit@5", "ndcg@10": "nDCG@10"}
_LONGEST_REASON = 160

# The ids that a system found for each question, best first.
Rankings = Sequence[Sequence[str]]
# Sort of question → column → mean.
Scores = Mapping[str, Mapping[str, float]]


class Failed(Exception):
    """A peer does not run here; the text says why."""


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


def score(rankings: Rankings, queries: Sequence[Query]) -> dict[str, dict[str, float]]:
    """The means for each sort of question, and for all."""
    return summarize(
        [
            (query.category, judge(ranking, query.gold))
            for ranking, query in zip(rankings, queries, strict=True)
        ]
    )


def why(log: str) -> str:
    """Why a peer failed: the last line of what it printed that is not empty."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    reason = lines[-1] if lines else "it ended without a word"
    return f"does not run offline: {reason[:_LONGEST_REASON]}"


def table(results: Mapping[str, Scores | str]) -> Iterator[str]:
    """Markdown: hit@1 / hit@5 / nDCG@10 for each sort of question, in percent."""
    yield f"| {' / '.join(COLUMNS.values())} | {' | '.join(SORTS)} |"
    yield "|---|" + "---:|" * len(SORTS)
    for name, scores in results.items():
        if isinstance(scores, str):
            yield f"| {name} | {scores} |" + " |" * (len(SORTS) - 1)
            continue
        cells = [
            " / ".join(f"{100 * scores[sort][column]:.0f}" for column in COLUMNS) for sort in SORTS
        ]
        yield f"| {name} | {' | '.join(cells)} |"

"""What a prompt puts in front of the agent: in full, as a title, rightly or not, and its tokens.

RECOLLECT_DATA=/path/to/data python -m benchmarks.injection
RECOLLECT_DATA=/path/to/data python -m benchmarks.injection --half held-out --sizes 20,1000,20000

Each store holds hand-written memories (`benchmarks/questions`) among commits of PostgreSQL, and if
these are too few, paragraphs of commits that no prompt is about. It is measured cold, as a hook
without a model, and warm, as the engine with one, with the candidates, the gate and the selection
that the prompt hook uses. Run the held-out half once per release, and choose nothing by it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.datasets import NoData
from benchmarks.prompts import HALVES, Prompt, Setting, build, mixed
from benchmarks.quality import open_cached, talk, temporary_folder
from recollect.api.recollect import Recollect
from recollect.core.age import age
from recollect.index.protocol import Filters, Index
from recollect.index.text import query_terms
from recollect.search import selection
from recollect.search.constants import MOST_TITLES, TITLE_TOKENS
from recollect.search.gate import about
from recollect.search.rendering import render_memory, render_title, render_titles, shorten_titles
from recollect.search.search import Hit, Question, search
from recollect.search.selection import Candidate
from recollect.search.tokens import count_tokens
from recollect.search.triggers import asked_for, asks_for_memory

SIZES = "20,1000,20000"
MOST, BUDGET = 5, 2000  # the defaults of inject.prompt_memories and inject.prompt_tokens
_CANDIDATES = 30  # as in hooks/stages.py


class Brought(NamedTuple):
    """What a prompt brings, by uid, and the tokens of it."""

    full: Sequence[str]
    titles: Sequence[str]
    tokens: int


def latest(setting: Setting) -> float:
    """Return the moment at which the prompts are typed: that of the youngest memory."""
    moments = (record["created"] for record in setting.records.values())
    return max(datetime.fromisoformat(moment).timestamp() for moment in moments)


def candidates_of(
    store: Recollect, prompt: str, now: float, *, warm: bool, word_vectors: bool = True
) -> list[Hit]:
    """Return the hits that a prompt hook looks at; `warm` as the engine, which has a model."""
    text = asked_for(prompt)
    if not query_terms(text):
        return []
    asked = asks_for_memory(prompt)
    question = Question(
        text,
        _CANDIDATES * 2 if asked else _CANDIDATES,
        filters=Filters(sensitivities=frozenset({"public"}), alive_at=now),
        candidates=0,
        asked=asked,
        word_vectors=word_vectors,
    )

    def find(index: Index) -> list[Hit]:
        embed = store.indexing.embed_query(index) if warm else None
        return search(index, question, now=now, embed=embed)

    return store.indexing.using(find)


def brought(store: Recollect, prompt: str, now: float, *, warm: bool) -> Brought:
    """Return what a prompt hook would put in front of the agent."""
    found = [
        Candidate(hit.memory, hit.probability, "", hit.words, hit.probability, about(hit.features))
        for hit in candidates_of(store, prompt, now, warm=warm)
    ]
    likely, maybe = selection.by_probability(found)
    unique, _ = selection.without_repeats(likely)
    chosen, _ = selection.pick_by_age(unique, MOST, now)
    full = selection.fill(
        chosen,
        BUDGET,
        lambda memory, brief: render_memory(memory, age(memory.created, now), brief=brief),
        now=now,
    )
    named = selection.without_repeats(maybe[: 2 * MOST_TITLES])[0][:MOST_TITLES]
    titles = shorten_titles([render_title(c.memory) for c in named], TITLE_TOKENS)
    if not selection.worth_naming(named[: len(titles)]):
        titles = []
    block = count_tokens(render_titles(titles, "Possibly related"))
    return Brought(
        [c.memory.uid for c in full.chosen],
        [c.memory.uid for c in named[: len(titles)]],
        (full.tokens if full.chosen else 0) + block,
    )


def measure(names: dict[str, str], found: Iterable[tuple[Prompt, Brought]]) -> dict[str, float]:
    """Return how often prompts bring what they should, and what they bring besides."""
    total = full_right = right = memories = titles = any_full = any_title = good = tokens = 0
    for prompt, given in found:
        full = {names[uid] for uid in given.full}
        named = {names[uid] for uid in given.titles}
        total += 1
        full_right += bool(prompt.gold & full)
        right += bool(prompt.gold & (full | named))
        good += len(prompt.gold & full)
        memories += len(full)
        titles += len(named)
        any_full += bool(full)
        any_title += bool(named)
        tokens += given.tokens
    return {
        "prompts": total,
        "right_in_full": full_right / total,
        "right_at_all": right / total,
        "any_in_full": any_full / total,
        "memories_each": memories / total,
        "precision": good / memories if memories else 0.0,
        "titles_each": titles / total,
        "tokens_each": tokens / total,
    }


def run(
    sizes: Sequence[int], half: str, cache: Path, *, asked_as: bool, cold: bool
) -> list[dict[str, Any]]:
    """Measure every size, cold and warm, by the sort of prompt."""
    rows: list[dict[str, Any]] = []
    with temporary_folder() as scratch:
        embedder = None if cold else open_cached(cache)
        has_model = embedder is not None
        if embedder is not None:
            embedder.keeps_queries = True
        for size in sizes:
            setting = mixed(half, size, asked_as=asked_as)
            store, names = build(scratch, setting, vectors=has_model)
            now = latest(setting)
            for warm in (False, True) if has_model else (False,):
                groups: dict[str, list[tuple[Prompt, Brought]]] = {}
                for prompt in setting.prompts:
                    given = brought(store, prompt.text, now, warm=warm)
                    for group in (prompt.sort, "about a memory" if prompt.gold else "unrelated"):
                        groups.setdefault(group, []).append((prompt, given))
                for sort, found in groups.items():
                    row = measure(names, found)
                    rows.append({"memories": size, "warm": warm, "sort": sort, **row})
                    print(line(rows[-1]), flush=True)
            store.close()
    return rows


def line(row: dict[str, Any]) -> str:
    """Return a row of the table."""
    return (
        f"{row['memories']:>6} {'warm' if row['warm'] else 'cold'} {row['sort']:<14}"
        f" {row['prompts']:>4} prompts: right in full {row['right_in_full']:>6.1%},"
        f" or as a title {row['right_at_all']:>6.1%}, any in full {row['any_in_full']:>6.1%},"
        f" {row['memories_each']:.2f} memories and {row['titles_each']:.2f} titles each,"
        f" precision {row['precision']:.2f}, {row['tokens_each']:.0f} tokens"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.injection", description=__doc__)
    parser.add_argument("--half", choices=HALVES, default="tuning")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--cold", action="store_true", help="only without vectors, which is fast")
    parser.add_argument("--asked-as", action="store_true", help="memories say what they answer")
    parser.add_argument("--json", type=Path, help="save the rows in this file")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir()) / "recollect-bench-cache",
        help="where vectors are kept between runs",
    )
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    try:
        rows = run(
            sizes,
            options.half,
            options.cache,
            asked_as=options.asked_as,
            cold=options.cold,
        )
    except NoData as problem:
        sys.exit(str(problem))
    talk(f"{len(rows)} rows")
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

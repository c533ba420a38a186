"""How often a prompt brings noise, and how often what it asks for: the floor of selection.

RECOLLECT_DATA=/path/to/data python -m benchmarks.floor

The memories are commits of PostgreSQL. Prompts that have nothing to do with them are the questions
of LoCoMo and what people typed in the recorded sessions of another project: every memory that one
of them brings is noise. Prompts that should find something are the openings of later commits that
cite an earlier one. Half of each is for choosing the floor, half for reporting it.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import recollect
from benchmarks.capture.transcripts import entries, recorded
from benchmarks.corpus import run_git
from benchmarks.datasets import Item, NoData, data_folder, load
from benchmarks.quality import as_record, temporary_folder
from recollect.api.recollect import Recollect
from recollect.index.protocol import Filters
from recollect.index.text import query_terms
from recollect.search import selection
from recollect.search.constants import FLOOR_VECTOR
from recollect.search.search import Question, search_words_first
from recollect.search.selection import Candidate
from recollect.search.triggers import asks_for_memory

PROMPTS = 300
OPENING = 160
MOST = 5
_LOOK_AT = 30


class Prompt(NamedTuple):
    """What somebody types, and the items it should bring."""

    text: str
    gold: frozenset[str] = frozenset()


def typed_prompts(folder: Path) -> Iterator[str]:
    """What people typed in recorded sessions."""
    for path in recorded(folder):
        for entry in entries(path):
            message = entry.get("message")
            if not isinstance(message, dict) or entry.get("type") != "user":
                continue
            content = message.get("content")
            if isinstance(content, str) and not content.lstrip().startswith(("<", "/")):
                yield content


def remember(folder: Path, items: Sequence[Item]) -> tuple[Recollect, dict[str, str]]:
    """A repository that remembers some items, and which uid is which."""
    place = Path(tempfile.mkdtemp(dir=folder))
    run_git(place, "init", "--quiet", "--initial-branch=main", ".")
    store = recollect.open(place)
    kept = store.capture_many(map(as_record, items))
    return store, {memory.uid: item.id for memory, item in zip(kept, items, strict=True)}


def brought(store: Recollect, prompt: str, now: float, *, warm: bool = False) -> list[str]:
    """What a prompt hook would put in front of the agent, by uid; `warm` by a loaded model, too."""
    filters = Filters(sensitivities=frozenset({"public"}), alive_at=now)
    asked = asks_for_memory(prompt)
    question = Question(prompt, _LOOK_AT * 2 if asked else _LOOK_AT, filters=filters)
    hits = store.indexing.using(
        lambda index: search_words_first(
            index,
            question,
            near=FLOOR_VECTOR,
            now=now,
            embed=store.indexing.embed_query if warm else None,
        )
    )
    candidates = [
        Candidate(hit.memory, hit.score, "", hit.words, hit.evidence, hit.why.vector)
        for hit in hits
    ]
    kept, _ = selection.above_floor(candidates, len(query_terms(prompt)), asked=asked)
    kept, _ = selection.without_repeats(kept)
    return [c.memory.uid for c in selection.pick_by_age(kept, MOST, now)[0]]


def measure(
    store: Recollect, ids: dict[str, str], prompts: Iterable[Prompt], now: float, *, warm: bool
) -> dict[str, float]:
    """How many prompts bring anything, bring what they should, and how many each brings."""
    total = some = right = memories = good = 0
    for prompt in prompts:
        found = [ids[uid] for uid in brought(store, prompt.text, now, warm=warm)]
        total += 1
        some += bool(found)
        right += bool(prompt.gold & set(found))
        memories += len(found)
        good += len(prompt.gold & set(found))
    return {
        "prompts": total,
        "with_any": some / total,
        "with_the_right_one": right / total,
        "memories_each": memories / total,
        "precision": good / memories if memories else 0.0,
    }


def run(sizes: Sequence[int], *, warm: bool = False) -> list[dict[str, Any]]:
    """Every size, every kind of prompt, both halves."""
    folder = data_folder()
    rng = random.Random(5)
    corpus = load("gitcite-tune", folder)
    by_id = {item.id: item for item in corpus.items}
    related = [Prompt(q.text[:OPENING], frozenset(q.gold)) for q in corpus.queries]
    rng.shuffle(related)
    related = related[:PROMPTS]
    talk = [Prompt(q.text) for q in load("locomo-turns", folder).queries]
    typed = [Prompt(text[:2000]) for text in dict.fromkeys(typed_prompts(folder))]
    rng.shuffle(talk)
    gold = sorted({uid for prompt in related for uid in prompt.gold})
    others = [uid for uid in by_id if uid not in set(gold)]
    rng.shuffle(others)
    rows: list[dict[str, Any]] = []
    with temporary_folder() as scratch:
        for size in sizes:
            few = gold[:size]
            chosen = [by_id[uid] for uid in [*few, *others[: max(0, size - len(few))]]]
            here = [prompt for prompt in related if prompt.gold <= set(few)]
            store, ids = remember(scratch, chosen)
            now = max(item.time for item in chosen).timestamp()
            if warm:
                store.indexing.embed_pending(store.indexing.fresh())
            for name, prompts in (("related", here), ("talk", talk[:PROMPTS]), ("typed", typed)):
                for half, part in (("chosen on", prompts[::2]), ("held out", prompts[1::2])):
                    row = measure(store, ids, part, now, warm=warm)
                    rows.append({"memories": size, "prompts_are": name, "half": half, **row})
            store.close()
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="100,1000,5000")
    parser.add_argument("--warm", action="store_true", help="as the warm engine does, by meaning")
    parser.add_argument("--json", type=Path, help="save the rows in this file")
    options = parser.parse_args()
    try:
        rows = run([int(size) for size in options.sizes.split(",")], warm=options.warm)
    except NoData as problem:
        sys.exit(str(problem))
    for row in rows:
        print(
            f"{row['memories']:>6} memories  {row['prompts_are']:<8} {row['half']:<9}"
            f" {row['prompts']:>4} prompts: any {row['with_any']:.1%},"
            f" the right one {row['with_the_right_one']:.1%},"
            f" {row['memories_each']:.2f} memories each, precision {row['precision']:.2f}"
        )
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

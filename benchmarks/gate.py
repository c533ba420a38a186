"""Fit the gate: how likely a memory answers a prompt, from the features of a hit.

RECOLLECT_DATA=/path/to/data python -m benchmarks.gate            # print coefficients and a report
RECOLLECT_DATA=/path/to/data python -m benchmarks.gate --write    # and write gate_coefficients.py

It reads only the tuning halves and `benchmarks/questions/fitting`: every project by itself, some of
its memories in small stores, commits of PostgreSQL by themselves, and all memories of the tuning
half among commits.
There are two fits. Whether a prompt is about any memory of a store is learned from all prompts:
each store counts the same, whatever their number, and in it the prompts that are about a memory
count as a fixed share. Which memory it is about is learned from those prompts only.
`python -m benchmarks.injection` measures the result.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.datasets import NoData
from benchmarks.injection import candidates_of, latest
from benchmarks.prompts import (
    NOTHING,
    QUESTIONS,
    Project,
    Prompt,
    Setting,
    build,
    commit_prompts,
    mixed,
    read_projects,
    unrelated,
)
from benchmarks.quality import as_record, open_cached, talk, temporary_folder
from recollect.api.recollect import Recollect
from recollect.search.gate import BIAS, Features, value_of

# The vectors of the largest store take half an hour the first time.
SIZES = (20, 100, 1000, 20_000)
GONE = 150
# Prompts of another project, and their characters.
FOREIGN, LENGTHS = 100, (160, 400, 1200)
SMALL = (3, 10, 25)
COMMITS = 1000
# The share of prompts that are about a memory of the store: fewer in a small store. Without
# vectors, a small store brought more for nothing than a large one, so there it counts for less.
ABOUT, ABOUT_SMALL, ABOUT_SMALL_COLD = 0.5, 0.25, 0.15
# A prompt that fits the project and must bring nothing counts like so many questions of a talk,
# and so does one about what the store lacks, so that a long or technical prompt is no sign by
# itself.
COUNTS = {NOTHING: 8.0, "foreign": 2.0, "gone": 2.0}
# A store with so many memories counts like so many smaller ones. Up to 25 memories, a session
# starts with all titles, so that less depends on the gate. With 4, what unrelated prompts bring
# among 1,000 memories costs 15 tokens, with 16, 12.
MANY, MANY_COUNT = 1000, 16.0
# The best hits of a prompt that the second fit compares.
COMPARED = 12
# Features that each fit uses. `episode` and `at_hand` have no data: their coefficients are
# judgements.
PROMPT = (
    *("most_evidence", "most_words", "most_worth", "most_rare", "most_second", "most_beside"),
    *("length", "known", "asked", "size"),
    # In a small store, one word may be all that a prompt and a memory share.
    *("length*size", "known*size", "most_worth*size"),
)
PROMPT_MEANING = (
    *("first_cosine", "first_lead", "most_cosine", "three_cosines", "most_outstanding"),
    "most_cosine*size",
)
# With the vectors of single words, nothing tells how a cosine stands out.
PROMPT_MEANING_OF_WORDS = tuple(name for name in PROMPT_MEANING if name != "most_outstanding")
WORDS = (
    *("share", "margin", "evidence", "coverage", "rarest", "second", "titled", "tagged", "beside"),
    *("match", "lead", "length", "size"),
)
MEANING = ("cosine", "nearness", "ahead", "stands_out", "crowding")
MEANING_OF_WORDS = ("cosine", "nearness", "ahead", "crowding")
# What does not speak for a memory by itself; of all others, a negative coefficient is chance.
NEUTRAL = frozenset({"length", "size", "crowding"})
JUDGED = {"episode": 0.5, "at_hand": 1.0}
# Pulls coefficients towards 0, as so many prompts would.
RIDGE = 1.0
# What a hook has to search with: words alone, the vectors of single words, or the model.
COLD, SUMMED, WARM = "COLD", "WORD_VECTORS", "WARM"
MODULE = Path(__file__).parents[1] / "src" / "recollect" / "search" / "gate_coefficients.py"


class Asked(NamedTuple):
    """A prompt: its best hits, each with its features and whether it is right, and its weight."""

    prompt: Prompt
    hits: Sequence[tuple[Features, bool]]
    weight: float


def settings() -> Iterable[Setting]:
    """Return the stores to fit on."""
    others = unrelated("tuning")
    # Long and technical, but about another project.
    commits, cited = commit_prompts("tuning", LENGTHS[-1])
    foreign = [
        Prompt(prompt.text[: LENGTHS[number % len(LENGTHS)]], sort="foreign")
        for number, prompt in enumerate(cited[:FOREIGN])
    ]
    others = [*foreign, *others]
    projects = [*read_projects(QUESTIONS / "tuning"), *read_projects(QUESTIONS / "fitting")]
    for project in projects:
        strange = _foreign([other for other in projects if other is not project], FOREIGN)
        prompts = [*project.prompts, *strange, *others[:200]]
        yield Setting(project.name, project.records, prompts)
        for size in SMALL:
            rng = random.Random(f"{project.name} {size}")
            some = dict(rng.sample(sorted(project.records.items()), size))
            about = [p for p in project.prompts if not p.gold or p.gold <= some.keys()]
            # A prompt about a memory that is not there should bring nothing either.
            gone = [p._replace(gold=frozenset()) for p in project.prompts if p not in about]
            more = rng.sample(gone, min(len(gone), 2 * size))
            yield Setting(f"{project.name} {size}", some, [*about, *more, *others[:150]])
    for size in SIZES:
        yield mixed("tuning", size, gone=GONE)
    cited = commit_prompts("tuning")[1]
    needed = {uid for prompt in cited for uid in prompt.gold}
    rest = random.Random(COMMITS).sample(sorted(commits.keys() - needed), COMMITS - len(needed))
    records = {uid: as_record(commits[uid]) for uid in (*sorted(needed), *rest)}
    strange = _foreign(projects, 2 * FOREIGN)
    yield Setting("commits", records, [*cited, *strange, *unrelated("tuning")])


def _foreign(projects: Iterable[Project], most: int) -> list[Prompt]:
    """Return prompts about the memories of other projects."""
    texts = [p.text for project in projects for p in project.prompts if p.gold]
    return [Prompt(text, sort="foreign") for text in random.Random(most).sample(texts, most)]


def asked_in(store: Recollect, names: dict[str, str], setting: Setting, means: str) -> list[Asked]:
    """Return the prompts of a setting with their hits."""
    now, found = latest(setting), []
    warm = means == WARM
    weights = weights_of(setting.prompts, len(setting.records), warm=warm)
    for prompt, weight in zip(setting.prompts, weights, strict=True):
        hits = candidates_of(store, prompt.text, now, warm=warm, word_vectors=means == SUMMED)[
            :COMPARED
        ]
        named = [(hit.features, names[hit.memory.uid] in prompt.gold) for hit in hits]
        found.append(Asked(prompt, named, weight))
    talk(f"{setting.name}: {len(found)} prompts, {means}")
    return found


def weights_of(prompts: Sequence[Prompt], memories: int, *, warm: bool) -> list[float]:
    """Return how much each prompt of a store counts."""
    small = ABOUT_SMALL if warm else ABOUT_SMALL_COLD
    share = small if memories <= max(SMALL) else ABOUT
    counts = [1.0 if prompt.gold else COUNTS.get(prompt.sort, 1.0) for prompt in prompts]
    about = sum(1 for prompt in prompts if prompt.gold)
    scale = MANY_COUNT if memories >= MANY else 1.0
    each = {True: scale * share / about, False: scale * (1 - share) / (sum(counts) - about)}
    return [count * each[bool(prompt.gold)] for prompt, count in zip(prompts, counts, strict=True)]


def fit_about(found: Iterable[Asked], names: Sequence[str]) -> dict[str, float]:
    """Fit whether a prompt is about a memory."""
    return fit(
        [(a.hits[0][0], bool(a.prompt.gold), a.weight) for a in found if a.hits],
        names,
    )


def fit_answers(found: Iterable[Asked], names: Sequence[str]) -> dict[str, float]:
    """Fit which of its hits a prompt is about."""
    about = [asked for asked in found if asked.prompt.gold]
    return fit([(*hit, asked.weight) for asked in about for hit in asked.hits], names) | JUDGED


Row = tuple[Features, bool, float]


def fit(rows: Sequence[Row], names: Sequence[str]) -> dict[str, float]:
    """Return the coefficients of a logistic regression; evidence never counts against a memory."""
    while True:
        found = _fit(rows, names)
        against = [
            name for name in names if name not in NEUTRAL and "*" not in name and found[name] < 0
        ]
        if not against:
            return found
        talk(f"left out, because it would count against: {', '.join(against)}")
        names = [name for name in names if name not in against]


def _fit(rows: Sequence[Row], names: Sequence[str]) -> dict[str, float]:
    """Fit by Newton's method."""
    import numpy as np

    matrix = np.array(
        [[1.0, *(value_of(features, name) for name in names)] for features, *_ in rows]
    )
    right = np.array([is_right for _, is_right, _ in rows], float)
    weights = np.array([weight for *_, weight in rows])
    weights *= right.sum() / (weights * right).sum()
    ridge = np.diag([1e-6, *[RIDGE] * len(names)])
    beta = np.zeros(len(names) + 1)
    for _ in range(30):
        likely = 1 / (1 + np.exp(-np.clip(matrix @ beta, -30, 30)))
        slope = matrix.T @ (weights * (right - likely)) - ridge @ beta
        curve = (matrix * (weights * likely * (1 - likely))[:, None]).T @ matrix + ridge
        step = np.linalg.solve(curve, slope)
        beta += step
        if abs(step).max() < 1e-6:
            break
    return dict(zip((BIAS, *names), map(float, beta), strict=True))


def render(fits: Mapping[str, Mapping[str, float]]) -> str:
    """Return the module with the coefficients."""
    head = MODULE.read_text("utf-8").partition("# Without vectors")[0]
    parts = []
    heads = {
        f"ABOUT_{COLD}": "# Without vectors: a hook that has no time to load a model.\n",
        f"ABOUT_{SUMMED}": "# The same, with the vectors of single words.\n",
        f"ABOUT_{WARM}": "# With vectors.\n",
    }
    for name, values in fits.items():
        lines = "".join(f'    "{key}": {value:.3f},\n' for key, value in values.items())
        parts.append(heads.get(name, ""))
        parts.append(f"{name}: Final[Mapping[str, float]] = {{\n{lines}}}\n")
    return head + "".join(parts)


def run(cache: Path) -> str:
    """Fit all coefficients; return the module."""
    found: dict[str, list[Asked]] = {COLD: [], SUMMED: [], WARM: []}
    with temporary_folder() as scratch:
        embedder = open_cached(cache)
        if embedder is None:
            raise NoData("The gate is fitted with vectors, too: install the model.")
        embedder.keeps_queries = True
        for setting in settings():
            store, names = build(scratch, setting, vectors=True)
            for means, asked in found.items():
                asked += asked_in(store, names, setting, means)
            store.close()
    return render(
        {
            f"ABOUT_{COLD}": fit_about(found[COLD], PROMPT),
            f"ANSWERS_{COLD}": fit_answers(found[COLD], WORDS),
            f"ABOUT_{SUMMED}": fit_about(found[SUMMED], (*PROMPT, *PROMPT_MEANING_OF_WORDS)),
            f"ANSWERS_{SUMMED}": fit_answers(found[SUMMED], (*WORDS, *MEANING_OF_WORDS)),
            f"ABOUT_{WARM}": fit_about(found[WARM], (*PROMPT, *PROMPT_MEANING)),
            f"ANSWERS_{WARM}": fit_answers(found[WARM], (*WORDS, *MEANING)),
        }
    )


def main() -> None:
    """Print the coefficients, and write them if asked to."""
    parser = argparse.ArgumentParser(prog="benchmarks.gate", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {MODULE.name}")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir()) / "recollect-bench-cache",
        help="where vectors are kept between runs",
    )
    options = parser.parse_args()
    try:
        text = run(options.cache)
    except NoData as problem:
        sys.exit(str(problem))
    print(text)
    if options.write:
        MODULE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()

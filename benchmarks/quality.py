"""How well recall finds what it should, beside plain keyword search, the embedder, and both.

RECOLLECT_DATA=/path/to/data python -m benchmarks.quality --json quality.json
python -m benchmarks.quality --set locomo-turns --systems fts,ours --limit 200
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import recollect
from benchmarks.baselines import CachedEmbedder, EqualRrf, Fts, System, Vectors
from benchmarks.corpus import run_git
from benchmarks.datasets import SETS, Corpus, Item, NoData, Query, data_folder, load
from benchmarks.metrics import COLUMNS, judge, summarize
from recollect import embedding
from recollect.api.recollect import Recollect
from recollect.core.note import shorten_line
from recollect.embedding import open_embedder
from recollect.errors import EmbeddingError

SYSTEMS = ("fts", "embedder", "rrf", "ours")
CAPTURE_BATCH = 1000
RESULTS = 10


class Ours:
    """Recollect through its public interface: one repository for every group of items."""

    name = "ours"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._built: tuple[Item, ...] = ()
        self._memory: dict[str, Recollect] = {}
        self._ids: dict[str, str] = {}

    def build(self, corpus: Corpus) -> None:
        """Remember every item; a corpus of the same items as before is there already."""
        if self._built == corpus.items:
            return
        self._memory, self._ids = {}, {}
        for number, (group, items) in enumerate(corpus.groups().items()):
            place = Path(tempfile.mkdtemp(prefix=f"{number}-", dir=self.folder))
            run_git(place, "init", "--quiet", "--initial-branch=main", ".")
            memory = recollect.open(place)
            for start in range(0, len(items), CAPTURE_BATCH):
                batch = items[start : start + CAPTURE_BATCH]
                kept = memory.capture_many(map(as_record, batch))
                self._ids.update((m.uid, i.id) for m, i in zip(kept, batch, strict=True))
                talk(f"{corpus.name}: {start + len(batch)}/{len(items)} captured")
            memory.indexing.embed_pending(memory.indexing.fresh(), progress=counting(corpus.name))
            self._memory[group] = memory
        self._built = corpus.items

    def search(self, query: Query, limit: int) -> list[str]:
        """The best memories, with every default, and the weaker matches: ranking is measured."""
        # `until` takes the moment itself in; only what is older counts.
        until = None if query.time is None else as_iso(query.time - timedelta(seconds=1))
        hits = self._memory[query.group].search(query.text, limit=limit, until=until, weaker=True)
        return [self._ids[hit.memory.uid] for hit in hits]


def as_record(item: Item) -> dict[str, Any]:
    """An item as a memory: its first line is the summary, its text the body."""
    return {
        "kind": "notes",
        "summary": shorten_line(item.text),
        "body": item.text,
        "at": None,
        "created": as_iso(item.time),
        "session": item.session or None,
    }


def as_iso(moment: datetime) -> str:
    """A moment as the ledger writes it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def talk(text: str) -> None:
    """Progress, on stderr; on a terminal each line takes the place of the one before."""
    print(text, file=sys.stderr, flush=True, end="\x1b[K\r" if sys.stderr.isatty() else "\n")


def counting(name: str) -> Callable[[int], None]:
    """Tell of every thousand memories that got their vectors."""
    told = [0]

    def progress(done: int) -> None:
        if done >= told[0] + CAPTURE_BATCH:
            told[0] = done
            talk(f"{name}: {done} embedded")

    return progress


def measure(system: System, corpus: Corpus, queries: Sequence[Query]) -> dict[str, Any]:
    """The scores of one system on one set, and how long it took."""
    start = time.perf_counter()
    system.build(corpus)
    built = time.perf_counter() - start
    judged, taken = [], []
    for number, query in enumerate(queries, start=1):
        start = time.perf_counter()
        found = system.search(query, RESULTS)
        taken.append((time.perf_counter() - start) * 1000)
        judged.append((query.category, judge(found, query.gold)))
        if number % 200 == 0 or number == len(queries):
            talk(f"{corpus.name}: {system.name} {number}/{len(queries)}")
    return {
        "build_seconds": round(built, 2),
        "query_ms_p50": round(statistics.median(taken), 2),
        "query_ms_p95": round(sorted(taken)[int(len(taken) * 0.95)], 2),
        "scores": summarize(judged),
    }


def some_of(queries: Sequence[Query], limit: int) -> Sequence[Query]:
    """At most so many queries, spread evenly over all."""
    if not limit or limit >= len(queries):
        return queries
    return [queries[at * len(queries) // limit] for at in range(limit)]


def table(name: str, result: Mapping[str, Any]) -> Iterator[str]:
    """The lines that show one set: every part of it, every system; the best of a column marked."""
    yield f"{name}: {result['items']} items, {result['queries']} queries" + "".join(
        f"; {count} {what}" for what, count in result["dropped"].items()
    )
    systems = result["systems"]
    for part in next(iter(systems.values()))["scores"]:
        yield f"  {part:<14}" + "".join(f"{column:>11}" for column in COLUMNS) + f"{'ms/query':>11}"
        best = {c: max(system["scores"][part][c] for system in systems.values()) for c in COLUMNS}
        for system, row in systems.items():
            cells = "".join(
                f"{100 * row['scores'][part][c]:>10.2f}"
                + ("*" if row["scores"][part][c] == best[c] else " ")
                for c in COLUMNS
            )
            yield f"    {system:<12}{cells}{row['query_ms_p50']:>11.1f}"
    yield ""


def run(names: Sequence[str], wanted: Sequence[str], limit: int, cache: Path) -> dict[str, Any]:
    """Measure the wanted systems on the named sets."""
    folder = data_folder()
    results: dict[str, Any] = {}
    with temporary_folder() as scratch:
        embedder = open_cached(cache)
        systems = make_systems(wanted, embedder, scratch)
        for name in names:
            corpus = load(name, folder)
            queries = some_of(corpus.queries, limit)
            talk(f"{name}: {len(corpus.items)} items, {len(queries)} queries")
            measured = {s.name: measure(s, corpus, queries) for s in systems}
            results[name] = {
                "items": len(corpus.items),
                "queries": len(queries),
                "dropped": dict(corpus.dropped),
                "systems": {s: measured[s] for s in SYSTEMS if s in measured and s in wanted},
            }
            print("\n".join(table(name, results[name])), flush=True)
    return results


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for repositories; the user's own configuration and memories stay out of it."""
    with tempfile.TemporaryDirectory(prefix="recollect-quality-") as folder:
        for variable in ("RECOLLECT_CONFIG_DIR", "RECOLLECT_DATA_DIR"):
            os.environ[variable] = str(Path(folder) / "user")
        yield Path(folder)


def open_cached(cache: Path) -> CachedEmbedder | None:
    """The default embedder; our search, too, takes the vectors it kept from earlier runs."""
    try:
        model = open_embedder("default", environment=os.environ)
    except EmbeddingError as error:
        talk(f"{error.message} {error.hint} The systems that need it are left out.")
        return None
    if model is None:
        return None
    cached = CachedEmbedder(model, cache)
    embedding.open_embedder = lambda *_, **__: cached
    return cached


def make_systems(
    wanted: Sequence[str], embedder: CachedEmbedder | None, scratch: Path
) -> list[System]:
    """The wanted systems, and those that they need, in the order of their needs."""
    fts = Fts()
    systems: list[System] = [fts] if {"fts", "rrf"} & set(wanted) else []
    if embedder is not None and {"embedder", "rrf"} & set(wanted):
        vectors = Vectors(embedder)
        systems += [vectors, EqualRrf(fts, vectors)] if "rrf" in wanted else [vectors]
    if "ours" in wanted:
        systems.append(Ours(scratch))
    return systems


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.quality", description=__doc__)
    parser.add_argument("--set", default="all", help=f"all, or some by comma: {', '.join(SETS)}")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="all, or some by comma")
    parser.add_argument("--limit", type=int, default=0, help="at most so many queries of a set")
    parser.add_argument("--json", type=Path, help="save the results in this file")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir()) / "recollect-bench-cache",
        help="where vectors are kept between runs",
    )
    options = parser.parse_args()
    wanted = SYSTEMS if options.systems == "all" else tuple(options.systems.split(","))
    names = SETS if options.set == "all" else tuple(options.set.split(","))
    for name in (*(set(wanted) - set(SYSTEMS)), *(set(names) - set(SETS))):
        parser.error(f"there is no {name!r}")
    try:
        results = run(names, wanted, options.limit, options.cache)
    except NoData as problem:
        sys.exit(str(problem))
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

"""Where the time of a prompt goes: interpreter, imports, git, index, model, noticing, rendering.

python -m benchmarks.speed --markdown   # prints this after its own table, quiet and busy
python -m benchmarks.parts              # this alone

All are milliseconds of processor time, medians of several rounds. Interpreter and imports are the
least of them; `-X importtime` tells the imports of a cold hook, by the clock. The other parts are
measured inside this process, with the modules loaded: a cold hook opens its stores for each event,
the engine keeps them open and has the model. A part does not count what it calls of another part.
What vectors cost depends on how many the repository has: pass one whose vectors are made.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import recollect
from benchmarks.corpus import build_repository
from benchmarks.hooks import payloads
from recollect.capture import wish_meaning
from recollect.embedding import open_embedder
from recollect.embedding.granite.model import Granite
from recollect.embedding.transformer import (
    DIMENSIONS,
    LAYERS,
    WIDE,
    Affine,
    Layer,
    Transformer,
    _apply,
    _columns,
)
from recollect.engine.stores import StorePool
from recollect.hooks import notice, opening, stages, titles
from recollect.hooks.deadline import Deadline
from recollect.hooks.received import receive
from recollect.hooks.runner import serve
from recollect.index.sqlite.index import SqliteIndex
from recollect.index.table_index import TableIndex
from recollect.ledger.git import Git
from recollect.search import search as searching
from recollect.state.sessions import Sessions

# The milliseconds of each part, of a cold prompt and of one in the engine.
Parts = tuple[dict[str, float], dict[str, float]]
HOOK = str(Path(sys.executable).with_name("recollect-hook"))
INTERPRETER, IMPORTS, REST = "interpreter", "imports, by the clock", "everything else"
GIT, MODEL = "git", "the model, in a thread of its own"
READING = "the model, reading for wishes and a change of mind, in the same thread"
TRACE = "trace, after the reply"
VECTOR_FLOOR = "floor of the vector: its matrix products alone"
READING_FLOOR = "floor of reading: its matrix products alone"
# Each function of a part, by where it is looked up.
_WRAPPED: Sequence[tuple[Any, str, str]] = (
    (Git, "result", GIT),
    (Transformer, "embed", MODEL),
    (Granite, "read", READING),
    (opening, "read_config", "configuration"),
    (opening, "open_session", "opening the stores"),
    (StorePool, "open_session", "opening the stores"),
    (TableIndex, "lexical", "index: keywords"),
    (SqliteIndex, "nearest", "index: vectors"),
    (SqliteIndex, "spread", "index: vectors"),
    (TableIndex, "get_many", "index: reading memories"),
    (searching, "_best", "ranking"),
    (notice, "drafts_in", "noticing"),
    (notice, "consider", "noticing"),
    (stages, "render_memory", "rendering"),
    (stages, "render_block", "rendering"),
    (titles, "render_title", "rendering"),
    (titles, "render_titles", "rendering"),
    (Sessions, "trace", TRACE),
)


def _used() -> float:
    """Processor time of this thread, and of the git processes that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.thread_time() + children.ru_utime + children.ru_stime


class Meter:
    """Adds up what each part takes, without the parts that it calls."""

    def __init__(self) -> None:
        self.taken: dict[str, float] = defaultdict(float)
        self._threads = threading.local()

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count what happens here."""
        above, start = getattr(self._threads, "inner", 0.0), _used()
        self._threads.inner = 0.0
        try:
            yield
        finally:
            spent = _used() - start
            self.taken[name] += (spent - self._threads.inner) * 1000
            self._threads.inner = above + spent

    def around(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that is counted."""

        @functools.wraps(function)
        def counted(*given: Any, **named: Any) -> Any:
            with self.part(name):
                return function(*given, **named)

        return counted

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Count the functions of every part."""
        found = [(owner, key, getattr(owner, key)) for owner, key, _ in _WRAPPED]
        names = {(owner, key): part for owner, key, part in _WRAPPED}
        for owner, key, function in found:
            setattr(owner, key, self.around(names[owner, key], function))
        try:
            yield
        finally:
            for owner, key, function in found:
                setattr(owner, key, function)


class _Answer(Deadline):
    """A deadline that ends nothing; it takes the meter's readings when the reply is there."""

    def __init__(self, meter: Meter) -> None:
        super().__init__("prompt", self)
        self._meter = meter
        self.parts: dict[str, float] = {}
        self.used = 0.0

    def set(self, seconds: float) -> None:
        """Do nothing: costs are measured, not cut off."""

    def say(self, text: str) -> bool:  # noqa: ARG002
        """Take the readings."""
        if not self.parts:
            self.parts, self.used = dict(self._meter.taken), _used()
        return True

    def write(self, answer: bytes) -> None:
        """Print nothing."""

    def flush(self) -> None:
        """Print nothing."""


def inside(
    repo: Path, environment: Mapping[str, str], rounds: int, pool: StorePool | None
) -> dict[str, float]:
    """What each part of a prompt takes until its reply, the median of the rounds."""
    rng, seen = random.Random(7), list[dict[str, float]]()
    for number in range(rounds + 2):
        given = json.dumps(payloads(repo, rng)["prompt"]).encode()
        meter = Meter()
        answer = _Answer(meter)
        with meter.installed(), meter.part(REST):
            received = receive("prompt", given, environment, "claude-code")
            before = _used()
            serve(received, environment, answer, moment=int(time.time() * 1000), pool=pool)
        whole = (answer.used - before) * 1000
        parts = dict(answer.parts)
        own = sum(value for name, value in parts.items() if name not in (MODEL, READING))
        parts[REST] = max(0.0, whole - own)
        parts[TRACE] = meter.taken[TRACE]  # written after the reply
        if number > 1:  # the first two load what is loaded once
            seen.append(parts)
    names = dict.fromkeys(name for parts in seen for name in parts)
    # Some rounds have no such part: git is asked only where something changed.
    return {name: statistics.median(parts.get(name, 0.0) for parts in seen) for name in names}


def floors(embedder: Granite, rounds: int) -> dict[str, float]:
    """What the matrix products of a prompt take, without anything between them."""
    import numpy as np

    prompt = payloads(Path(), random.Random(7))["prompt"]["prompt"]
    tokens = embedder.count_tokens(prompt) + 2
    narrow, wide = (np.ones((2 * tokens, size), dtype=np.float32) for size in (DIMENSIONS, WIDE))

    def products(layer: Layer, rows: int) -> Iterator[tuple[Any, Affine]]:
        yield from ((narrow[:rows], one) for one in (layer.attend, layer.join, layer.widen))
        yield wide[:rows], layer.narrow

    *early, last = embedder.first(LAYERS)
    # The last layer of a vector makes the first token, from keys and values of all.
    vector = [one for layer in early for one in products(layer, tokens)]
    vector += [(narrow[:tokens], _columns(last.attend, DIMENSIONS, 3 * DIMENSIONS))]
    vector += [*products(last._replace(attend=_columns(last.attend, 0, DIMENSIONS)), 1)]
    # A prompt is read twice in one pass, once with what was tuned for wishes.
    reading = [one for layer in early[: wish_meaning.LAYERS] for one in products(layer, 2 * tokens)]
    found = {}
    for name, multiplied in ((VECTOR_FLOOR, vector), (READING_FLOOR, reading)):
        taken = []
        for _ in range(10 * rounds):
            before = time.thread_time()
            for x, affine in multiplied:
                _apply(x, affine)
            taken.append((time.thread_time() - before) * 1000)
        found[name] = statistics.median(taken)
    return found


def outside(repo: Path, environment: Mapping[str, str], rounds: int) -> dict[str, float]:
    """What the interpreter and the imports of a cold hook take, and how many modules there are."""
    given = json.dumps(payloads(repo, random.Random(7))["prompt"]).encode()
    bare, imports, count = [], [], 0
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", "pass"], env=dict(environment), check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        bare.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
        everything = _import_times([HOOK, "prompt", "claude-code"], given, environment, repo)
        without = _import_times(["-c", "pass"], b"", environment, repo)
        ours = {name: us for name, us in everything.items() if name not in without}
        imports.append(sum(ours.values()) / 1000)
        count = len(ours)
    return {INTERPRETER: min(bare), f"{IMPORTS} ({count} modules)": min(imports)}


def _import_times(
    command: Sequence[str], given: bytes, environment: Mapping[str, str], where: Path
) -> dict[str, int]:
    said = subprocess.run(
        [sys.executable, "-X", "importtime", *command],
        input=given,
        env=dict(environment),
        cwd=where,
        check=True,
        capture_output=True,
    ).stderr.decode()
    found = re.findall(r"^import time: +(\d+) \|[^|]*\| +(\S+)$", said, re.MULTILINE)
    return {name: int(microseconds) for microseconds, name in found}


def measure(repo: Path, environment: Mapping[str, str], rounds: int) -> Parts:
    """The parts of a prompt, cold and by the engine."""
    cold = {**outside(repo, environment, rounds), **inside(repo, environment, rounds, None)}
    pool = StorePool()
    embedder = open_embedder("default", environment=os.environ)
    pool.share_embedder(embedder)
    try:
        warm = inside(repo, environment, rounds, pool)
        if isinstance(embedder, Granite):
            warm |= floors(embedder, rounds)
        return cold, warm
    finally:
        pool.close()


def table(title: str, columns: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """One table: a row for each part, in milliseconds."""
    names = list(dict.fromkeys(name for parts in columns.values() for name in parts))
    names.sort(key=REST.__eq__)
    yield f"| {title} | " + " | ".join(columns) + " |"
    yield "|---|" + "---:|" * len(columns)
    for name in names:
        values = (parts.get(name, 0.0) for parts in columns.values())
        yield f"| {name} | " + " | ".join(f"{value:.1f}" for value in values) + " |"


def tables(runs: Mapping[str, Mapping[int, Parts]]) -> Iterator[str]:
    """The tables of benchmarks/README.md: a column for each size and load."""
    for place, title in enumerate(("a prompt, cold", "a prompt, in the engine")):
        yield ""
        yield from table(
            title,
            {
                f"{size:,} memories, {load}": parts[place]
                for load, sizes in runs.items()
                for size, parts in sizes.items()
            },
        )


def main() -> None:
    """Measure one repository, as it is now on this machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=12)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        environment = quiet_environment(Path(folder))
        repo = Path(folder) / "repo"
        build_repository(repo, options.memories)
        with recollect.open(repo) as store:
            store.refresh()
        found = measure(repo, environment, options.rounds)
    print("\n".join(tables({"now": {options.memories: found}})))


def quiet_environment(folder: Path) -> dict[str, str]:
    """An environment in which a hook finds no engine and is not cut off."""
    return {
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        "RECOLLECT_DATA_DIR": str(folder / "data"),
        "RECOLLECT_CONFIG_DIR": str(folder / "config"),
        "XDG_RUNTIME_DIR": str(folder / "nowhere"),
        "XDG_CACHE_HOME": str(folder / "nowhere"),
        "RECOLLECT_HOOK_DEADLINE": "60000",
        "RECOLLECT_HOOK_SESSION_DEADLINE": "60000",
    }


if __name__ == "__main__":
    main()

"""What somebody waits for: one table, with ratios to `python -c pass` from the same run.

python -m benchmarks.speed              # hooks, searches, and how soon the server answers
python -m benchmarks.speed --busy       # the same beside two busy loops
python -m benchmarks.speed --long       # also building the index, a thousand captures, and vectors
python -m benchmarks.speed --markdown   # the tables of benchmarks/README.md: both runs, all rows,
                                        # and the parts of a prompt's time

Every round runs each command once, in turn, so that a busy moment hits all of them alike. Processor
time, of the process and its children, differs less between runs than the clock. What the engine
does for a hook is not in the processor time of that hook.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import recollect
from benchmarks import parts
from benchmarks.corpus import build_repository, run_git, some_words
from benchmarks.hooks import engine, payloads
from benchmarks.index import random_vector
from recollect.api.recollect import Recollect
from recollect.embedding import open_embedder
from recollect.hook_client import ask
from recollect.index.protocol import Filters
from recollect.state.failures import recent_failures

BARE = "python -c pass"
_HERE = Path(sys.executable).parent
HOOK, PROGRAM = str(_HERE / "recollect-hook"), str(_HERE / "recollect")
# What a cold prompt cannot do without, in one script: its event as JSON, and the ten best memories
# for its words, from the file of the index. No expression, no redaction, no rule, no state.
_QUERY = """
import json, sys, apsw
given = json.load(sys.stdin)
db = apsw.Connection(given["index"], flags=apsw.SQLITE_OPEN_READONLY)
words = " OR ".join(f'"{word}"' for word in given["prompt"].strip("?").split())
sql = "SELECT rowid, bm25(words) FROM words WHERE words MATCH ? ORDER BY 2 LIMIT 10"
print(json.dumps(db.execute(sql, (words,)).fetchall()))
"""
# What a search imports that no hook does, and what one with meaning adds.
_FLOORS = {
    "floor of a cold prompt: one query": _QUERY,
    "floor of a search: the same, and click": "import click" + _QUERY,
    "floor of a search with meaning: also numpy": "import click, numpy" + _QUERY,
}
_CUT_OFF = 60_000  # milliseconds: costs are measured, not cut off
_NO_DEADLINE = {
    "RECOLLECT_HOOK_DEADLINE": str(_CUT_OFF),
    "RECOLLECT_HOOK_SESSION_DEADLINE": str(_CUT_OFF),
}


class Job(NamedTuple):
    """A command, its input, its environment, and where it runs."""

    command: Sequence[str]
    given: bytes
    environment: Mapping[str, str]
    directory: Path


class Spent(NamedTuple):
    """Milliseconds of a process: by the clock, and of the processor."""

    clock: float
    processor: float


def spent(job: Job) -> Spent:
    """Run a command and return what it took."""
    before, start = _children(), time.perf_counter()
    subprocess.run(
        job.command,
        input=job.given,
        env=dict(job.environment),
        cwd=job.directory,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    clock = (time.perf_counter() - start) * 1000
    return Spent(clock, (_children() - before) * 1000)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Other work on the machine."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


class Bench:
    """Repositories of several sizes, and where their state is."""

    def __init__(self, folder: Path, sizes: Sequence[int]) -> None:
        self._folder = folder
        self.cold = {
            **os.environ,
            "RECOLLECT_DATA_DIR": str(folder / "data"),
            "RECOLLECT_CONFIG_DIR": str(folder / "config"),
            # Where a hook looks for an engine: there is none.
            "XDG_RUNTIME_DIR": str(folder / "nowhere"),
            "XDG_CACHE_HOME": str(folder / "nowhere"),
        }
        self.cold.pop("PYTHONDONTWRITEBYTECODE", None)
        (folder / "run").mkdir()
        self.warm = {**self.cold, "XDG_RUNTIME_DIR": str(folder / "run")}
        self.repositories = {size: folder / f"repo-{size}" for size in sizes}
        for size, repo in self.repositories.items():
            build_repository(repo, size)
            with recollect.open(repo) as store:
                store.refresh()
                _give_vectors(store)

    def hook(self, event: str, repo: Path, rng: random.Random, env: Mapping[str, str]) -> Job:
        """A hook with the input of an event."""
        given = payloads(repo, rng)[event]
        # As the plugin calls it: with the name of the agent, and a transcript of that agent.
        given["transcript_path"] = f"{repo}/.claude/projects/{given['session_id']}.jsonl"
        return Job([HOOK, event, "claude-code"], json.dumps(given).encode(), env, repo)

    def commands(self, rounds: int) -> dict[str, list[Spent]]:
        """Every command, in turn, as often as there are rounds."""
        rng = random.Random(5)
        taken: dict[str, list[Spent]] = {}
        for size, repo in self.repositories.items():
            cold, warm = {**self.cold, **_NO_DEADLINE}, {**self.warm, **_NO_DEADLINE}
            with engine(PROGRAM, repo, warm) as server:
                served = server()[1]
                for number in range(rounds + 1):
                    jobs = {BARE: Job([sys.executable, "-c", "pass"], b"", cold, repo)}
                    for event in ("prompt", "session-start"):
                        jobs[f"{event}, by the engine"] = self.hook(event, repo, rng, warm)
                        jobs[f"{event}, cold"] = self.hook(event, repo, rng, cold)
                    words = some_words(rng, 4)
                    for name, script in _FLOORS.items():
                        jobs[name] = self._floor(script, words, repo, cold)
                    jobs["search by words"] = self._search(words, repo, cold, "text")
                    jobs["search with meaning"] = self._search(words, repo, cold, "hybrid")
                    for name, job in jobs.items():
                        used = spent(job)
                        if number:  # the first round warms the disk
                            taken.setdefault(f"{name}, {size:,} memories", []).append(used)
                served = server()[1] - served
            asked = 2 * (rounds + 1)
            print(
                f"{size:,} memories: the engine served {served} of {asked} events", file=sys.stderr
            )
        return taken

    def parts(self, rounds: int = 12) -> dict[str, dict[int, parts.Parts]]:
        """Where the time of a prompt goes, for each size: quiet, and beside two busy loops."""
        found: dict[str, dict[int, parts.Parts]] = {}
        for load, loops in (("quiet", 0), ("busy", 2)):
            with busy_loops(loops):
                found[load] = {
                    size: parts.measure(repo, {**self.cold, **_NO_DEADLINE}, rounds)
                    for size, repo in self.repositories.items()
                }
        return found

    def _search(self, words: str, repo: Path, env: Mapping[str, str], mode: str) -> Job:
        return Job([PROGRAM, "search", "--mode", mode, words], b"", env, repo)

    def _floor(self, script: str, words: str, repo: Path, env: Mapping[str, str]) -> Job:
        with recollect.open(repo) as store:
            given = json.dumps({"index": str(store.indexing.path), "prompt": words}).encode()
        return Job([sys.executable, "-c", script], given, env, repo)

    def starts(self, rounds: int) -> Iterator[tuple[str, float]]:
        """Seconds from the start of the server until it answers a client, and until a hook."""
        repo = next(iter(self.repositories.values()))
        listed, served = [], []
        for number in range(rounds):
            start = time.perf_counter()
            with self._server(repo) as server:
                _list_tools(server)
                listed.append(time.perf_counter() - start)
            start = time.perf_counter()
            with self._server(repo):
                env = {**self.warm, **_NO_DEADLINE, "CLAUDE_PROJECT_DIR": str(repo)}
                given = json.dumps(payloads(repo, random.Random(number))["prompt"]).encode()
                while ask("prompt", int(time.time() * 1000), given, env)[0] is None:
                    time.sleep(0.005)
                served.append(time.perf_counter() - start)
        yield "tools are listed after the start of the server", statistics.median(listed)
        yield "a prompt is answered by the engine after its start", statistics.median(served)

    @contextmanager
    def _server(self, repo: Path) -> Iterator[subprocess.Popen[bytes]]:
        with subprocess.Popen(
            [PROGRAM, "mcp"],
            cwd=repo,
            env={**self.warm, **_NO_DEADLINE},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as server:
            yield server
            assert server.stdin is not None
            server.stdin.close()

    def misses(self, count: int) -> int:
        """How many of so many cold prompts miss their deadline of 300 ms."""
        repo, rng = next(iter(self.repositories.values())), random.Random(9)
        folder = Path(self.cold["RECOLLECT_DATA_DIR"])
        before = len(recent_failures(folder, 0))
        for _ in range(count):
            spent(self.hook("prompt", repo, rng, self.cold))
        return len(recent_failures(folder, 0)) - before


def _give_vectors(store: Recollect) -> None:
    """Give every memory a vector, so that no engine makes them while something is measured.

    They are random: what a search takes does not depend on them.
    """
    embedder = open_embedder("default", environment=os.environ)
    if embedder is None:
        return
    index = store.indexing.without_refresh()
    rng = random.Random(7)
    vectors = [random_vector(rng) for _ in range(2000)]
    memories = index.select(Filters(statuses=frozenset({"all"})))
    index.store_vectors(
        embedder.name, {m.uid: [vectors[n % len(vectors)]] for n, m in enumerate(memories)}
    )
    index.measure_crowding(len(memories))


def _list_tools(server: subprocess.Popen[bytes]) -> None:
    assert server.stdin is not None
    assert server.stdout is not None
    given = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "bench", "version": "1"},
    }
    for message in (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": given},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ):
        server.stdin.write(json.dumps(message).encode() + b"\n")
        server.stdin.flush()
    while json.loads(server.stdout.readline())["id"] != 2:
        pass


def long_ones(folder: Path) -> Iterator[tuple[str, str]]:
    """What takes minutes: the index, a thousand captures, and vectors; each with its result."""
    from benchmarks import index, ledger
    from recollect.embedding import chunks

    row = index.measure(100_000, folder)
    yield "index build, 100,000 memories, to bare FTS5 and vectors", f"{row['build_ratio']:.1f} ×"
    repo = folder / "captures"
    build_repository(repo, 1000)
    for found in ledger.measure(repo, 5):
        if found["what"].startswith("1,000 captures"):
            yield f"{found['what']}, to {found['against']}", f"{found['ratio']:.1f} ×"
    embedder = open_embedder("default", environment=os.environ)
    if embedder is None:
        return
    source = Path(__file__).parents[1]
    texts = run_git(source, "log", "-300", "--format=%B%x00").decode("utf-8", "replace").split("\0")
    pieces = [piece for text in texts for piece in chunks(text, embedder)]
    start = time.perf_counter()
    embedder.embed(pieces)
    each = (time.perf_counter() - start) / len(texts)
    yield f"vectors for 12,000 commit messages, from {len(texts)}", f"{each * 12_000 / 60:.1f} min"


class Run(NamedTuple):
    """One run: what commands took, and the other rows with their results."""

    taken: Mapping[str, Sequence[Spent]]
    others: Sequence[tuple[str, str]]

    def ratios(self, name: str) -> Spent:
        """What a command took, as ratios to a bare interpreter."""
        one, bare = _medians(self.taken[name]), _medians(self.taken[_bare_of(name)])
        return Spent(one.clock / bare.clock, one.processor / bare.processor)


def _bare_of(name: str) -> str:
    """The bare interpreter in the rounds of a command: a load that changes hits both."""
    return f"{BARE}, {name.rpartition(', ')[2]}"


def run(bench: Bench, rounds: int, *, busy: bool) -> Run:
    """Measure everything but what takes minutes."""
    with busy_loops(2 if busy else 0):
        taken = bench.commands(rounds)
        others = [(name, f"{s:.2f} s") for name, s in bench.starts(max(3, rounds // 4))]
        count = 5 * rounds
        missed = f"{bench.misses(count)} of {count}"
        return Run(taken, [*others, ("cold prompts that miss their deadline", missed)])


def main() -> None:
    """Print every row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,20000")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--busy", action="store_true", help="beside two busy loops")
    parser.add_argument("--long", action="store_true", help="also what takes minutes")
    parser.add_argument("--markdown", action="store_true", help="both runs, as the table of README")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        with _timed("building the repositories"):
            bench = Bench(Path(folder), sizes)
        if options.markdown:
            with _timed("the quiet run"):
                quiet = run(bench, options.rounds, busy=False)
            with _timed("the run beside two busy loops"):
                busy = run(bench, options.rounds, busy=True)
            with _timed("what takes minutes"):
                rows = list(long_ones(Path(folder))) if options.long else []
            print("\n".join(_markdown(quiet, busy, rows)), flush=True)
            with _timed("the parts of a prompt"):
                print("\n".join(parts.tables(bench.parts())))
            return
        found = run(bench, options.rounds, busy=options.busy)
        _print(found)
        rows = [*found.others, *(long_ones(Path(folder)) if options.long else ())]
        for name, result in rows:
            print(f"{name}: {result}")


@contextmanager
def _timed(name: str) -> Iterator[None]:
    """Tell on stderr how long a part of the benchmark itself took."""
    start = time.monotonic()
    yield
    print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr)


def _markdown(quiet: Run, busy: Run, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The table of benchmarks/README.md."""
    yield "| | clock, quiet | clock, busy | processor, quiet | processor, busy |"
    yield "|---|---:|---:|---:|---:|"
    for name in quiet.taken:
        if name == _bare_of(name):
            one, two = _medians(quiet.taken[name]), _medians(busy.taken[name])
            unit, digits = "ms", 0
        else:
            one, two = quiet.ratios(name), busy.ratios(name)
            unit, digits = "×", 1
        values = (one.clock, two.clock, one.processor, two.processor)
        yield f"| {name} | " + " | ".join(f"{value:.{digits}f} {unit}" for value in values) + " |"
    for (name, result), (_, beside) in zip(quiet.others, busy.others, strict=True):
        yield f"| {name} | {result} | {beside} | – | – |"
    for name, result in rows:
        yield f"| {name} | {result} | – | – | – |"


def _print(found: Run) -> None:
    print(f"{'':<48}{'clock':>10}{'ratio':>7}{'processor':>12}{'ratio':>7}")
    for name, values in found.taken.items():
        one, ratio = _medians(values), found.ratios(name)
        print(
            f"{name:<48}{one.clock:>7.1f} ms{ratio.clock:>7.2f}"
            f"{one.processor:>9.1f} ms{ratio.processor:>7.2f}"
        )


def _medians(values: Sequence[Spent]) -> Spent:
    return Spent(*(statistics.median(column) for column in zip(*values, strict=True)))


if __name__ == "__main__":
    main()

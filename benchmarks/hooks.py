"""What a hook costs, from the start of its process to its end, beside a bare interpreter.

Each event is measured twice: as a hook that does the work itself, and as one that lets the warm
engine of `recollect mcp` do it.

python -m benchmarks.hooks --sizes 1000,50000

Every round runs each command once, in turn, so that a busy moment hits all of them alike.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import recollect
from benchmarks.corpus import WORDS, build_repository, some_words
from recollect.hook_client import ping

BARE = "python -c pass"
NOTHING = "a hook that does nothing"
# What a hook cannot do without: JSON, a database, and git to ask.
NEEDED = "python -c 'import json, apsw, subprocess'"
WARM = ", by the engine"
SETTLE = 8.0  # seconds in which the engine loads its model and looks around


def payloads(repo: Path, rng: random.Random) -> dict[str, dict[str, Any]]:
    """One input for each event."""
    session = uuid.UUID(int=rng.getrandbits(128), version=4)  # as agents name theirs
    common = {"session_id": str(session), "cwd": str(repo)}
    text = some_words(rng, 6)
    return {
        "session-start": {**common, "source": "startup"},
        "prompt": {**common, "prompt": f"Why do we need {text}?"},
        "tool-post": {
            **common,
            "tool_name": "Read",
            "tool_input": {"file_path": str(repo / "src" / f"{rng.choice(WORDS)}.py")},
        },
        "tool-failure": {**common, "tool_name": "Bash", "error": f"Exit code 1\n{text}"},
        "pre-compact": {**common, "trigger": "auto"},
        "stop": {**common, "last_assistant_message": f"Done: {text}."},
        "session-end": {**common, "reason": "other"},
    }


def timed(command: list[str], given: bytes, environment: Mapping[str, str], where: Path) -> float:
    """Milliseconds of one process."""
    start = time.perf_counter()
    subprocess.run(
        command,
        input=given,
        env=dict(environment),
        cwd=where,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return (time.perf_counter() - start) * 1000


def measure(size: int, rounds: int, folder: Path) -> dict[str, Any]:
    """Every event in a repository of so many memories."""
    repo = folder / f"repo-{size}"
    build_repository(repo, size)
    environment = {
        **os.environ,
        "RECOLLECT_DATA_DIR": str(folder / "data"),
        "RECOLLECT_CONFIG_DIR": str(folder / "config"),
        # The cost is measured, not cut off.
        "RECOLLECT_HOOK_DEADLINE": "60000",
        "RECOLLECT_HOOK_SESSION_DEADLINE": "60000",
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    # A hook looks for an engine here; the one that measures cold hooks finds none.
    for name in ("XDG_RUNTIME_DIR", "XDG_CACHE_HOME"):
        environment[name] = str(folder / "nowhere")
    run = folder / "run"
    run.mkdir(exist_ok=True)
    warm = {**environment, "XDG_RUNTIME_DIR": str(run)}
    with recollect.open(repo) as store:
        store.refresh()
    program = str(Path(sys.executable).with_name("recollect"))
    hook = str(Path(sys.executable).with_name("recollect-hook"))  # what the plugin runs
    rng = random.Random(3)
    taken: dict[str, list[float]] = {}
    nothing = json.dumps({"prompt": "/nothing", "cwd": str(repo)}).encode()
    with engine(program, repo, warm) as server:
        for number in range(rounds + 1):
            jobs = {
                BARE: ([sys.executable, "-c", "pass"], b"", environment),
                NEEDED: (
                    [sys.executable, "-c", "import json, apsw, subprocess"],
                    b"",
                    environment,
                ),
                NOTHING: ([hook, "prompt"], nothing, environment),
                NOTHING + WARM: ([hook, "prompt"], nothing, warm),
            }
            for event, payload in payloads(repo, rng).items():
                given = json.dumps(payload).encode()
                jobs[event] = ([hook, event], given, environment)
            for event, payload in payloads(repo, rng).items():
                given = json.dumps(payload).encode()
                jobs[event + WARM] = ([hook, event], given, warm)
            for name, (command, given, env) in jobs.items():
                spent = timed(command, given, env, repo)
                if number:  # the first round warms the disk
                    taken.setdefault(name, []).append(spent)
        served = server()[1]
    bare, idle = statistics.median(taken[BARE]), statistics.median(taken[NOTHING])
    asked = sum(name.endswith(WARM) for name in taken) * (rounds + 1)
    return {
        "memories": size,
        "served_by_the_engine": served,
        "asked_of_the_engine": asked,
        "commands": {
            name: {
                "p50_ms": round(statistics.median(values), 1),
                "p95_ms": round(sorted(values)[int(len(values) * 0.95)], 1),
                "ratio_to_bare": round(statistics.median(values) / bare, 2),
                "ratio_to_nothing": round(statistics.median(values) / idle, 2),
            }
            for name, values in taken.items()
        },
    }


@contextmanager
def engine(
    program: str, repo: Path, environment: Mapping[str, str]
) -> Iterator[Callable[[], tuple[int, int]]]:
    """A server in the repository, up and with its model: its process, and what it has served."""
    server = subprocess.Popen(
        [program, "mcp"],
        cwd=repo,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert server.stdin is not None
    try:
        while _ping(repo, environment) is None:
            time.sleep(0.1)
        time.sleep(SETTLE)
        yield lambda: _ping(repo, environment) or (0, 0)
    finally:
        server.stdin.close()
        server.wait()


def _ping(repo: Path, environment: Mapping[str, str]) -> tuple[int, int] | None:
    return ping({**environment, "CLAUDE_PROJECT_DIR": str(repo)}, 60)


def main() -> None:
    """Measure each size and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,50000")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--json", type=Path, help="save the results in this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = [
            measure(int(size), options.rounds, Path(folder)) for size in options.sizes.split(",")
        ]
    for result in results:
        print(f"{result['memories']} memories")
        for name, row in result["commands"].items():
            print(
                f"  {name:<44}{row['p50_ms']:>8} ms p50 {row['p95_ms']:>8} ms p95"
                f" {row['ratio_to_bare']:>6} times bare {row['ratio_to_nothing']:>6} times nothing"
            )
        print(
            f"  the engine served {result['served_by_the_engine']} of"
            f" {result['asked_of_the_engine']} events; the others did their work themselves"
        )
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

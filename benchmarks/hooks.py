"""What a hook costs, from the start of its process to its end, beside a bare interpreter.

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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import recollect
from benchmarks.corpus import WORDS, build_repository, some_words

BARE = "python -c pass"
NOTHING = "a hook that does nothing"
# What a hook cannot do without: JSON, a database, and git to ask.
NEEDED = "python -c 'import json, apsw, subprocess'"


def payloads(repo: Path, rng: random.Random) -> dict[str, dict[str, Any]]:
    """One input for each event."""
    common = {"session_id": f"bench-{rng.random()}", "cwd": str(repo)}
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
    with recollect.open(repo) as store:
        store.refresh()
    program = str(Path(sys.executable).with_name("recollect"))
    rng = random.Random(3)
    taken: dict[str, list[float]] = {}
    for number in range(rounds + 1):
        jobs = {
            BARE: ([sys.executable, "-c", "pass"], b""),
            NEEDED: ([sys.executable, "-c", "import json, apsw, subprocess"], b""),
            NOTHING: ([program, "hook", "prompt"], b'{"prompt": "/nothing"}'),
        }
        for event, payload in payloads(repo, rng).items():
            jobs[event] = ([program, "hook", event], json.dumps(payload).encode())
        for name, (command, given) in jobs.items():
            spent = timed(command, given, environment, repo)
            if number:  # the first round warms the disk
                taken.setdefault(name, []).append(spent)
    bare = statistics.median(taken[BARE])
    return {
        "memories": size,
        "commands": {
            name: {
                "p50_ms": round(statistics.median(values), 1),
                "p95_ms": round(sorted(values)[int(len(values) * 0.95)], 1),
                "ratio_to_bare": round(statistics.median(values) / bare, 2),
            }
            for name, values in taken.items()
        },
    }


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
                f" {row['ratio_to_bare']:>6} times bare"
            )
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

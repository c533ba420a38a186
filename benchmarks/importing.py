"""How `recollect learn` grows: time and memory for histories and documents of several sizes.

    python -m benchmarks.importing [COMMITS...]         # default: 2000 10000 50000

Each size runs in a process of its own, so that its memory is measured alone. The history is made
with `git fast-import`: one commit in ten tells something, the others are chores.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import recollect

_SIZES = (2_000, 10_000, 50_000)
_BODY = (
    "It was dangerous because part{0} could corrupt table{0} while worker{1} was writing to it.\n"
    "We decided to use engine{0} instead of part{0}, to avoid data loss when a node crashes. {2}\n"
)


def make_history(folder: Path, commits: int) -> None:
    """Make a repository with so many commits."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    parts = []
    for number in range(commits):
        if number % 10 == 0:
            filler = "The queue keeps its order, so that clients see no gaps. " * (number % 7)
            message = f"part{number}: remove the option for engine{number}\n\n" + _BODY.format(
                number, number % 97, filler
            )
        else:
            message = f"Bump version to 1.{number}"
        data = message.encode()
        parts.append(
            f"commit refs/heads/main\ncommitter A <a@x.org> {1_500_000_000 + number * 600} +0000\n"
            f"data {len(data)}\n".encode()
            + data
            + f"\nM 100644 inline src/file{number % 500}.c\ndata 8\n{number:08d}\n".encode()
        )
    subprocess.run(
        ["git", "fast-import", "--quiet"], cwd=folder, input=b"\n".join(parts), check=True
    )
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=folder, check=True)


def measure(folder: str) -> dict[str, float]:
    """Plan and write one import here; seconds, and the peak of memory in MB."""
    with recollect.open(folder) as store:
        start = time.perf_counter()
        plan = store.plan_import()
        planned = time.perf_counter()
        store.run_import(plan)
        written = time.perf_counter()
        again = store.plan_import()
        known = time.perf_counter()
    assert not again.kept
    return {
        "plan": planned - start,
        "write": written - planned,
        "again": known - written,
        "kept": len(plan.kept),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    """Print one row for each size."""
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(sys.argv[2])))
        return
    sizes = [int(size) for size in sys.argv[1:]] or list(_SIZES)
    print("| commits | plan (s) | write (s) | again (s) | kept | peak memory (MB) |")
    print("|---|---|---|---|---|---|")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            make_history(Path(folder), size)
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.importing", "--measure", folder],
                capture_output=True,
                check=True,
            )
        found = json.loads(done.stdout)
        print(
            f"| {size:,} | {found['plan']:.1f} | {found['write']:.1f} | {found['again']:.1f}"
            f" | {found['kept']:.0f} | {found['megabytes']:.0f} |"
        )


if __name__ == "__main__":
    main()

"""How long an import reads past sessions, and how much memory it needs, as their size grows.

    RECOLLECT_DATA=/path/to/data python -m benchmarks.transcripts --sizes 100,400,1600

The recorded sessions in RECOLLECT_DATA are copied, each copy at other times, until they have the
size in megabytes. The baseline parses every line as JSON and does nothing with it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import recollect
from recollect.importing.source import Item, Place, Reading
from recollect.importing.transcripts import SOURCE

_FOLDER = "claude_code_transcripts"
_FRACTION = re.compile(rb"\.\d{3}Z(?=\")")


def fill(folder: Path, data: Path, size: int) -> int:
    """Copy recorded sessions into a folder up to a size; return the size."""
    folder.mkdir(parents=True)
    written = number = 0
    sources = [path.read_bytes() for path in sorted(data.glob("*.jsonl"))]
    while written < size:
        for text in sources:
            # The same prompt at the same time would count as a copy.
            moved = _FRACTION.sub(b".%03dZ" % (number // len(sources) % 1000), text)
            (folder / f"{number}.jsonl").write_bytes(moved)
            written += len(moved)
            number += 1
    return written


def read(folder: Path, *, plain: bool) -> dict[str, float]:
    """Read the sessions of a folder; return the seconds, the peak of memory, and the items."""
    began = time.perf_counter()
    items = 0
    if plain:
        for path in sorted(folder.glob("*.jsonl")):
            with path.open("rb") as file:
                items += sum(json.loads(line) is not None for line in file)
    else:
        with tempfile.TemporaryDirectory() as room:
            subprocess.run(["git", "init", "-q", room], check=True)
            with recollect.open(room) as store:
                reading = Reading(
                    Path(room),
                    Path(room),
                    {},
                    store.redact,
                    lambda _done, _total: None,
                    lambda _part, _stamp: False,
                    lambda _part, _stamp: None,
                )
                found = SOURCE.read(reading, Place(str(folder), ""))
                items = sum(isinstance(one, Item) for one in found)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": time.perf_counter() - began, "megabytes": peak, "items": items}


def main() -> None:
    """Measure each size in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="100,400,1600")
    parser.add_argument("--read", help=argparse.SUPPRESS)
    parser.add_argument("--plain", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read:
        print(json.dumps(read(Path(given.read), plain=given.plain)))
        return
    data = os.environ.get("RECOLLECT_DATA")
    if not data or not (Path(data) / _FOLDER).is_dir():
        raise SystemExit(f"Set RECOLLECT_DATA to a folder with {_FOLDER}.")
    print("MB | seconds | peak MB | items | baseline s | ratio")
    for size in map(int, given.sizes.split(",")):
        room = Path(tempfile.mkdtemp())
        try:
            written = fill(room / "sessions", Path(data) / _FOLDER, size * 1_000_000)
            command = [sys.executable, "-m", "benchmarks.transcripts", "--read"]
            runs = [
                json.loads(subprocess.check_output([*command, str(room / "sessions"), *more]))
                for more in ((), ("--plain",))
            ]
        finally:
            shutil.rmtree(room)
        ours, base = runs
        print(
            f"{written / 1e6:.0f} | {ours['seconds']:.1f} | {ours['megabytes']:.0f}"
            f" | {ours['items']:.0f} | {base['seconds']:.1f}"
            f" | {ours['seconds'] / base['seconds']:.1f}"
        )


if __name__ == "__main__":
    main()

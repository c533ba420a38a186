"""How fast the ledger is, as ratios to plain git doing the same bytes in the same run.

make bench                                      # 100,000 memories
python -m benchmarks.ledger --memories 10000 --json
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import recollect
from benchmarks.corpus import KINDS, build_repository, run_git
from recollect.core.note import read_stored
from recollect.ledger.tree import note_path


def timed(job: Callable[[], Any], runs: int) -> float:
    """The median of some runs, in milliseconds."""
    taken = []
    for _ in range(runs):
        gc.collect()
        start = time.perf_counter()
        job()
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


# We tell git to bring objects and refs to the disk; it does not by default.
SAFE = ("-c", "core.fsync=all", "-c", "core.fsyncMethod=batch")


def plumbing_write(
    repo: Path, anchor: str, text: bytes, settings: tuple[str, ...] = ()
) -> Callable[[], None]:
    """One note by bare plumbing: a blob, the three trees on its path, a commit, a ref.

    What the trees hold already is read beforehand; only the six writing commands are timed.
    """
    ref = "refs/notes/mem/decisions"
    first, second, name = note_path(anchor).split("/")
    listings = [
        run_git(repo, "ls-tree", f"{ref}:{path}") if path is not None else b""
        for path in _existing(repo, ref, (f"{first}/{second}", first, ""))
    ]

    def write() -> None:
        # Another text each time: git does not write what it has already.
        new = text + str(time.perf_counter_ns()).encode()
        blob = run_git(repo, *settings, "hash-object", "-w", "--stdin", stdin=new).decode().strip()
        oid, mode, kind = blob, "100644", "blob"
        for listing, entry in zip(listings, (name, second, first), strict=True):
            kept = [
                line
                for line in listing.splitlines(True)
                if not line.endswith(f"\t{entry}\n".encode())
            ]
            kept.append(f"{mode} {kind} {oid}\t{entry}\n".encode())
            oid = run_git(repo, *settings, "mktree", stdin=b"".join(kept)).decode().strip()
            mode, kind = "040000", "tree"
        commit = run_git(repo, *settings, "commit-tree", oid, "-m", "bench").decode().strip()
        run_git(repo, *settings, "update-ref", "refs/bench/notes", commit)

    return write


def _existing(repo: Path, ref: str, paths: tuple[str, ...]) -> list[str | None]:
    found: list[str | None] = []
    for path in paths:
        probe = subprocess.run(
            ["git", "cat-file", "-e", f"{ref}:{path}"], cwd=repo, capture_output=True, check=False
        )
        found.append(path if probe.returncode == 0 else None)
    return found


def fast_import(repo: Path, notes: dict[str, bytes]) -> None:
    """Many notes by plain git, in one commit."""
    parts = [
        b"commit refs/bench/batch\ncommitter B <b@example.com> 1700000000 +0000\ndata 5\nbench\n",
        b"from refs/notes/mem/decisions^0\n",
    ]
    for anchor, text in notes.items():
        parts.append(f"M 100644 inline {note_path(anchor)}\n".encode())
        parts.append(b"data %d\n%b\n" % (len(text), text))
    run_git(repo, "fast-import", "--quiet", "--force", stdin=b"".join(parts))


def measure(repo: Path, runs: int) -> list[dict[str, Any]]:
    """Every row of the table."""
    rows: list[dict[str, Any]] = []
    commits = run_git(repo, "rev-list", "HEAD").decode().split()
    body = "Because two agents write at once, and a queue would be one more thing to run.\n" * 6

    def row(what: str, ours: float, plain: float, against: str, **more: Any) -> None:
        rows.append(
            {
                "what": what,
                "ours_ms": ours,
                "git_ms": plain,
                "ratio": ours / plain,
                "against": against,
                **more,
            }
        )

    with recollect.open(repo) as memory:
        git = memory.ledger.repository.git
        memory.capture("decisions", "Warm up", body, at=commits[0])
        text = run_git(repo, "notes", "--ref=mem/decisions", "show", commits[0])
        spawned = git.spawns
        ours = timed(
            lambda: memory.capture("decisions", "Use one writer", body, at=commits[1]), runs * 4
        )
        spawns = (git.spawns - spawned) / (runs * 4)
        commands = "hash-object, 3 mktree, commit-tree, update-ref"
        plain = timed(plumbing_write(repo, commits[0], text, SAFE), runs * 4)
        row("one capture", ours, plain, f"{commands}, brought to the disk", spawns=spawns)
        plain = timed(plumbing_write(repo, commits[0], text), runs * 4)
        row("one capture", ours, plain, f"{commands}, left to the system", spawns=spawns)

        drafts = [
            {"kind": "decisions", "summary": f"Batch {n}", "body": body, "at": commits[n]}
            for n in range(1000)
        ]
        ours = timed(lambda: memory.capture_many(drafts), max(1, runs // 2))

        def plain_batch() -> None:
            fast_import(
                repo, {commits[n]: text + str(time.perf_counter_ns()).encode() for n in range(1000)}
            )

        plain = timed(plain_batch, max(1, runs // 2))
        row("1,000 captures in one commit", ours, plain, "fast-import of 1,000 notes")

    with recollect.open(repo) as memory:
        git = memory.ledger.repository.git
        spawned = git.spawns

        count = 0

        def read_all() -> None:
            nonlocal count
            count = sum(len(note or ()) for _, note in memory.ledger.changes({}).notes)

        def parse_all() -> None:
            for _, note in memory.ledger.changes({}).notes:
                for text in (note or {}).values():
                    read_stored(text)

        ours = timed(read_all, max(1, runs // 2))
        parsed = timed(parse_all, max(1, runs // 2))
        blobs = b"".join(
            b"%b\n" % line.split()[2]
            for kind in KINDS
            for line in run_git(repo, "ls-tree", "-r", f"refs/notes/mem/{kind}").splitlines()
        )
        plain = timed(lambda: run_git(repo, "cat-file", "--batch", stdin=blobs), max(1, runs // 2))
        same = "cat-file --batch of the same objects"
        row(f"full read of {count:,} records", ours, plain, same)
        row("full read, every field parsed", parsed, plain, same)

        memory.refresh()
        spawned = git.spawns
        ours = timed(memory.refresh, runs * 4)
        spawns = (git.spawns - spawned) / (runs * 4)
        plain = timed(lambda: run_git(repo, "for-each-ref", "refs/notes/mem"), runs * 4)
        row("refresh, nothing new", ours, plain, "one for-each-ref", spawns=spawns)

        with recollect.open(repo) as writer:
            taken = []
            for turn in range(runs):
                writer.capture_many(
                    {"kind": "decisions", "summary": f"New {n}", "at": commits[turn * 10 + n]}
                    for n in range(10)
                )
                start = time.perf_counter()
                memory.refresh()
                taken.append((time.perf_counter() - start) * 1000)
        ours = statistics.median(taken)
        tip, base = "refs/notes/mem/decisions", "refs/notes/mem/decisions~1"

        def plain_diff() -> None:
            changed = run_git(repo, "diff-tree", "-r", base, tip)
            names = b"".join(
                b"%b\n" % line.split()[3] for line in changed.splitlines() if line.startswith(b":")
            )
            run_git(repo, "cat-file", "--batch", stdin=names)

        plain = timed(plain_diff, runs * 4)
        row("refresh, 10 new", ours, plain, "diff-tree and cat-file --batch")
    return rows


def main() -> None:
    """Build the repository, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(folder) / "repo"
        build_repository(repo, args.memories)
        rows = measure(repo, args.runs)
    if args.json:
        print(json.dumps({"memories": args.memories, "rows": rows}, indent=2))
        return
    print(f"Ledger of {args.memories:,} memories; medians; ratio to plain git in the same run\n")
    for row in rows:
        spawns = f"  {row['spawns']:.1f} spawns" if "spawns" in row else ""
        print(
            f"{row['what']:<34} {row['ours_ms']:>9.1f} ms  git {row['git_ms']:>9.1f} ms"
            f"  ratio {row['ratio']:>5.2f}{spawns}   ({row['against']})"
        )


if __name__ == "__main__":
    main()

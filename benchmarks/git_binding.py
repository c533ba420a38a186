"""Measure the git executable against pygit2 and dulwich for reading and writing git notes.

One run builds a packed ledger (layout ``ab/cd/<36 hex>``), times every backend in turns on copies
of it, and fails unless all write the same tree and read the same notes: see docs/decisions/0006.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

REF = "refs/notes/mem/bench"
WHO = "Bench <bench@example.invalid> 1700000000 +0000"
Record = tuple[str, bytes]
Tree = dict[bytes, tuple[bytes, bytes]]  # name -> mode, raw object id


def git(repo: Path, *args: str, stdin: bytes = b"") -> bytes:
    """Run one git command in ``repo`` and return what it printed."""
    return subprocess.run(["git", *args], cwd=repo, input=stdin, stdout=-1, check=True).stdout


def records(start: int, count: int) -> list[Record]:
    """``count`` notes of about 730 bytes; the same numbers give the same notes."""
    rng = random.Random(4711)
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(3, 9))) for _ in range(2000)]
    made: list[Record] = []
    for number in range(start, start + count):
        rng.seed(number)
        key = hashlib.sha1(b"%d" % number).hexdigest()
        text = " ".join(rng.choices(words, k=100))[:593]
        body = {"id": key, "kind": "bench", "at": number, "paths": [text[:30]], "text": text}
        made.append((key, json.dumps(body).encode()))
    return made


def grouped(batch: list[Record]) -> dict[str, dict[str, list[Record]]]:
    """The records by the two folders they lie in."""
    want: dict[str, dict[str, list[Record]]] = {}
    for key, body in batch:
        want.setdefault(key[:2], {}).setdefault(key[2:4], []).append((key[4:], body))
    return want


def commit_text(tree: str, parent: str) -> bytes:
    """The commit object of one write."""
    return f"tree {tree}\nparent {parent}\nauthor {WHO}\ncommitter {WHO}\n\nnote\n".encode()


def write_plumbing(repo: Path, batch: list[Record]) -> None:
    """One record, whose folders exist, with the plain commands: ten processes."""
    ((key, body),) = batch
    old = git(repo, "rev-parse", "--verify", REF).decode().strip()
    oid = git(repo, "hash-object", "-w", "--stdin", stdin=body).strip()
    mode, name = b"100644 blob", key[4:].encode()
    for folder in (f"{key[:2]}/{key[2:4]}", key[:2], ""):
        listed = git(repo, "ls-tree", "-z", f"{old}:{folder}").split(b"\0")[:-1]
        kept = [line for line in listed if line.split(b"\t")[1] != name]
        kept.append(b"%s %s\t%s" % (mode, oid, name))
        oid = git(repo, "mktree", "-z", stdin=b"\0".join(kept) + b"\0").strip()
        mode, name = b"040000 tree", folder[-2:].encode()
    who = ("-c", "user.name=bench", "-c", "user.email=bench")
    new = git(repo, *who, "commit-tree", "-p", old, "-m", "note", oid.decode()).decode().strip()
    git(repo, "update-ref", REF, new, old)


def write_fast_import(repo: Path, batch: list[Record], parent: str = f"from {REF}^0\n") -> None:
    """One commit through fast-import, which compares and swaps the reference by itself."""
    parts = [f"commit {REF}\ncommitter {WHO}\ndata 5\nnote\n{parent}".encode()]
    for key, body in batch:
        place = f"M 100644 inline {key[:2]}/{key[2:4]}/{key[4:]}\ndata {len(body)}\n"
        parts.append(place.encode() + body + b"\n")
    git(repo, "fast-import", "--quiet", "--done", stdin=b"".join(parts) + b"done\n")


def write_git(repo: Path, batch: list[Record]) -> None:
    """One commit with three processes: one reads, one takes a pack, one moves the reference."""
    cat: Any = subprocess.Popen(["git", "cat-file", "--batch"], cwd=repo, stdin=-1, stdout=-1)
    packed: list[bytes] = []

    def ask(names: list[str]) -> Iterator[tuple[str, bytes]]:
        for at in range(0, len(names), 100):  # few enough questions for no pipe to fill
            cat.stdin.write("".join(f"{name}\n" for name in names[at : at + 100]).encode())
            cat.stdin.flush()
            for _ in names[at : at + 100]:
                oid, _, size = cat.stdout.readline().decode().split()
                yield oid, cat.stdout.read(int(size) + 1)[:-1]

    def trees(ids: list[bytes]) -> list[Tree]:
        found, made = ask([oid.hex() for oid in ids if oid]), []
        for oid in ids:
            tree, at, data = {}, 0, next(found)[1] if oid else b""
            while at < len(data):
                space, nul = data.index(b" ", at), data.index(b"\0", at)
                tree[data[space + 1 : nul]] = (data[at:space], data[nul + 1 : nul + 21])
                at = nul + 21
            made.append(tree)
        return made

    def add(kind: int, data: bytes) -> bytes:
        byte, size, start = kind << 4 | len(data) & 15, len(data) >> 4, bytearray()
        while size:
            start.append(byte | 128)
            byte, size = size & 127, size >> 7
        packed.append(bytes([*start, byte]) + zlib.compress(data))
        word = (b"commit", b"tree", b"blob")[kind - 1]
        return hashlib.sha1(b"%s %d\0%s" % (word, len(data), data)).digest()

    def save(tree: Tree) -> tuple[bytes, bytes]:
        rows = (b"%s %s\0%s" % (mode, name, oid) for name, (mode, oid) in sorted(tree.items()))
        return b"40000", add(2, b"".join(rows))

    old, text = next(ask([REF]))
    want, none = grouped(batch), (b"", b"")
    (top,) = trees([bytes.fromhex(text[5:45].decode())])
    mids = dict(zip(want, trees([top.get(ab.encode(), none)[1] for ab in want]), strict=True))
    spots = [(mids[ab], cd.encode(), new) for ab in want for cd, new in want[ab].items()]
    found = trees([mid.get(cd, none)[1] for mid, cd, _ in spots])
    for (mid, cd, new), leaf in zip(spots, found, strict=True):
        leaf |= {rest.encode(): (b"100644", add(3, body)) for rest, body in new}
        mid[cd] = save(leaf)
    top |= {ab.encode(): save(mid) for ab, mid in mids.items()}
    tip = add(1, commit_text(save(top)[1].hex(), old)).hex()
    pack = b"PACK\0\0\0\2" + len(packed).to_bytes(4, "big") + b"".join(packed)
    how = ["unpack-objects", "-q"] if len(packed) < 100 else ["index-pack", "--stdin"]
    git(repo, *how, stdin=pack + hashlib.sha1(pack).digest())
    git(repo, "update-ref", "--stdin", stdin=f"update {REF} {tip} {old}\n".encode())
    cat.communicate()


def write_pygit2(repo: Path, batch: list[Record]) -> None:
    """One commit through libgit2, object by object: pygit2 cannot store many as one pack."""
    lib: Any = importlib.import_module("pygit2")
    store = lib.Repository(str(repo))
    ref = store.references[REF]  # set_target() refuses when it moved since this look-up
    top = store.TreeBuilder(store[ref.target].tree)
    for ab, below in grouped(batch).items():
        mid = store.TreeBuilder(*filter(None, [top.get(ab)]))
        for cd, notes in below.items():
            leaf = store.TreeBuilder(*filter(None, [mid.get(cd)]))
            for rest, body in notes:
                leaf.insert(rest, store.create_blob(body), 0o100644)
            mid.insert(cd, leaf.write(), 0o40000)
        top.insert(ab, mid.write(), 0o40000)
    who = lib.Signature("bench", "bench", 1_700_000_000, 0)
    ref.set_target(store.create_commit(None, who, who, "note\n", top.write(), [ref.target]))


def write_dulwich(repo: Path, batch: list[Record]) -> None:
    """One commit through dulwich: loose objects below 100, one pack above, as git does."""
    lib: Any = importlib.import_module("dulwich.objects")
    store: Any = importlib.import_module("dulwich.repo").Repo(str(repo))
    old, made = store.refs[REF.encode()], []

    def folder(up: Any, name: str) -> Any:
        return store[up[name.encode()][1]] if name.encode() in up else lib.Tree()

    def put(up: Any, name: str, mode: int, item: Any) -> None:
        made.append((item, None))
        up.add(name.encode(), mode, item.id)

    top = store[store[old].tree]
    for ab, below in grouped(batch).items():
        mid = folder(top, ab)
        for cd, notes in below.items():
            leaf = folder(mid, cd)
            for rest, body in notes:
                put(leaf, rest, 0o100644, lib.Blob.from_string(body))
            put(mid, cd, 0o40000, leaf)
        put(top, ab, 0o40000, mid)
    tip = lib.Commit.from_string(commit_text(top.id.decode(), old.decode()))
    made += [(top, None), (tip, None)]
    for item, _ in made if len(made) < 100 else []:
        store.object_store.add_object(item)
    if len(made) >= 100:
        store.object_store.add_objects(made)
    if not store.refs.set_if_equals(REF.encode(), old, tip.id):
        raise RuntimeError("the reference moved")
    store.close()


def read_git(repo: Path) -> dict[str, bytes]:
    """Every note through one ls-tree and one buffered cat-file."""
    listed = git(repo, "ls-tree", "-r", "-z", "--full-tree", REF).split(b"\0")[:-1]
    ids = b"".join(line.split(b"\t")[0].split()[2] + b"\n" for line in listed)
    data, at, found = git(repo, "cat-file", "--batch", "--buffer", stdin=ids), 0, {}
    for line in listed:
        start = data.index(b"\n", at) + 1
        at = start + int(data[at:start].split()[2]) + 1
        found[line.split(b"\t")[1].decode().replace("/", "")] = data[start : at - 1]
    return found


def read_pygit2(repo: Path) -> dict[str, bytes]:
    """Every note by iterating over libgit2's trees."""
    top = importlib.import_module("pygit2").Repository(str(repo)).references[REF].peel().tree
    return {ab.name + cd.name + n.name: n.data for ab in top for cd in ab for n in cd}


def read_dulwich(repo: Path) -> dict[str, bytes]:
    """Every note by raw reads, faster here than dulwich's iter_tree_contents()."""
    parse = importlib.import_module("dulwich.objects").parse_tree
    with importlib.import_module("dulwich.repo").Repo(str(repo)) as store:
        raw, level = store.object_store.get_raw, [(b"", store[store.refs[REF.encode()]].tree)]
        for _ in "ab", "cd", "rest":
            level = [(up + e[0], e[2]) for up, oid in level for e in parse(raw(oid)[1], 20)]
        return {key.decode(): raw(oid)[1] for key, oid in level}


WRITE: dict[str, Any] = {
    "git, plain commands": write_plumbing,
    "git, one pack": write_git,
    "git fast-import": write_fast_import,
    "pygit2": write_pygit2,
    "dulwich": write_dulwich,
}
READ: dict[str, Any] = {"git": read_git, "pygit2": read_pygit2, "dulwich": read_dulwich}
START: dict[str, Any] = {"git": "subprocess,zlib", "pygit2": "pygit2", "dulwich": "dulwich.repo"}


def measure(tmp: Path, jobs: dict[str, Any], call: Any, runs: int, anew: bool) -> dict[str, Any]:
    """Time the jobs in turns, each on its own (or every time a new) copy; they must agree."""
    ms: dict[str, list[float]] = {name: [] for name in jobs}
    for run in range(runs):
        first: object = None
        for name, job in jobs.items():
            if anew or not run:
                shutil.rmtree(tmp / name, ignore_errors=True)
                shutil.copytree(tmp / "ledger", tmp / name, copy_function=os.link)
            start = time.perf_counter()
            result = call(job, tmp / name, run)
            ms[name].append((time.perf_counter() - start) * 1000)
            result = result or git(tmp / name, "rev-parse", f"{REF}^{{tree}}")
            assert result == (first := first or result), f"{name} disagrees with the others"
    base = median(next(iter(ms.values())))
    rows = {name: {"best": min(times), "median": median(times)} for name, times in ms.items()}
    return {name: row | {"ratio": row["median"] / base} for name, row in rows.items()}


def main() -> None:
    """Build the ledger, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    for flag, default in (("--notes", 100_000), ("--batch", 10_000), ("--runs", 5)):
        parser.add_argument(flag, type=int, default=default)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    for lib in ("pygit2", "dulwich"):
        try:
            importlib.import_module(lib)
        except ImportError as why:
            print(f"{lib} skipped: {why}", file=sys.stderr)
            for table in (WRITE, READ, START):
                del table[lib]
    with tempfile.TemporaryDirectory() as name:
        tmp, notes, extra = Path(name), records(0, args.notes), records(args.notes, args.batch)
        git(tmp, "init", "-q", "--bare", "ledger")
        write_fast_import(tmp / "ledger", notes, "")
        git(tmp / "ledger", "gc", "--quiet")
        # A single record goes where a note is already, so that it replaces three trees.
        ones = [[(notes[i % len(notes)][0][:4] + k[4:], body)] for i, (k, body) in enumerate(extra)]
        batch = {n: f for n, f in WRITE.items() if f != write_plumbing}

        def fresh(job: Any, repo: Path, run: int) -> None:
            code = f"import {job}"
            if callable(job):
                code = f"import git_binding as b; b.{job.__name__}(b.Path('{repo}'), {ones[run]})"
            subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parent, check=True)

        plan: list[tuple[str, dict[str, Any], Any, int]] = [
            ("import in a fresh process", START, fresh, 4),
            ("one write in a fresh process", WRITE, fresh, 4),
            ("one write", WRITE, lambda f, at, run: f(at, ones[run]), 4),
            (f"one write of {args.batch} records", batch, lambda f, at, _: f(at, extra), 1),
            (f"read of {args.notes} notes", READ, lambda f, at, _: f(at), 1),
        ]
        result = {t: measure(tmp, jobs, call, k * args.runs, k == 1) for t, jobs, call, k in plan}
    header = "| task | backend | best ms | median ms | ratio |\n|---|---|---:|---:|---:|"
    print(json.dumps(result, indent=1) if args.json else header)
    for task, rows in ({} if args.json else result).items():
        for name, row in rows.items():
            print(f"| {task} | {name} |", "{best:.1f} | {median:.1f} | {ratio:.2f} |".format(**row))


if __name__ == "__main__":
    main()

"""A repository with as many memories as you like, made in seconds with `git fast-import`."""

from __future__ import annotations

import hashlib
import random
import subprocess
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from recollect.core.record import CREATE, Record, render_record
from recollect.core.uid import make_uid
from recollect.ledger.tree import note_path

KINDS = ("decisions", "learnings", "solutions", "notes")
_WORDS = (
    "cache index ledger merge branch token budget prompt schema query latency retry queue worker"
    " socket parser record commit rebase anchor migration timeout fixture replica shard cursor"
    " lock vector keyword stemming session hook memory decision constraint release deploy rollback"
)
WORDS = _WORDS.split()
# As in real text: few words are everywhere, most are rare (Zipf's law).
_SYLLABLES = (
    *("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ra"),
    *("se", "ti", "vu", "wo", "xa", "ye", "zi", "cho", "dra", "ple"),
)
VOCABULARY = WORDS + [a + b + c for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES]
_WEIGHTS = list(accumulate(1 / (rank + 3) for rank in range(len(VOCABULARY))))
COMMITS = 1000


def some_words(rng: random.Random, count: int) -> str:
    """Words as they come in texts, the common ones often."""
    return " ".join(rng.choices(VOCABULARY, cum_weights=_WEIGHTS, k=count))


def run_git(directory: Path, *args: str, stdin: bytes = b"") -> bytes:
    """Plain git, as a user would run it."""
    return subprocess.run(
        ["git", *args], cwd=directory, input=stdin, stdout=subprocess.PIPE, check=True
    ).stdout


def file_names(count: int) -> list[str]:
    """The paths of source files, forty in each folder."""
    return [f"src/part{number // 40:02}/module{number % 40:02}.py" for number in range(count)]


def some_files(rng: random.Random, names: Sequence[str]) -> list[str]:
    """One to three files, a few of them often."""
    return [names[int(len(names) * rng.random() ** 3)] for _ in range(rng.randint(1, 3))]


def make_record(
    number: int, kind: str, anchor: str, rng: random.Random, files: Sequence[str] = ()
) -> Record:
    """A memory of about 730 bytes, as an agent might write it."""
    summary = some_words(rng, 8)
    body = "\n\n".join(some_words(rng, 20) + "." for _ in range(3))
    return Record(
        uid=make_uid(1_700_000_000_000 + number, rng.getrandbits(80)),
        op=CREATE,
        id=f"{kind}:{anchor}:0",
        timestamp="2026-01-01T00:00:00Z",
        by="Bench <bench@example.com>",
        fields={
            "summary": summary[:100].strip(),
            "tags": rng.sample(WORDS, 2),
            "type": kind,
            **({"files_modified": sorted(set(some_files(rng, files)))} if files else {}),
        },
        body=body,
    )


def build_repository(directory: Path, memories: int, seed: int = 7, files: int = 0) -> None:
    """A repository of a thousand commits, and memories on as many anchors, all packed.

    With `files`, the branch has so many source files, and every memory names some of them.
    """
    directory.mkdir(parents=True, exist_ok=True)
    run_git(directory, "init", "--quiet", "--initial-branch=main", ".")
    stream = b"".join(_stream(memories, random.Random(seed), file_names(files)))
    run_git(directory, "fast-import", "--quiet", "--force", stdin=stream)
    for kind in KINDS:
        tip = run_git(directory, "rev-parse", "--verify", "-q", f"refs/notes/mem/{kind}")
        run_git(directory, "update-ref", f"refs/mem/seen/{kind}", tip.decode().strip())


def _stream(memories: int, rng: random.Random, files: Sequence[str]) -> Iterator[bytes]:
    who = b"committer Bench <bench@example.com> 1700000000 +0000\n"
    for number in range(COMMITS):
        yield b"commit refs/heads/main\n" + who + _data(f"commit {number}\n".encode())
        yield b"M 100644 inline file.txt\n" + _data(f"{number}\n".encode())
        for name in files[number::COMMITS]:
            lines = "".join(f"def {word}(): ...\n" for word in some_words(rng, 80).split())
            yield f"M 100644 inline {name}\n".encode() + _data(lines.encode())
    for number, kind in enumerate(KINDS):
        yield f"commit refs/notes/mem/{kind}\n".encode() + who + _data(b"bench\n")
        for at in range(number, memories, len(KINDS)):
            anchor = hashlib.sha1(f"{kind}{at}".encode()).hexdigest()
            text = render_record(make_record(at, kind, anchor, rng, files))
            yield f"M 100644 inline {note_path(anchor)}\n".encode() + _data(text.encode())


def _data(content: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(content), content)

"""A small fuzzer: known inputs, changed at random, and one property that must hold for each.

The examples follow from a seed and their number alone, so that a run can be repeated anywhere.

    RECOLLECT_FUZZ=5000     so many examples for each property instead of a few hundred
    RECOLLECT_FUZZ=10m      as many as fit into ten minutes for each property (`make fuzz`)
    RECOLLECT_FUZZ_SEED=x   other examples

An example that breaks its property is made as small as possible and saved in `corpus/`, where every
later run tries it first. Commit it together with the fix.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

CORPUS = Path(__file__).parent / "corpus"
MOST_BYTES = 6000
_SHRINKS = 300
# Read before any test changes the environment.
_ASKED = os.environ.get("RECOLLECT_FUZZ", "").strip()
_SEED = os.environ.get("RECOLLECT_FUZZ_SEED", "recollect")

Check = Callable[[bytes], None]
Mutate = Callable[[random.Random, bytes], bytes]

# What tends to break parsers of text.
NASTY: tuple[bytes, ...] = (
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\r\n",
    b"\n",
    "\u2028\u0085\u200b\u202e".encode(),
    b"---\n",
    b"...\n",
    b"uid: 01M7GBJJDY86YZZDQ8VQJ7NATA\n",
    b"op: purge\n",
    b"op: update\n",
    b"rev: " + b"9" * 400 + b"\n",
    b"rev: -1\n",
    b'timestamp: "9999-12-31T23:59:59-23:59"\n',
    b"timestamp: 0001-01-01T00:00:00+23:59\n",
    b"[" * 200,
    b'{"a":' * 100,
    b'"\\ud800"',
    b"\\U00110000",
    b"1e999",
    b"NaN",
    b"-Infinity",
    b"true",
    b"null",
    b'"',
    b"'",
    b"../../etc/passwd",
    b"[remember:decisions] x\n",
    b"</memory-context>",
    b"x" * 1000,
    "\U0001f916".encode() * 20,
)


def run(name: str, inputs: Sequence[bytes], check: Check, *, examples: int, mutate: Mutate) -> None:
    """Check what broke before, every known input, and so many changed ones."""
    for path in sorted((CORPUS / name).glob("*")):
        _check(name, path.read_bytes(), check, f"corpus/{name}/{path.name}")
    for known in inputs:
        _check(name, known, check, "a known input")
    for seed in _seeds(name, examples):
        dice = random.Random(seed)
        _check(name, mutate(dice, dice.choice(inputs))[:MOST_BYTES], check, f"seed {seed!r}")


def _seeds(name: str, examples: int) -> Iterator[str]:
    """The seed of each example: by number, or for as long as somebody asked for."""
    end = time.monotonic() + float(_ASKED[:-1]) * 60 if _ASKED.endswith("m") else None
    most = examples if not _ASKED or end is not None else int(_ASKED)
    number = 0
    while number < most if end is None else time.monotonic() < end:
        yield f"{_SEED}:{name}:{number}"
        number += 1


def _check(name: str, data: bytes, check: Check, origin: str) -> None:
    try:
        check(data)
    except Exception as error:
        smallest = shrink(data, check, type(error))
        try:
            check(smallest)
        except Exception as again:
            error = again
        path = CORPUS / name / hashlib.sha256(smallest).hexdigest()[:16]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(smallest)
        told = "".join(traceback.format_exception(error)[-12:])
        pytest.fail(f"{name}, {origin}\nsaved as {path}\n{smallest!r}\n\n{told}", pytrace=False)


def shrink(data: bytes, check: Check, kind: type[BaseException]) -> bytes:
    """A smaller input that fails in the same way, as far as a few tries bring."""

    def fails(smaller: bytes) -> bool:
        try:
            check(smaller)
        except Exception as error:
            return type(error) is kind
        return False

    tries, size = 0, max(1, len(data) // 2)
    while size and tries < _SHRINKS:
        at, shorter = 0, False
        while at < len(data) and tries < _SHRINKS:
            smaller = data[:at] + data[at + size :]
            tries += 1
            if fails(smaller):
                data, shorter = smaller, True
            else:
                at += size
        size = size if shorter and size > 1 else size // 2
    return data


# Changes


def mutate_bytes(dice: random.Random, data: bytes, words: Sequence[bytes] = NASTY) -> bytes:
    """Cut, repeat, move, flip, and put in what tends to break things."""
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(data) + 1)
        to = min(len(data), at + dice.choice((1, 4, 40, 400)))
        match dice.randrange(7):
            case 0:
                data = data[:at] + data[to:]
            case 1:
                data = data[:to] + data[at:to] * dice.randint(1, 4) + data[to:]
            case 2:
                data = data[:at] + bytes([dice.randrange(256)]) + data[at + 1 :]
            case 3 | 4:
                data = data[:at] + dice.choice(words) + data[at:]
            case 5:
                data = data[:at] + dice.choice(words) + data[to:]
            case _:
                lines = data.splitlines(keepends=True)
                dice.shuffle(lines)
                data = b"".join(lines)
    return data


def mutate_json(dice: random.Random, data: bytes, more: Sequence[Any] = ()) -> bytes:
    """Change values inside of a JSON document; now and then the bytes as well."""
    if dice.random() < 0.25:
        return mutate_bytes(dice, data)
    try:
        value = json.loads(data)
    except ValueError:
        return mutate_bytes(dice, data)
    for _ in range(dice.randint(1, 4)):
        value = _changed(dice, value, more)
    written = json.dumps(value, ensure_ascii=dice.random() < 0.5)
    return written.encode("utf-8", "surrogatepass")


def any_value(dice: random.Random, more: Sequence[Any] = (), depth: int = 2) -> Any:
    """Any JSON value, rather an odd one."""
    simple: list[Any] = [
        *(None, True, False, 0, -1, 1.5, 10**30, -(2**63), 1e308, "", " ", "x", "\0", "\ud800"),
        *("x" * 1000, "../../etc/passwd", "/", "-rf", "🤖" * 20, "a\nb", "\x1b[31m", *more),
    ]
    pick = dice.randrange(len(simple) + (4 if depth else 0))
    if pick < len(simple):
        return simple[pick]
    values = [any_value(dice, more, depth - 1) for _ in range(dice.randint(0, 4))]
    return values if pick % 2 else {str(n): value for n, value in enumerate(values)}


def _changed(dice: random.Random, value: Any, more: Sequence[Any]) -> Any:
    """The value with one change somewhere inside."""
    if isinstance(value, dict) and value and dice.random() < 0.9:
        name = dice.choice(sorted(value))
        match dice.randrange(6):
            case 0:
                return {k: v for k, v in value.items() if k != name}
            case 1:
                return {**value, str(any_value(dice, more, 0))[:40]: any_value(dice, more)}
            case _:
                return {**value, name: _changed(dice, value[name], more)}
    if isinstance(value, list) and value and dice.random() < 0.9:
        at = dice.randrange(len(value))
        return [*value[:at], _changed(dice, value[at], more), *value[at + dice.randint(0, 1) :]]
    if isinstance(value, str) and dice.random() < 0.6:
        changed = mutate_bytes(dice, value.encode("utf-8", "surrogatepass"))
        return changed.decode("utf-8", "replace")
    return any_value(dice, more)

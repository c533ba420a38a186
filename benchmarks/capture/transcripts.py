"""Whole recorded sessions: what detection costs, and how much it finds in them."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.capture.scoring import Decide, Detect, find

TRANSCRIPTS = "claude_code_transcripts"
# The plain pass that detection is compared with: one expression, one word for each type.
PLAIN = re.compile(
    r"\b(?:decided|chose|learned|turns out|blocked|stuck|fixed|solved|workaround"
    r"|prefer|always|never|remember|note)\b",
    re.IGNORECASE,
)


def recorded(folder: Path) -> list[Path]:
    """The recorded sessions of a data folder."""
    return sorted((folder / TRANSCRIPTS).rglob("*.jsonl"))


def entries(transcript: Path) -> Iterator[dict[str, Any]]:
    """The lines of a transcript that are entries, without those that the client added itself."""
    for line in transcript.read_text("utf-8", "replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and not entry.get("isMeta"):
            yield entry


def messages(folder: Path) -> Iterator[str]:
    """What people and agents said: no tool results, no thinking, nothing that the client added."""
    for path in recorded(folder):
        for entry in entries(path):
            if entry.get("type") in ("user", "assistant"):
                yield from _texts(entry.get("message"))


def _texts(message: object) -> Iterator[str]:
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
    for block in blocks:
        if not isinstance(block, dict) or block.get("type") != "text":
            continue
        text = block.get("text")
        if isinstance(text, str) and text.strip() and not text.lstrip().startswith(("<", "/")):
            yield text


def timed(work: Callable[[str], Any], texts: Sequence[str], rounds: int = 5) -> list[float]:
    """The best time of each text, in seconds; the first round warms up."""
    best = [float("inf")] * len(texts)
    for number in range(rounds + 1):
        for at, text in enumerate(texts):
            start = time.perf_counter()
            work(text)
            if number:
                best[at] = min(best[at], time.perf_counter() - start)
    return best


def measure(
    texts: Sequence[str], detect: Detect, decide: Decide, marked: Callable[[str], Any]
) -> dict[str, Any]:
    """Time beside a plain pass over the same text, and findings for each 100 messages."""
    ours = timed(lambda text: list(detect(text)), texts)
    plain = timed(lambda text: list(PLAIN.finditer(text)), texts)
    decisions = [f.decision for text in texts for f in find(text, detect, decide, marked)]
    return {
        "messages": len(texts),
        "characters": sum(map(len, texts)),
        "median ms": median(ours) * 1000,
        "worst ms": max(ours) * 1000,
        "plain median ms": median(plain) * 1000,
        "ratio": sum(ours) / sum(plain),
        "auto per 100": 100 * decisions.count("auto") / len(texts),
        "suggest per 100": 100 * decisions.count("suggest") / len(texts),
    }

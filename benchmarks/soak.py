"""A day of an agent's events against one server, compressed into minutes.

python -m benchmarks.soak --hours 24

Every event is served twice: by the engine of a running `recollect mcp`, and by the code of a cold
hook in a copy of the repository. Both must answer the same, every capture must be in both ledgers,
once, and the server must neither grow nor leave files open.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import recollect
from benchmarks.corpus import WORDS, build_repository, some_words
from benchmarks.hooks import engine
from recollect.hook_client import ask
from recollect.hooks.deadline import Deadline
from recollect.hooks.received import receive
from recollect.hooks.runner import serve

_AGE = re.compile(r'age=\\"[^"]*\\"')
_OURS = "[remember:notes] "


class Answer:
    """What a cold hook would print."""

    def __init__(self) -> None:
        self.text = b""

    def write(self, answer: bytes, /) -> None:
        """Keep it."""
        self.text += answer

    def flush(self) -> None:
        """It is kept."""


class Patient(Deadline):
    """Nobody waits here."""

    def set(self, seconds: float) -> None:
        """Whatever the deadline is, the answer is what counts."""


def events(
    hours: int, per_hour: int, rng: random.Random
) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The events of some hours, two sessions in each; paths are relative."""
    number = 0
    for hour in range(hours):
        for half in range(2):
            session = f"session-{hour}-{half}"
            yield hour, "session-start", {"session_id": session, "source": "startup"}
            for _ in range(per_hour // 2 - 4):
                number += 1
                yield hour, *_event(session, number, rng)
            yield hour, "pre-compact", {"session_id": session, "trigger": "auto"}
            yield hour, "stop", {"session_id": session, "last_assistant_message": "Done."}
            yield hour, "session-end", {"session_id": session, "reason": "other"}


def _event(session: str, number: int, rng: random.Random) -> tuple[str, dict[str, Any]]:
    text = some_words(rng, 6)
    path = f"src/{rng.choice(WORDS)}.py"
    match rng.randrange(6):
        case 0:
            return "prompt", {"session_id": session, "prompt": f"{_OURS}Item {number}: {text}"}
        case 1 | 2:
            return "prompt", {"session_id": session, "prompt": f"Why do we need {text}?"}
        case 3:
            return "tool-post", {
                "session_id": session,
                "tool_name": "Read",
                "tool_input": {"file_path": path},
            }
        case 4:
            return "tool-failure", {
                "session_id": session,
                "tool_name": "Bash",
                "error": f"Exit code 1\n{text}",
            }
    return "stop", {"session_id": session, "last_assistant_message": f"{text}."}


def at(repo: Path, payload: dict[str, Any]) -> dict[str, Any]:
    """An event as it happens in a repository."""
    placed = {**payload, "cwd": str(repo)}
    if "tool_input" in payload:
        placed["tool_input"] = {"file_path": str(repo / payload["tool_input"]["file_path"])}
    return placed


def cold(name: str, moment: int, payload: dict[str, Any]) -> bytes:
    """What a hook on its own answers."""
    answer = Answer()
    received = receive(name, json.dumps(payload).encode(), os.environ)
    serve(received, os.environ, Patient(name, answer), moment=moment)
    return answer.text


def same(one: bytes, other: bytes) -> bool:
    """Whether two answers say the same; how old something is may differ by a breath."""
    return _AGE.sub("", one.decode()) == _AGE.sub("", other.decode())


def vital(process: int) -> dict[str, int]:
    """What a process holds: memory in MB, open files, threads."""
    status = Path(f"/proc/{process}/status").read_text()
    found = dict(re.findall(r"^(VmRSS|Threads):\s+(\d+)", status, re.MULTILINE))
    return {
        "rss_mb": int(found["VmRSS"]) // 1024,
        "threads": int(found["Threads"]),
        "files": len(list(Path(f"/proc/{process}/fd").iterdir())),
    }


def soak(hours: int, per_hour: int, size: int, folder: Path) -> dict[str, Any]:
    """Run the day and measure."""
    warm_repo, cold_repo = folder / "warm", folder / "cold"
    build_repository(warm_repo, size)
    shutil.copytree(warm_repo, cold_repo, symlinks=True)
    program = str(Path(os.sys.executable).with_name("recollect"))  # type: ignore[attr-defined]
    hourly: list[dict[str, int]] = []
    spent: list[float] = []
    unequal: list[str] = []
    asked = wanted = refused = 0
    with engine(program, warm_repo, os.environ) as server:
        process = server()[0]
        last = 0
        for hour, name, payload in events(hours, per_hour, random.Random(11)):
            if hour != last:
                hourly.append(vital(process))
                last = hour
            os.environ["CLAUDE_PROJECT_DIR"] = str(warm_repo)
            wanted += str(payload.get("prompt", "")).startswith(_OURS)
            given = at(warm_repo, payload)
            moment = time.time_ns() // 1_000_000
            start = time.perf_counter()
            answer, _ = ask(name, moment, json.dumps(given).encode(), os.environ)
            spent.append((time.perf_counter() - start) * 1000)
            if answer is None:  # busy: the hook does the work itself
                refused += 1
                answer = cold(name, moment, given)
            asked += 1
            os.environ["CLAUDE_PROJECT_DIR"] = str(cold_repo)
            alone = cold(name, moment, at(cold_repo, payload))
            if not same(answer, alone.replace(os.fsencode(cold_repo), os.fsencode(warm_repo))):
                unequal.append(f"{name}: {answer.decode()[:2000]}\n   {alone.decode()[:2000]}")
        hourly.append(vital(process))
        served = server()[1]
    kept = {}
    for repo in (warm_repo, cold_repo):
        with recollect.open(repo) as store:
            found = [m.summary for m in store.memories(kind="notes", status="all")]
            kept[repo.name] = len({s for s in found if s.startswith("Item ")})
            assert len(found) == len(set(found)), "something was kept twice"
    return {
        "events": asked,
        "served": served,
        "did_it_themselves": refused,
        "unequal": len(unequal),
        "captures": wanted,
        "kept": kept,
        "p50_ms": round(statistics.median(spent), 1),
        "p95_ms": round(sorted(spent)[int(len(spent) * 0.95)], 1),
        "hourly": hourly,
        "left_in_state": sorted(p.name for p in (warm_repo / ".git" / "recollect").iterdir()),
        "examples": unequal[:3],
    }


def main() -> None:
    """Soak, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--per-hour", type=int, default=120)
    parser.add_argument("--size", type=int, default=1000, help="memories at the start")
    parser.add_argument("--model", action="store_true", help="with vectors; answers then differ")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run").mkdir()
        os.environ |= {
            "RECOLLECT_DATA_DIR": str(folder / "data"),
            "RECOLLECT_CONFIG_DIR": str(folder / "config"),
            "XDG_RUNTIME_DIR": str(folder / "run"),
            "RECOLLECT_HOOK_DEADLINE": "60000",
            "RECOLLECT_HOOK_SESSION_DEADLINE": "60000",
        }
        if not options.model:
            os.environ["RECOLLECT_EMBEDDING_MODEL"] = "none"
        result = soak(options.hours, options.per_hour, options.size, folder)
    for key, value in result.items():
        print(f"{key}: {value}")
    if options.json is not None:
        options.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

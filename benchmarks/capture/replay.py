"""Whole recorded sessions through every hook, twice: what is noticed, and what is noticed again.

RECOLLECT_DATA=/path/to/data python -m benchmarks.capture.replay [--show]

Events are made from the transcripts as the client would have sent them: prompts, tool results and
failures, and a stop after each answer. `--show` prints what was noticed, to be read by eye; it is
other people's talk, so do not keep it.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import recollect
from benchmarks.capture.transcripts import entries, recorded
from benchmarks.corpus import run_git
from benchmarks.datasets import NoData, data_folder
from recollect.app import suggestions
from recollect.app.opening import open_mind, read_config
from recollect.flow.pipeline import Work, run
from recollect.flow.pipelines import PIPELINES
from recollect.hosts.claude_code import read_event

# What the published system of seed A stores twice, as measured by the authors of our references.
PUBLISHED_DUPLICATES = 0.78


def events(transcript: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The hook events of a transcript, in order."""
    tools: dict[str, Mapping[str, Any]] = {}
    for entry in entries(transcript):
        message = entry.get("message")
        if not isinstance(message, dict):
            continue
        content = message.get("content")
        if isinstance(content, str) and entry.get("type") == "user":
            yield "prompt", {"prompt": content}
        for block in content if isinstance(content, list) else []:
            if not isinstance(block, dict):
                continue
            kind = block.get("type")
            if kind == "tool_use":
                tools[str(block.get("id"))] = block
            elif kind == "tool_result":
                yield from _tool_event(tools.get(str(block.get("tool_use_id")), {}), block, entry)
            elif kind == "text" and entry.get("type") == "assistant":
                yield "stop", {"last_assistant_message": block.get("text")}
            elif kind == "text":
                yield "prompt", {"prompt": block.get("text")}


def _tool_event(
    tool: Mapping[str, Any], result: Mapping[str, Any], entry: Mapping[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    common = {"tool_name": tool.get("name"), "tool_input": tool.get("input")}
    if result.get("is_error"):
        yield "tool-failure", {**common, "error": str(result.get("content"))}
    else:
        yield "tool-post", {**common, "tool_response": entry.get("toolUseResult")}


def replay(repo: Path, transcript: Path, session: str) -> int:
    """Send every event of a transcript; how many there were."""
    count = 0
    for name, fields in events(transcript):
        payload = {"session_id": session, "cwd": str(repo), **fields}
        event = read_event(name, payload, {})
        if event.ignored:
            continue
        mind = open_mind(event, read_config(event, os.environ), os.environ)
        work = Work(event, mind)
        run(PIPELINES[name], work)
        for store in mind.stores:
            store.close()
        if work.failures:
            raise work.failures[0]
        count += 1
    return count


def noticed(repo: Path) -> list[str]:
    """What is in the ledger or waits for review."""
    with recollect.open(repo) as store:
        kept = [f"kept       {m.kind}: {m.summary}" for m in store.memories()]
        waiting = [
            f"suggested  {s.draft['kind']}: {s.draft['summary']}  ({s.why}, {s.confidence:.2f})"
            for s in suggestions.suggestions(store)
        ]
    return kept + waiting


def main() -> None:
    """Replay every transcript twice and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    try:
        transcripts = recorded(data_folder())
    except NoData as problem:
        raise SystemExit(str(problem)) from None
    first = again = total = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RECOLLECT_DATA_DIR"] = os.environ["RECOLLECT_CONFIG_DIR"] = folder
        for number, transcript in enumerate(transcripts):
            repo = Path(folder) / str(number)
            repo.mkdir()
            run_git(repo, "init", "--quiet", "--initial-branch=main", ".")
            total += replay(repo, transcript, "first")
            found = noticed(repo)
            replay(repo, transcript, "second")
            first += len(found)
            again += len(noticed(repo)) - len(found)
            if options.show:
                print(transcript.name, *found, sep="\n  ")
    share = again / first if first else 0.0
    print(
        f"{len(transcripts)} sessions, {total} events: {first} noticed;"
        f" replayed, {again} more ({share:.0%} duplicates; published A: {PUBLISHED_DUPLICATES:.0%})"
    )


if __name__ == "__main__":
    main()

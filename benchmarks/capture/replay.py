"""Whole recorded sessions through every hook, again and again: what is noticed, and what twice.

RECOLLECT_DATA=/path/to/data python -m benchmarks.capture.replay [TRANSCRIPT ...]
    [--times N] [--together] [--show]

Events are made from the transcripts as the client would have sent them: a session begins, prompts,
tool results and failures, a stop where the agent has answered, a compaction, the end; meanwhile the
transcript grows as it did. `--together` lets two sessions hear the same at the same time. `--show`
prints what was noticed, to be read by eye; it is other people's talk, so do not keep it.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from textwrap import indent
from typing import Any

import recollect
from benchmarks.capture.transcripts import recorded
from benchmarks.corpus import run_git
from benchmarks.datasets import NoData, data_folder
from recollect.capture import suggestions
from recollect.hooks.opening import open_session, read_config
from recollect.hooks.pipeline import Work, run
from recollect.hooks.pipelines import PIPELINES
from recollect.hosts.claude_code.events import read_event

# What the published system of seed A stores twice, as measured by the authors of our references.
PUBLISHED_DUPLICATES = 0.78
# What the client writes in a person's name.
_NOT_TYPED = ("<command-", "<local-command-", "<bash-", "[Request interrupted", "Caveat: ")
_OF_OTHERS = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")

Event = tuple[str, dict[str, Any]]


def events(transcript: Path, repo: Path, copy: Path) -> Iterator[Event]:
    """The hook events of a transcript, in order; what was written by then stands in the copy."""
    tools: dict[str, Mapping[str, Any]] = {}
    answer: str | None = None
    yield "session-start", {"source": "startup"}
    for line in _lines(transcript, repo):
        entry = _entry(line)
        prompt = _prompt(entry)
        if entry.get("subtype") == "compact_boundary":
            yield "pre-compact", {"trigger": "auto"}
        if prompt is not None and prompt.startswith("[Request interrupted"):
            answer = None  # who is interrupted does not stop by himself
        elif prompt is not None and answer is not None:
            yield "stop", {"last_assistant_message": answer}
            answer = None
        with copy.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        if prompt is not None and not prompt.startswith(_NOT_TYPED):
            yield "prompt", {"prompt": prompt}
        for block in _blocks(entry):
            if block.get("type") == "tool_use":
                tools[str(block.get("id"))] = block
            elif block.get("type") == "tool_result":
                yield from _tool_event(tools.get(str(block.get("tool_use_id")), {}), block, entry)
            elif block.get("type") == "text" and entry.get("type") == "assistant":
                answer = str(block.get("text"))
    if answer is not None:
        yield "stop", {"last_assistant_message": answer}
    yield "session-end", {"reason": "exit"}


def _lines(transcript: Path, repo: Path) -> Iterator[str]:
    """The lines of a transcript, as if it had been recorded in the repository."""
    place = ""
    for line in transcript.read_text("utf-8", "replace").splitlines():
        place = place or str(_entry(line).get("cwd") or "")
        yield line.replace(place, str(repo)) if place else line


def _entry(line: str) -> Mapping[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}


def _blocks(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)] if content else []


def _prompt(entry: Mapping[str, Any]) -> str | None:
    """What a person typed, or the client in a person's name; None for any other line."""
    if entry.get("type") != "user" or any(map(entry.get, _OF_OTHERS)):
        return None
    texts = [str(block.get("text")) for block in _blocks(entry) if block.get("type") == "text"]
    return "\n".join(texts) if texts else None


def _tool_event(
    tool: Mapping[str, Any], result: Mapping[str, Any], entry: Mapping[str, Any]
) -> Iterator[Event]:
    common = {
        "tool_name": tool.get("name"),
        "tool_input": tool.get("input"),
        "agent_id": entry.get("agentId"),
    }
    if result.get("is_error"):
        yield "tool-failure", {**common, "error": str(result.get("content"))}
    else:
        yield "tool-post", {**common, "tool_response": entry.get("toolUseResult")}


def replay(repo: Path, transcript: Path, sessions: Sequence[str]) -> int:
    """Send every event of a transcript, to each of the sessions; how many there were."""
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        copies = [Path(folder) / f"{session}.jsonl" for session in sessions]
        streams = [events(transcript, repo, copy) for copy in copies]
        for together in zip_longest(*streams):
            for session, copy, event in zip(sessions, copies, together, strict=True):
                if event is not None:
                    copy.touch()
                    common = {"session_id": session, "transcript_path": str(copy)}
                    count += send(repo, event[0], {**common, **event[1]})
        send(repo, "session-start", {"session_id": sessions[-1] + " is over", "source": "startup"})
    return count


def send(repo: Path, name: str, fields: Mapping[str, Any]) -> bool:
    """Let the hook of an event do its work; whether it had any."""
    event = read_event(name, {"cwd": str(repo), **fields}, {})
    if event.ignored:
        return False
    session = open_session(event, read_config(event, os.environ), os.environ)
    work = Work(event, session)
    run(PIPELINES[name], work)
    for store in session.stores:
        store.close()
    if work.failures:
        raise work.failures[0]
    return True


def noticed(repo: Path) -> list[str]:
    """What is in the ledger or waits for review."""
    with recollect.open(repo) as store:
        kept = [
            f"kept       {m.kind}: {m.summary}  ({m.provenance.get('via')})\n{_shown(m.body)}"
            for m in store.memories()
        ]
        waiting = [
            f"suggested  {s.draft['kind']}: {s.draft['summary']}  ({s.why}, {s.confidence:.2f})\n"
            + _shown(str(s.draft.get("body") or ""))
            for s in suggestions.suggestions(store)
        ]
    return kept + waiting


def _shown(body: str) -> str:
    return indent(body, "           | ")


def main() -> None:
    """Replay every transcript and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("transcripts", nargs="*", type=Path)
    parser.add_argument("--times", type=int, default=2)
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    try:
        transcripts = options.transcripts or recorded(data_folder())
    except NoData as problem:
        raise SystemExit(str(problem)) from None
    first = again = total = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["RECOLLECT_DATA_DIR"] = os.environ["RECOLLECT_CONFIG_DIR"] = folder
        for number, transcript in enumerate(transcripts):
            repo = Path(folder) / str(number)
            repo.mkdir()
            run_git(repo, "init", "--quiet", "--initial-branch=main", ".")
            sessions = ["a", "b"] if options.together else ["a"]
            total += replay(repo, transcript, sessions)
            found = noticed(repo)
            for time in range(1, options.times):
                replay(repo, transcript, [f"{session}{time}" for session in sessions])
            first += len(found)
            again += len(noticed(repo)) - len(found)
            if options.show:
                print(transcript.name, *found, sep="\n  ")
    share = again / first if first else 0.0
    print(
        f"{len(transcripts)} sessions, {total} events: {first} noticed;"
        f" replayed {options.times - 1} times, {again} more ({share:.0%} duplicates; published A:"
        f" {PUBLISHED_DUPLICATES:.0%})"
    )


if __name__ == "__main__":
    main()

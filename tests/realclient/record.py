"""Record what the real client says to hooks: `python -m tests.realclient.record`.

The client is driven through every event that Recollect serves, and each kind of event is kept as
one file in `tests/hosts/claude_code/recorded/`. Paths are those of Ada's machine; ids and times
are as they came. Record again when the pinned version changes, and read the difference.
"""

from __future__ import annotations

import json
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.realclient.api import Failure, MessagesApi, Script, Silence, say, use
from tests.realclient.client import installed_client
from tests.realclient.workplace import Workplace

HERE = Path(__file__).parent
RECORDER = HERE / "recorder"
RECORDED = HERE.parent / "hosts" / "claude_code" / "recorded"
LONGEST = 2000

Json = dict[str, Any]

_PREFIXES = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "tool-pre",
    "PostToolUse": "tool-post",
    "PostToolUseFailure": "tool-failure",
    "PreCompact": "pre-compact",
    "Stop": "stop",
    "StopFailure": "stop-failure",
    "SubagentStop": "subagent-stop",
    "SessionEnd": "session-end",
}


def record(place: Workplace) -> dict[str, Json]:
    """Drive the client through everything; the first event of each kind, by name."""
    found: dict[str, Json] = {}
    _work_with_tools(place)
    _collect(place, found)
    _compact_and_clear(place)
    _collect(place, found)
    _send_subagents(place)
    _collect(place, found)
    _fill_the_window(place)
    _collect(place, found)
    _fail(place)
    _collect(place, found)
    _stop_from_outside(place)
    _collect(place, found, "-sigterm")
    return found


def _work_with_tools(place: Workplace) -> None:
    """A first session with every tool that matters, and the same session taken up again."""
    cart = str(place.repo / "src" / "cart.py")
    tax = str(place.repo / "src" / "tax.py")
    place.api.play(
        Script(
            [
                use("Read", file_path=cart),
                use("Edit", file_path=cart, old_string="sum(prices)", new_string="sum(prices, 0)"),
                use("Write", file_path=tax, content="RATE = 0.19\n"),
                use("Bash", command="git status --short", description="Show status"),
                use("Bash", command="echo boom >&2; exit 3", description="Fail"),
                use("Read", file_path=str(place.repo / "missing.py")),
                say("The total starts at zero now, and the tax has a module of its own."),
            ]
        )
    )
    first = place.ask("Let the total of the cart start at zero, and add a tax rate.")
    place.api.play(Script([say("It is in src/tax.py.")]))
    place.ask("Where is the tax rate?", options=["--resume", first.session])


def _compact_and_clear(place: Workplace) -> None:
    """A conversation that is compacted and cleared by hand, and a command of a plugin."""
    place.api.play(Script([say("Noted.")]))
    place.ask(
        "We name branches after the ticket.",
        "/compact keep the names",
        "/clear",
        "/recorder:note buy milk",
    )


def _send_subagents(place: Workplace) -> None:
    """An agent that is waited for, and one that reports when it is done."""
    task: Json = {"description": "Look at the cart", "prompt": "What does src/cart.py do?"}
    look = use("Read", file_path=str(place.repo / "src" / "cart.py"))
    for background in (False, True):
        place.api.play(
            Script(
                main=[
                    use("Agent", **task, subagent_type="Explore", run_in_background=background),
                    say("The agent looks at the cart."),
                    say("The cart adds up prices."),
                ],
                agent=[look, say("It adds up prices.")],
            )
        )
        place.ask("Ask an agent what the cart does.")


def _fill_the_window(place: Workplace) -> None:
    """A conversation so long that the client compacts it by itself."""
    readme = str(place.repo / "README.md")
    place.variables["CLAUDE_CODE_AUTO_COMPACT_WINDOW"] = "100000"
    place.api.play(
        Script(
            [
                use("Read", file_path=readme, input_tokens=195_000),
                use("Bash", command="ls", description="List", input_tokens=196_000),
                say("It is a shop.", input_tokens=2_000),
            ]
        )
    )
    place.ask("Read everything.")
    del place.variables["CLAUDE_CODE_AUTO_COMPACT_WINDOW"]


def _fail(place: Workplace) -> None:
    """A turn that the API refuses."""
    place.api.play(Script([Failure(400, "scripted bad request")] * 20))
    place.ask("Try it.", "Try it again.", code=1)


def _stop_from_outside(place: Workplace) -> None:
    """A client that is told to stop while the model thinks."""
    place.api.play(Script([Silence()]))
    with place.start("Think for long.") as conversation:
        conversation.wait_for_request()
        conversation.signal(signal.SIGTERM)
        conversation.finish()


def _collect(place: Workplace, found: dict[str, Json], suffix: str = "") -> None:
    """Take the recorded files, oldest first; a suffix marks what ended from outside."""
    folder = Path(place.variables["HOOK_RECORDS"])
    for path in sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns):
        event = json.loads(path.read_text("utf-8"))
        path.unlink()
        ended = event["hook_event_name"] == "SessionEnd"
        name = name_of(event) + (suffix if ended else "")
        found.setdefault(name, tidy(place, event))


def name_of(event: Json) -> str:
    """The name of a kind of event."""
    prefix = _PREFIXES[event["hook_event_name"]]
    return "-".join([prefix, *_variation(event)])


def _variation(event: Json) -> Iterator[str]:
    match event["hook_event_name"]:
        case "SessionStart":
            yield event["source"]
        case "UserPromptSubmit":
            prompt = event["prompt"]
            if prompt.startswith("/"):
                yield "command"
            elif prompt.startswith("<task-notification>"):
                yield "task-notification"
            else:
                yield "plain"
        case "PreToolUse" | "PostToolUse" | "PostToolUseFailure":
            yield event["tool_name"].lower()
            if "agent_id" in event:
                yield "in-subagent"
        case "PreCompact":
            yield event["trigger"]
        case "SubagentStop":
            yield "real" if event["agent_type"] else "compaction"
        case "SessionEnd":
            yield event["reason"]


def tidy(place: Workplace, value: Any) -> Any:
    """The same value with Ada's paths, and without very long texts."""
    match value:
        case str():
            text = value
            for ours, adas in _paths(place):
                text = text.replace(ours, adas)
            return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
        case dict():
            return {key: tidy(place, part) for key, part in value.items()}
        case list():
            return [tidy(place, part) for part in value]
    return value


def _paths(place: Workplace) -> Iterator[tuple[str, str]]:
    """What stands for what. The client names a folder after a path, every odd sign a dash."""
    for ours, adas in ((place.home, "/home/ada"), (place.root / "tmp", "/tmp")):
        yield str(ours), adas
        yield _as_name(str(ours)), _as_name(adas)


def _as_name(path: str) -> str:
    return "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in path)


def save(events: dict[str, Json], folder: Path) -> None:
    """One file per event; what was there before is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.json"):
        old.unlink()
    for name, event in events.items():
        text = json.dumps(event, indent=2, ensure_ascii=False)
        (folder / f"{name}.json").write_text(f"{text}\n", "utf-8")


def main() -> None:
    """Record everything anew."""
    with MessagesApi() as api, tempfile.TemporaryDirectory(prefix="recollect-") as scratch:
        place = Workplace(Path(scratch), installed_client(), api, RECORDER)
        place.set_up()
        records = place.root / "records"
        records.mkdir()
        place.variables["HOOK_RECORDS"] = str(records)
        save(record(place), RECORDED)


if __name__ == "__main__":
    main()

"""Our hooks, run by the code of Cursor that runs hooks, which its SDK on npm contains.

The client itself needs an account, so no session of it is driven: there is no model, and the tests
say what tools return. What a hook gets, and what Cursor takes from its reply, is Cursor's code.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.recorded import lost_fields, recorded
from tests.realclient.api import MessagesApi
from tests.realclient.client import CACHE, ClientMissing, installed_package, or_skip
from tests.realclient.workplace import PATIENCE, Workplace
from tests.realhosts.agents import install_programs
from tests.realhosts.hook_calls import HookCall, hook_calls, kind_of

VERSION = "1.0.32"
DRIVER = Path(__file__).with_name("cursor_hooks.mjs")
MODULE = "node_modules/@cursor/sdk/dist/esm"
CENTS = "Money is counted in integer cents"
REFUNDS, DAYS = "Refunds go back through Stripe", "They take thirty days."
# More than fits into the line that a session starts with, so that the prompt brings the rest.
HOW = (
    "Refunds with Stripe are handled by its webhook, which tells us when one is done. Until then"
    " nothing is final, and the customer hears from us and not from Stripe. The fee is lost in any"
    " case, so partial refunds are rounded up to whole euros. Refunds of vouchers become new"
    f" vouchers, never money. {DAYS}"
)
QUEUE = "Addresses are checked before they enter the queue"
CURE = "ModuleNotFoundError: No module named 'pricelib' is cured with make vendor"
FAILED = "ModuleNotFoundError: No module named 'pricelib'"
TUESDAYS = "Releases are on Tuesdays"
WISH = "remember that releases are on Tuesdays. How are refunds with Stripe handled?"
CHOSEN = "We decided to keep carts in Redis, because a cart must expire after thirty days."
Json = dict[str, Any]
Step = tuple[str, Json]


def opened(room: Path) -> None:
    """Let the modules inside the SDK be loaded, which it does not offer itself."""
    module = room / MODULE / "index.js"
    if not module.is_file():
        raise ClientMissing(f"@cursor/sdk@{VERSION} has no {module.name}.")
    text = module.read_text("utf-8")
    module.with_name("opened.js").write_text(f"{text}\nexport const inside = K;\n", "utf-8")


def fetch() -> Path:
    """The SDK's module."""
    if shutil.which("node") is None:
        raise ClientMissing("node is not on PATH.")
    folder = CACHE / f"cursor-sdk-{VERSION}"
    return installed_package(folder, f"@cursor/sdk@{VERSION}", opened) / MODULE / "opened.js"


@pytest.fixture
def place(tmp_path: Path, api: MessagesApi) -> Workplace:
    """A machine with a login shell, as Cursor starts hooks, that finds our programs."""
    place = Workplace(tmp_path, or_skip(fetch), api, None, variables=dict(PATIENCE))
    place.set_up()
    programs = install_programs(place)
    (place.home / ".profile").write_text(f"PATH='{programs}':$PATH\n")
    place.variables |= {"SHELL": "/bin/sh", "CONVERSATION": "8d6c2b51-9a3e-4e0b-8a4c-b2f0c9a51e77"}
    return place


def drive(place: Workplace, *steps: Step) -> list[Any]:
    """Let Cursor's code take the steps; what it hands to its model after each.

    It ends a hook that takes longer than the settings say, which a busy machine must not decide.
    """
    for folder in (place.home, place.repo):
        if (hooks := folder / ".cursor" / "hooks.json").exists():
            hooks.write_text(hooks.read_text().replace('"timeout": 5', '"timeout": 60'))
    given = json.dumps([["errors", {}], *steps])
    printed = place.command("node", DRIVER, place.client, str(place.repo), given)
    said: list[Any] = json.loads(printed.splitlines()[-1])
    assert said[0] == [], "Cursor refuses the settings"
    return said[1:]


def read(path: Path) -> Step:
    """The agent reads a file."""
    result = {"result": {"case": "success", "value": {"output": {"case": "content", "value": "x"}}}}
    return "read", {"args": {"path": str(path), "toolCallId": "1"}, "result": result}


def write(path: Path) -> Step:
    """The agent writes a file."""
    args = {"path": str(path), "fileText": "RATE = 19\n", "toolCallId": "2"}
    return "write", {"args": args, "result": {"result": {"case": "success", "value": {}}}}


def shell(place: Workplace, command: str, error: str = "") -> Step:
    """A command, which fails if it prints an error."""
    args = {"command": command, "workingDirectory": str(place.repo)}
    case = "failure" if error else "success"
    return "shell", {
        "args": args,
        "result": {"result": {"case": case, "value": {"stdout": "", "stderr": error}}},
    }


def stream(place: Workplace, command: str, error: str) -> Step:
    """The same, with output that comes in parts."""
    args = {"command": command, "workingDirectory": str(place.repo)}
    parts = [("stderr", {"data": error}), ("exit", {"code": 1})]
    return "stream", {
        "args": args,
        "events": [{"event": {"case": case, "value": value}} for case, value in parts],
    }


def text_in(said: Any) -> str:
    """What Cursor adds to what a tool returned."""
    return json.dumps(said["added"])


def test_the_journey(place: Workplace) -> None:
    """A wish is kept; memories come at the start, at a prompt, at a file, and at a failure."""
    place.recollect("install", "cursor")
    place.remember("decisions", CENTS)
    place.remember("learnings", REFUNDS, "-m", HOW)
    start, prompt = drive(place, ("start", {}), ("prompt", {"prompt": WISH}))
    place.remember("learnings", QUEUE, "--file", "src/mail.py")
    place.remember("solutions", CURE)
    mail, tax, fine, failed, _ = drive(
        place,
        read(place.repo / "src" / "mail.py"),
        write(place.repo / "src" / "tax.py"),
        shell(place, "git status --short"),
        stream(place, "python3 -c 'import pricelib'", FAILED),
        ("stop", {}),
    )

    assert CENTS in start["additionalContext"]
    assert prompt["continue"] is True
    assert DAYS in prompt["additional_context"]
    assert QUEUE in text_in(mail)
    assert "memory" not in text_in(tax) + text_in(fine)
    assert CURE in text_in(failed)
    (kept,) = [
        one for one in json.loads(place.recollect("list", "--json")) if one["kind"] == "notes"
    ]
    assert (kept["summary"], kept["provenance"]["host"]) == (TUESDAYS, "cursor")
    assert {call.session for call in hook_calls(place)} == {place.variables["CONVERSATION"]}
    changed = [
        field
        for call in hook_calls(place)
        if (kind := kind_of(call)) in (before := recorded("cursor"))
        for field in lost_fields(kind, before[kind], call.given)
    ]
    assert changed == []


def test_a_failure_that_comes_as_a_result(place: Workplace) -> None:
    """Without a stream, Cursor reports it like a success, with an exit code."""
    place.recollect("install", "cursor")
    place.remember("solutions", CURE)

    (said,) = drive(place, shell(place, "python3 -c 'import pricelib'", FAILED))

    assert CURE in text_in(said)
    (call,) = [call for call in hook_calls(place) if call.event == "tool-post"]
    assert json.loads(call.given["tool_output"])["exitCode"] == 1


@pytest.mark.parametrize("stdin", ["0", "1"])
def test_both_ways_to_hand_over_the_input(place: Workplace, stdin: str) -> None:
    """Behind the command as a here-document, or on stdin: a prompt is what was typed."""
    place.variables["STDIN"] = stdin
    place.recollect("install", "cursor")
    typed = "It's \"$HOME\" `date`\n<<'X' \\ done"

    drive(place, ("prompt", {"prompt": typed}))

    (call,) = hook_calls(place)
    assert call.given["prompt"] == typed


def test_beside_the_hooks_of_claude_code(place: Workplace) -> None:
    """Cursor runs both, and those of the user and of the project: each memory comes once."""
    place.recollect("install", "cursor")
    place.recollect("install", "cursor", "--scope", "project")
    claudes = {"hooks": [{"type": "command", "command": "recollect-hook prompt claude-code"}]}
    old = {"hooks": [{"type": "command", "command": "recollect-hook prompt"}]}
    place.config.mkdir(exist_ok=True)
    settings = {"hooks": {"UserPromptSubmit": [{"matcher": "", **claudes}, {"matcher": "", **old}]}}
    (place.config / "settings.json").write_text(json.dumps(settings))
    place.remember("learnings", REFUNDS, "-m", HOW)

    (prompt,) = drive(place, ("prompt", {"prompt": WISH}))

    calls: list[HookCall] = hook_calls(place)
    assert len(calls) == 3  # ours, and two of Claude Code; that of the project stands down
    assert [bool(call.said) for call in calls].count(True) == 1
    assert prompt["additional_context"].count(DAYS) == 1
    assert place.recollect("list").count(TUESDAYS) == 1


def test_the_project_alone(place: Workplace) -> None:
    """A colleague's clone has the hooks without an installation."""
    place.recollect("install", "cursor", "--scope", "project")
    place.remember("decisions", CENTS)

    (start,) = drive(place, ("start", {}))

    assert CENTS in start["additionalContext"]


def test_files_of_the_mirror_are_refused(place: Workplace) -> None:
    """The hooks of a user run elsewhere, and find the repository all the same."""
    place.recollect("install", "cursor")
    place.recollect("mirror", "on")
    place.remember("decisions", "Use Postgres")
    (file,) = (place.repo / ".claude" / "memory" / "decisions").glob("*.json")

    (said,) = drive(place, write(file))

    assert "recollect" in said["answer"]["error"]["error"].lower()


def test_what_a_killed_agent_said_is_noticed(place: Workplace) -> None:
    """No hook was told of it, so the next session reads it in the transcript that Cursor wrote."""
    place.recollect("install", "cursor")
    typed = [{"type": "text", "text": "<user_query>\nChoose a store.\n</user_query>"}]
    said = [{"type": "text", "text": CHOSEN}]
    call = {"type": "tool-call", "toolCallId": "1", "toolName": "Shell", "args": {"command": "ls"}}
    messages = [
        {"role": "user", "content": typed},
        {"role": "assistant", "content": [*said, call]},
    ]
    drive(
        place,
        ("start", {}),  # the transcript is not there yet
        ("transcript", {"messages": messages[:1]}),
        ("prompt", {"prompt": "Choose a store."}),
        ("transcript", {"messages": messages}),
    )
    assert "Redis" not in place.recollect("review", "--json")

    place.variables["CONVERSATION"] = "0a1b2c3d-0000-4000-8000-000000000000"
    drive(place, ("start", {}), ("prompt", {"prompt": "Good morning."}), ("stop", {}), ("end", {}))

    assert "Redis" in place.recollect("review", "--json")
    assert hook_calls(place)[-1].event == "session-end"

"""What only OpenCode does: it runs our plugin instead of commands, and its sessions go on."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable
from signal import SIGKILL, SIGTERM

import pytest

from tests.realclient.api import Script, Silence, both, say, use
from tests.realclient.chat_completions import tool_results
from tests.realclient.workplace import Conversation, Workplace, write_program
from tests.realhosts.agents import OPENCODE, Agent, Json, ask
from tests.realhosts.hook_calls import hook_calls

CURE = "Could not find oldString in the file: read the file again before the edit"


@pytest.fixture
def place(move_in: Callable[[Agent], Workplace]) -> Workplace:
    """A machine with OpenCode and our plugin."""
    place = move_in(OPENCODE)
    place.recollect("install", "opencode")
    return place


def test_a_tool_that_throws_brings_its_cure(place: Workplace) -> None:
    """It has no result to add to; its error is what the model reads, in every later request."""
    cart = str(place.repo / "src" / "cart.py")
    place.remember("solutions", CURE)
    edit = use("edit", filePath=cart, oldString="not there", newString="x")
    place.api.play(Script([edit, use("read", filePath=cart), say("Done.")]))

    run = ask(place, OPENCODE, "Change the cart.")

    errors = [tool_results(request.body)[0] for request in run.main[1:]]
    assert len(errors) == 2
    assert all(CURE in error.partition("<memory-context")[2] for error in errors)


def test_events_of_a_session_and_of_its_subagent(place: Workplace) -> None:
    """A subagent belongs to the session; what the agent tells it is no prompt of a person."""
    task: Json = {
        "description": "Look",
        "prompt": "Remember that cows fly.",
        "subagent_type": "general",
    }
    place.api.play(Script([use("task", **task), say("It flies."), say("Done.")]))

    ask(place, OPENCODE, "Ask an agent.")

    calls = [(call.event, call.given.get("agent_id", "")) for call in hook_calls(place)]
    names = [name for name, _ in calls]
    assert names[:2] == ["session-start", "prompt"]
    assert names.count("prompt") == 1
    assert "subagent-stop" in names
    assert names[-2:] == ["stop", "session-end"]
    assert [name for name, agent in calls if agent] == ["subagent-stop"]
    assert len({call.given["session_id"] for call in hook_calls(place)}) == 1
    assert place.recollect("list") == ""


def test_two_sessions_are_two(place: Workplace) -> None:
    """The random part of an id looks like a secret, and must not make all sessions one."""
    ask(place, OPENCODE, "Good morning.")
    ask(place, OPENCODE, "Good evening.")

    sessions = {trace["session"] for trace in json.loads(place.recollect("why", "--json"))}
    assert len(sessions) == 2
    assert not any("REDACTED" in session for session in sessions)


def test_installed_for_the_user_and_for_the_project(place: Workplace) -> None:
    """OpenCode loads both plugins; one of them works."""
    place.recollect("install", "opencode", "--scope", "project")
    assert (place.repo / ".opencode" / "plugins" / "recollect.js").is_file()

    ask(place, OPENCODE, "Remember that invoices are numbered anew every year.")

    events = [call.event for call in hook_calls(place)]
    assert events == ["session-start", "prompt", "stop", "session-end"]
    assert len(json.loads(place.recollect("list", "--json"))) == 1


def test_a_session_that_is_taken_up_again(place: Workplace) -> None:
    """It keeps its name, and gets what came meanwhile."""
    first = ask(place, OPENCODE, "Good morning.")
    place.remember("decisions", "Invoices are numbered anew every year")
    session = str(first.events[0]["sessionID"])
    again = [*OPENCODE.command(place, "Go on."), "--session", session]

    with Conversation(place, again, place.repo) as conversation:
        conversation.close_input()
        run = conversation.finish()

    assert "Good morning." in run.main[0].text
    assert "Invoices are numbered anew" in run.main[0].text
    starts = [call.given for call in hook_calls(place) if call.event == "session-start"]
    assert [start["source"] for start in starts] == ["startup", "resume"]
    assert len({start["session_id"] for start in starts}) == 1


REDIS = "keep carts in Redis"
CHOSEN = f"We decided to {REDIS}, because a cart must expire after thirty days. I look at the code."


def test_a_killed_session_is_reported_in_its_own_name(place: Workplace) -> None:
    """At the start of the next session; a third one adds nothing."""
    place.api.play(Script([both(say(CHOSEN), OPENCODE.run("git status --short")), Silence()]))
    with Conversation(place, OPENCODE.command(place, "Choose."), place.repo) as conversation:
        conversation.close_input()
        conversation.wait_for_request(2)
        conversation.signal(SIGKILL)
        conversation.finish()
    killed = hook_calls(place)[0].session
    place.api.play(Script(rest=lambda _: say("Good morning.")))

    for _ in range(2):
        ask(place, OPENCODE, "Good morning.")

    stops = [call.given for call in hook_calls(place) if call.event == "stop"]
    said = [stop["last_assistant_message"] for stop in stops if stop["session_id"] == killed]
    assert said == [CHOSEN, CHOSEN]
    (found,) = json.loads(place.recollect("review", "--json"))
    assert REDIS in found["summary"]
    assert found["session"] == killed


def test_files_of_the_mirror_are_refused(place: Workplace) -> None:
    """The model reads why; the file stays as it is."""
    place.recollect("mirror", "on")
    place.remember("decisions", "Use Postgres")
    (file,) = (place.repo / ".claude" / "memory" / "decisions").glob("*.json")
    before = file.read_bytes()
    place.api.play(Script([use("write", filePath=str(file), content="{}"), say("Done.")]))

    run = ask(place, OPENCODE, "Change the memory.")

    assert "recollect" in tool_results(run.main[-1].body)[0].lower()
    assert file.read_bytes() == before


TALK = "We chose SQLite for the cart instead of PostgreSQL because one process writes now."
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


def test_the_agent_is_asked_to_draft(place: Workplace) -> None:
    """In a session that goes on, as in a terminal; the request is no prompt of a person."""
    place.variables |= {
        "RECOLLECT_TRIAGE_MODE": "draft",
        "RECOLLECT_KINDS_DECISIONS_TRIAGE_THRESHOLD": "0.3",  # a short talk is enough
    }
    place.api.play(Script([say(TALK), say("Nothing to draft."), say("Go on.")]))
    log = place.root / "serve.log"
    serve = ["sh", "-c", 'exec "$0" serve --port 0 > "$1"', str(place.client), str(log)]
    with Conversation(place, serve, place.repo) as server:
        server.wait_until(lambda: log.exists() and bool(ADDRESS.search(log.read_text())), "server")
        (address,) = ADDRESS.findall(log.read_text())
        session = post(f"{address}/session", {"title": "Work"})["id"]
        typed = {"parts": [{"type": "text", "text": "Where do carts go?"}]}
        post(f"{address}/session/{session}/message", typed)
        server.wait_for_request(2)
        server.wait_until(lambda: events(place).count("stop") == 2, "second stop")
        server.signal(SIGTERM)
        server.finish()

    first, second = [call for call in hook_calls(place) if call.event == "stop"]
    assert "recollect" in first.said["request"]
    assert (first.given["drafts"], second.given["drafts"]) == (True, False)
    assert "request" not in second.said
    assert events(place).count("prompt") == 1


def events(place: Workplace) -> list[str]:
    """The events whose hooks have answered."""
    files = sorted((place.root / "records").glob("*.out"))
    return [path.stem.split("-", 2)[2] for path in files]


def test_a_command_of_ours(place: Workplace) -> None:
    """Its text comes from the file, with what the user typed; it is no prompt to learn from."""
    command = [str(place.client), "run", "--format", "json", "--title", "Work"]
    command += ["--command", "recollect-remember", "Releases are on Tuesdays."]
    with Conversation(place, command, place.repo) as conversation:
        conversation.close_input()
        run = conversation.finish()

    (prompt,) = [call.given for call in hook_calls(place) if call.event == "prompt"]
    assert prompt["command"] == "recollect-remember"
    assert prompt["arguments"] == '"Releases are on Tuesdays."'  # as `opencode run` quotes it
    assert "Releases are on Tuesdays." in run.main[0].text
    assert "recollect capture" in run.main[0].text


def post(address: str, body: Json) -> Json:
    """Ask OpenCode's own server, as its terminal does."""
    data = json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        found: Json = json.loads(answer.read() or b"{}")
    return found


def test_a_hook_that_hangs_holds_nobody_up(place: Workplace) -> None:
    """The plugin ends it, and the session goes on without it."""
    write_program(place.root / "bin", "recollect-hook", "exec sleep 600")

    run = ask(place, OPENCODE, "Say hello.")

    assert [event["part"]["text"] for event in run.events if event["type"] == "text"] == ["Done."]


def test_without_recollect_the_agent_works_as_before(place: Workplace) -> None:
    """The plugin is silent where the program is missing."""
    for name in ("recollect", "recollect-hook"):
        (place.root / "bin" / name).unlink()

    run = ask(place, OPENCODE, "Say hello.")

    assert [event["part"]["text"] for event in run.events if event["type"] == "text"] == ["Done."]

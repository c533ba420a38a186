"""The agent as the writer of typed memories, in a session of the real client."""

from __future__ import annotations

import json
from typing import Any

from tests.realclient.api import Script, say, use
from tests.realclient.hook_output import answer_of
from tests.realclient.typed import OLD, PREFERENCE, keep
from tests.realclient.workplace import Workplace

TALK = (
    "We chose SQLite for the cart instead of PostgreSQL because one process writes now.\n\n"
    "We went with WAL mode rather than a server because the shop is small.\n\n"
    "From now on every price is in cents, as we agreed.\n"
    "I prefer small commits, and that is the rule here."
)


def write(drafts: list[dict[str, Any]]) -> str:
    """The command that the request asks for."""
    return f"recollect write drafts --input - <<'EOF'\n{json.dumps(drafts, indent=1)}\nEOF"


def test_the_agent_drafts_what_the_talk_held(place: Workplace) -> None:
    """One that is new and one that changes a known one, in two more turns of the model."""
    known = keep(place, "decisions", OLD)
    place.follow()
    place.variables["RECOLLECT_TRIAGE_MODE"] = "draft"
    update = {
        "action": "update",
        "id": known["slug"],
        "if_version": known["version"],
        "content": {"decision": "SQLite in WAL mode", "context": "One process writes."},
        "changes": [{"summary": "The second worker is gone."}],
    }
    place.api.play(
        Script([say(TALK), use("Bash", command=write([PREFERENCE, update])), say("Bye.")])
    )

    run = place.ask("Where do carts go?")

    asked = next(answer_of(hook) for hook in run.hooks("Stop") if hook.stdout)
    request = asked["hookSpecificOutput"]["additionalContext"]
    assert f"if_version {known['version']}" in request
    assert request in run.main[1].text
    assert len(run.main) == 3
    (preference,) = json.loads(
        place.recollect("list", "--kind", "preferences", "--status", "active", "--json")
    )
    (decision,) = json.loads(
        place.recollect("list", "--kind", "decisions", "--status", "active", "--json")
    )
    assert preference["content"] == PREFERENCE["content"]
    assert decision["uid"] == known["uid"]
    assert decision["content"]["decision"] == "SQLite in WAL mode"
    assert decision["content"]["rationale"] == ["It locks rows."]
    assert decision["changes"][0]["summary"] == "The second worker is gone."
    assert place.hook_failures() == []


def test_a_one_shot_run_prints_its_answer(place: Workplace) -> None:
    """`claude -p` has nobody to ask, so what was noticed waits; the last words are the answer."""
    place.variables["RECOLLECT_TRIAGE_MODE"] = "draft"
    place.api.play(Script([say(TALK), say("Nothing of it is worth keeping.")]))

    run = place.ask("Where do carts go?")

    assert [result["result"] for result in run.results] == [TALK]
    found = json.loads(place.recollect("list", "--json"))
    assert found
    assert {memory["status"] for memory in found} == {"unconfirmed"}


def test_a_decline_costs_one_turn(place: Workplace) -> None:
    """The agent says that there is nothing to keep, and is not asked again."""
    place.follow()
    place.variables["RECOLLECT_TRIAGE_MODE"] = "draft"
    place.api.play(Script([say(TALK), say("Nothing of it is worth keeping."), say(TALK)]))

    run = place.ask("Where do carts go?", "And now?")

    assert len(run.main) == 3
    found = json.loads(place.recollect("list", "--json"))
    assert {memory["status"] for memory in found} == {"unconfirmed"}  # it waits for the user


def test_the_agent_does_not_write_into_the_mirror(place: Workplace) -> None:
    """It is told the command; the file stays, and other files are none of our business."""
    known = keep(place, "decisions", OLD)
    place.recollect("mirror", "on")
    mirrored = place.repo / ".claude" / "memory" / "decisions" / f"{known['slug']}.json"
    before = mirrored.read_text()
    place.api.play(
        Script(
            [
                use("Read", file_path=str(mirrored)),
                use("Edit", file_path=str(mirrored), old_string='n": "Post', new_string='n": "My'),
                use("Write", file_path=str(mirrored.with_name("other.json")), content="{}"),
                use("Write", file_path=str(place.repo / "notes.txt"), content="fine"),
                say("Bye."),
            ]
        )
    )

    run = place.ask("Change the decision.")

    assert mirrored.read_text() == before
    assert not mirrored.with_name("other.json").exists()
    assert (place.repo / "notes.txt").read_text() == "fine"
    assert [hook.name for hook in run.hooks("PreToolUse")] == [
        "PreToolUse:Edit",
        "PreToolUse:Write",
        "PreToolUse:Write",
    ]
    denied = [answer_of(hook) for hook in run.hooks("PreToolUse") if hook.stdout]
    assert [one["hookSpecificOutput"]["permissionDecision"] for one in denied] == ["deny", "deny"]
    assert "recollect write update" in run.main[2].text
    assert place.hook_failures() == []

"""Sessions of the real clients, without our plugin, come in with a later import."""

from __future__ import annotations

import json
from pathlib import Path

from tests.realclient import codex
from tests.realclient.api import MessagesApi, Script, say, use
from tests.realclient.client import or_skip
from tests.realclient.workplace import Workplace

GOAL = "Let the cart round half up, and add a test for it"
DONE = "Done. I changed `src/cart.py` so that totals round half up."


def imported(place: Workplace) -> dict[str, dict[str, object]]:
    """What an import of the past sessions would keep, by kind."""
    said = place.recollect("import", "transcripts", "--dry-run", "--json")
    (plan,) = json.loads(said)["sources"]
    return {one["kind"]: one for one in plan["kept"]}


def test_a_session_of_claude_code(place: Workplace) -> None:
    """Its transcript is found by its directory, also after the repository was renamed."""
    place.plugin = None
    place.api.play(
        Script(
            [
                use("Read", file_path=str(place.repo / "src" / "cart.py")),
                use(
                    "Edit",
                    file_path=str(place.repo / "src" / "cart.py"),
                    old_string="return sum(prices)",
                    new_string="return round(sum(prices))",
                ),
                use("Bash", command="git commit -am 'fix: round half up'", description="Commit"),
                say(DONE),
            ]
        )
    )
    place.ask(GOAL)
    found = imported(place)
    renamed = place.repo.with_name("renamed")
    place.repo.rename(renamed)
    listed = json.loads(place.recollect("import", "--list", "--json", cwd=renamed))
    renamed.rename(place.repo)

    assert found["sessions"]["summary"] == GOAL
    places = {one["name"]: one["places"] for one in listed}["transcripts"]
    assert [one["about"] for one in places] == ["1 session of Claude Code, 1 MB"]


def test_a_session_of_codex(tmp_path: Path, api: MessagesApi) -> None:
    """Its rollout has the prompt, the command and the answer, in the format of this version."""
    place = Workplace(tmp_path, or_skip(codex.installed_codex), api, None)
    codex.set_up(place)
    place.api.play(
        Script([use("exec_command", cmd="git commit --allow-empty -m 'fix: round'"), say(DONE)])
    )
    codex.ask(place, GOAL)
    rollouts = list((place.home / ".codex" / "sessions").rglob("rollout-*.jsonl"))
    found = imported(place)

    assert len(rollouts) == 1, rollouts
    assert found["sessions"]["summary"] == GOAL, rollouts[0].read_text()[-6000:]

"""A tiny working day, so that `benchmarks/day` keeps running with the real client."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.day.__main__ import main
from benchmarks.day.playing import play_day
from benchmarks.day.scoring import score_day
from benchmarks.day.scripts import read_day
from tests.realclient.workplace import PATIENCE

DAY = """
[project]
name = "tiny"
about = "A tiny project."
[project.files]
"greet.py" = "print('hello')\\n"

[[session]]
about = "greeting"
end = "kill"
[[session.turn]]
user = "[remember:decisions] Greetings are in Esperanto, because nobody is at home in it."
agent = [{ bash = "exit 3", fails = true }, { say = "That failed." }]
[[session.turn]]
user = "Change the greeting."
agent = [
  { edit = "greet.py", old = "hello", new = "saluton" },
  { bash = "python3 greet.py && git commit -qam 'Greet in Esperanto'" },
  { say = "Done." },
]

[[session]]
about = "greeting"
worktree = "tiny-two"
[[session.turn]]
user = "In which language are the greetings?"
needs = ["esperanto", "later"]
agent = [{ say = "In Esperanto." }]
[[session.turn]]
user = "/compact"

[[session]]
about = "greeting"
end = "kill-in-turn"
hasty = true
[[session.turn]]
user = "Which greetings do we have?"
agent = [{ bash = "cat greet.py" }]

[fact.esperanto]
words = ["esperanto", "nobody"]
said = "1.1"
wish = true
[fact.later]
words = ["saluton"]
said = "1.2"
"""


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """The file of a day with everything that a day can have."""
    path = tmp_path / "tuning" / "01-tiny.toml"
    path.parent.mkdir()
    path.write_text(DAY)
    return path


def test_a_tiny_day(tiny: Path, tmp_path: Path, client: Path) -> None:
    """What was marked is kept and there when it is needed; what was not is a miss with a reason."""
    played = play_day(read_day(tiny), tmp_path / "place", client, settings=PATIENCE)
    score = score_day(played)

    assert [miss for miss in score.misses if miss.what == "script"] == []
    assert (score.wishes, score.wishes_kept) == (1, 1)
    assert score.needs == 2
    assert all(miss.why for miss in score.misses)
    assert "esperanto at 2.1" not in [miss.name for miss in score.misses]
    assert max(score.lines) >= 1  # the marker was confirmed
    assert len(score.tokens) == 3
    assert min(score.hook_ms) > 0
    assert played.traces_of(played.turn(1, 1))


def test_the_command(
    tiny: Path,
    tmp_path: Path,
    client: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A held-out day is counted, and nothing of it is told."""
    assert client.exists()
    held_out = tiny.parent.parent / "held-out" / "07-tiny.toml"
    held_out.parent.mkdir()
    tiny.rename(held_out)
    monkeypatch.setattr("benchmarks.day.scripts.HERE", held_out.parent.parent)
    report = tmp_path / "report.json"

    assert main(["--json", str(report), "--set", "hook.deadline=4000"]) == 0

    told = capsys.readouterr().out + report.read_text("utf-8")
    assert "wishes kept            1 of 1" in told
    assert "saluton" not in told.lower()
    assert "later" not in told

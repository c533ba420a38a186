"""The tools of these tests are tested too: a guard that never speaks guards nothing."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.realclient import client as client_module
from tests.realclient.api import Script, say, use
from tests.realclient.client import ClientMissing, installed_client
from tests.realclient.record import RECORDED, name_of, record
from tests.realclient.shapes import read_events, shape_of
from tests.realclient.workplace import Workplace, write_program

FORK = "(nohup sleep 300 >/dev/null 2>&1 &)"


def test_a_process_that_stays_is_found_and_ended(
    recorded: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that outlives the client fails the run, and does not outlive the test."""
    monkeypatch.setattr("tests.realclient.workplace.GRACE", 0.5)
    recorded.api.play(Script([use("Bash", command=FORK, description="Fork"), say("Forked.")]))

    with pytest.raises(AssertionError, match=r"left running: .*sleep 300"):
        recorded.ask("Leave something running.")

    recorded.ask("Is it quiet now?")


def test_another_host_is_noticed(recorded: Workplace) -> None:
    """A request to any other host fails the run; a request to loopback does not."""
    ask = "import urllib.request; urllib.request.urlopen('https://example.com', timeout=5)"
    command = f'python3 -c "{ask}"'
    recorded.api.play(Script([use("Bash", command=command, description="Ask"), say("Asked.")]))

    with pytest.raises(AssertionError, match=r"other hosts were asked for: \['example\.com:443'\]"):
        recorded.ask("Ask somebody else.")


def test_nothing_of_ours_reaches_the_client(
    recorded: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client sees a dummy key and a home of its own; a variable of ours stays with us."""
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "ours")
    monkeypatch.setenv("OUR_OWN_VARIABLE", "ours")
    recorded.api.play(Script([use("Bash", command="env", description="Show"), say("Shown.")]))

    seen = recorded.ask("Show the environment.").requests[-1].text

    assert f"HOME={recorded.home}" in seen
    assert "OUR_OWN_VARIABLE" not in seen
    assert "ANTHROPIC_AUTH_TOKEN" not in seen


@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.json")), ids=lambda path: path.stem)
def test_a_fixture_is_named_after_what_it_holds(path: Path) -> None:
    """A recorded event is what its file's name says, on Ada's machine."""
    event = read_events(path.parent)[path.stem]

    assert path.stem.removesuffix("-sigterm") == name_of(event)
    assert event["cwd"] == "/home/ada/shop"
    assert event["transcript_path"].startswith("/home/ada/.claude/projects/-home-ada-shop/")


def test_the_fixtures_are_what_the_client_says(recorded: Workplace) -> None:
    """Recorded again, every event has the fields and types of the recorded one."""
    now = record(recorded)

    kept = read_events(RECORDED)
    # The client does not wait for this one, so it may be lost.
    now.setdefault("stop-failure", kept["stop-failure"])
    assert {name: shape_of(event) for name, event in now.items()} == {
        name: shape_of(event) for name, event in kept.items()
    }


def test_without_npm_there_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where npm is missing or fails, the reason is said and no half folder stays."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    cache = tmp_path / "cache"

    with pytest.raises(ClientMissing, match="npm is not on PATH"):
        installed_client(cache)
    write_program(tmp_path / "bin", "npm", "echo 'no network' >&2; exit 1")
    with pytest.raises(ClientMissing, match="no network"):
        installed_client(cache)

    assert [path.name for path in cache.iterdir() if path.is_dir()] == []


def test_two_processes_install_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever comes second waits, and finds the folder complete."""
    version = client_module.VERSION
    folder = "node_modules/@anthropic-ai/claude-code-test"
    calls = tmp_path / "calls"
    write_program(
        tmp_path / "bin",
        "npm",
        f"echo call >> {calls}\n/bin/sleep 0.3\n/bin/mkdir -p {folder}\n"
        f"printf '#!/bin/sh\\necho {version}\\n' > {folder}/claude\n/bin/chmod +x {folder}/claude",
    )
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    found: list[Path] = []
    threads = [
        threading.Thread(target=lambda: found.append(installed_client(tmp_path / "cache")))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [tmp_path / "cache" / f"claude-code-{version}" / folder / "claude"] * 2
    assert calls.read_text() == "call\n"

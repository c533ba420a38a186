"""The plugin gets into the real client, by each of the ways that users have, and out again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.realclient.hook_output import check_hook_output
from tests.realclient.workplace import OUR_PROGRAMS, PLUGIN, Workplace

CENTS = "Money is counted in integer cents"


def test_the_plugin_is_valid(place: Workplace) -> None:
    """The client's own check has nothing to say, and the plugin loads with its commands."""
    place.command(place.client, "plugin", "validate", "--strict", PLUGIN)

    run = place.ask("Good morning.")

    start = next(event for event in run.events if event.get("subtype") == "init")
    commands = {
        f"recollect:{name}"
        for name in ("config", "consolidate", "memory", "remember", "save", "search")
    }
    assert "recollect" in {plugin["name"] for plugin in start["plugins"]}
    assert commands <= set(start["slash_commands"])


@pytest.mark.parametrize("folder", [PLUGIN.parent, PLUGIN], ids=["repository", "plugin"])
def test_from_a_marketplace(place: Workplace, folder: Path) -> None:
    """Installed from a marketplace, the plugin serves a session as it does from its folder."""
    place.remember("decisions", CENTS)
    place.plugin = None
    market = json.loads((folder / ".claude-plugin" / "marketplace.json").read_text("utf-8"))

    place.command(place.client, "plugin", "marketplace", "add", folder)
    place.command(place.client, "plugin", "install", f"recollect@{market['name']}")
    run = place.ask("Good morning.")

    assert run.main[0].text.count(CENTS) == 1
    check_hook_output(run)


def test_with_our_own_command(place: Workplace) -> None:
    """`recollect install` puts the plugin in, `--uninstall` takes it out; the memories stay."""
    programs = place.root / "bin"
    programs.mkdir()
    (programs / "claude").symlink_to(place.client)
    place.programs = (programs, OUR_PROGRAMS)
    place.plugin = None
    place.remember("decisions", CENTS)
    settings = place.config / "settings.json"
    settings.write_text('{\n   "model": "opus",\n   "permissions": {"allow": []}\n}\n')
    place.ask("Good morning.")
    before = settings.read_bytes()

    shown = place.recollect("install", "claude-code", "--dry-run")
    assert "would run: claude plugin install recollect@recollect" in shown
    assert settings.read_bytes() == before
    for _ in range(2):
        place.recollect("install", "claude-code")
    run = place.ask("Good morning.")
    for _ in range(2):  # there is nothing left for the second one to do
        place.recollect("install", "claude-code", "--uninstall")
    after = place.ask("Good morning.")

    assert settings.read_bytes() == before  # although the client itself writes it anew
    assert run.main[0].text.count(CENTS) == 1
    assert CENTS not in after.main[0].text
    assert after.hooks() == []
    assert CENTS in place.recollect("list")
    check_hook_output(run)


def test_a_project_carries_the_plugin_to_a_colleague(place: Workplace) -> None:
    """In a clone, on a machine that never saw the plugin, the project's settings are enough."""
    place.plugin = None
    settings = place.repo / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{\n    "model": "opus"\n}\n')
    before = settings.read_bytes()
    place.recollect("install", "claude-code", "--scope", "project")
    place.git("add", "--all")
    place.git("commit", "--quiet", "--message", "Share the memory")
    clone = place.home / "clone"
    place.git("clone", "--quiet", str(place.repo), str(clone))
    place.recollect("capture", "decisions", CENTS, cwd=clone)
    _trust(place, clone)

    place.variables["CLAUDE_CODE_SYNC_PLUGIN_INSTALL"] = "1"  # a session with -p ends too early
    place.ask("Good morning.", cwd=clone)  # installs it
    run = place.ask("Good morning.", cwd=clone)

    assert run.main[0].text.count(CENTS) == 1
    check_hook_output(run)
    place.recollect("install", "claude-code", "--scope", "project", "--uninstall")
    assert settings.read_bytes() == before
    assert list(settings.parent.iterdir()) == [settings]


def _trust(place: Workplace, folder: Path) -> None:
    """What the client notes when its user trusts a folder."""
    path = place.config / ".claude.json"
    said = json.loads(path.read_text("utf-8")) if path.exists() else {}
    said.setdefault("projects", {})[str(folder)] = {"hasTrustDialogAccepted": True}
    path.write_text(json.dumps(said))

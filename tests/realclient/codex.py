"""The real Codex, pinned, set up as the page about MCP says, and with a model that is scripted."""

from __future__ import annotations

import os
import platform
import re
import sys
from pathlib import Path

from recollect.hosts.codex import HOST
from tests.realclient.client import Client, ClientMissing, installed_client
from tests.realclient.run import Run
from tests.realclient.workplace import Conversation, Workplace, write_program

VERSION = HOST.TESTED
PAGE = Path(__file__).parents[2] / "docs" / "mcp.md"
_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
# Codex asks four hosts of its own for plugins and about features, unless it is told not to.
MODEL = """\
model = "scripted"
model_provider = "scripted"
analytics.enabled = false
features.plugins = false
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

"""


def installed_codex() -> Path:
    """Codex's executable. The platform's own package has it; the wrapper needs node and adds none.

    The other programs of the package, for voice and for code that runs tools, are not used.
    """
    machine = _MACHINES.get(platform.machine().lower())
    if machine is None or sys.platform not in ("linux", "darwin"):
        raise ClientMissing(f"there is no Codex for {sys.platform} on {platform.machine()}.")
    package = f"@openai/codex@{VERSION}-{sys.platform}-{machine}"
    where = "node_modules/@openai/codex/vendor/*/bin/codex"
    return installed_client(client=Client("codex", VERSION, package, where))


def set_up(place: Workplace) -> None:
    """Make a machine on which Codex knows our server, and `recollect` is what is being tested."""
    place.set_up()
    home = place.home / ".codex"
    home.mkdir()
    (home / "config.toml").write_text(MODEL.format(url=place.api.url) + documented_lines())
    path = os.environ.get("PYTHONPATH", "")
    ours = f"PYTHONPATH='{path}' exec '{sys.executable}' -m recollect" + ' "$@"'
    write_program(place.root / "bin", "recollect", ours)
    place.programs = (place.root / "bin",)
    place.variables |= {"CODEX_HOME": str(home), "SCRIPTED_KEY": "not-a-key", "PYTHONPATH": path}


def documented_lines() -> str:
    """What the page tells a user to put into the configuration."""
    (lines,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return str(lines)


def ask(place: Workplace, prompt: str) -> Run:
    """Run Codex once, to the end; it must leave no process behind and ask no other host."""
    command = [str(place.client), "exec", "--json", "--skip-git-repo-check", prompt]
    with Conversation(place, command, place.repo) as conversation:
        conversation.close_input()
        run = conversation.finish()
    assert run.code == 0, f"Codex ended with {run.code}: {run.stderr}\n{run.events}"
    return run

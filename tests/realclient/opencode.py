"""The real OpenCode, pinned, with a model that is scripted."""

from __future__ import annotations

import json
from pathlib import Path

from recollect.hosts.opencode import TESTED
from tests.realclient.client import Client, installed_client
from tests.realclient.run import Run
from tests.realclient.workplace import Conversation, Workplace

VERSION = TESTED
# It installs types for plugins from there into every folder with settings, with or without ours.
REGISTRY = "registry.npmjs.org:443"
_QUIET = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS")


def installed_opencode() -> Path:
    """OpenCode's executable: the package has one for processors with AVX2, and one for others."""
    where = "node_modules/opencode-*/bin/opencode"
    return installed_client(client=Client("opencode", VERSION, f"opencode-ai@{VERSION}", where))


def set_up(place: Workplace) -> None:
    """Make a machine on which OpenCode has a model, settings of the user's own, and no plugin."""
    place.set_up()
    place.tolerated = frozenset((REGISTRY,))
    place.variables |= {f"OPENCODE_DISABLE_{name}": "1" for name in _QUIET}
    model = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{place.api.url}/v1", "apiKey": "not-a-key"},
        "models": {"scripted": {"name": "scripted"}},
    }
    said = {
        "$schema": "https://opencode.ai/config.json",
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "snapshot": False,  # it copies the whole project at every step
        "provider": {"scripted": model},
    }
    settings_of(place).parent.mkdir(parents=True)
    settings_of(place).write_text(f"// mine\n{json.dumps(said, indent=1)}\n")


def settings_of(place: Workplace) -> Path:
    """The user's settings."""
    return place.home / ".config" / "opencode" / "opencode.jsonc"


def command(place: Workplace, prompt: str, *options: str) -> list[str]:
    """The command line of one prompt."""
    return [str(place.client), "run", "--format", "json", *options, prompt]


def ask(place: Workplace, prompt: str, *options: str) -> Run:
    """Run OpenCode once, to the end; it must leave no process behind and ask no other host."""
    with Conversation(place, command(place, prompt, *options), place.repo) as conversation:
        conversation.close_input()
        run = conversation.finish()
    assert run.code == 0, f"OpenCode ended with {run.code}: {run.stderr}\n{run.events}"
    return run


def session_of(run: Run) -> str:
    """The id of the session."""
    return str(run.events[0]["sessionID"])

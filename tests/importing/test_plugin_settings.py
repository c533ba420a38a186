"""The settings of the claude-memory plugin become commands, never settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recollect.importing.claude_memory import INVALID, SETTINGS, Outcome
from recollect.importing.plugin_settings import FILE, settings_of
from tests.importing.readings import shop
from tests.sandbox import Sandbox

CONFIG: dict[str, Any] = {
    "memory_root": ".claude/memory",
    "categories": {
        "decision": {"enabled": False, "auto_capture": True, "retention_days": 0},
        "session_summary": {"enabled": True, "retention_days": 30, "max_retained": 9},
        "unknown": {"enabled": False},
        "runbook": "odd",
    },
    "auto_commit": "yes; rm -rf /",
    "max_memories_per_category": 100,
    "retrieval": {"max_inject": 7, "match_strategy": "$(reboot)"},
    "triage": {
        "thresholds": {"constraint": 0.5, "decision": 0.4},
        "parallel": {"category_models": {"runbook": "sonnet", "preference": "evil"}},
    },
    "delete": {"grace_period_days": 10, "archive_retired": True},
}


def test_only_what_differs_and_is_valid(sandbox: Sandbox, tmp_path: Path) -> None:
    """Values of the wrong type and free text are left out."""
    path = tmp_path / FILE
    path.write_text(json.dumps(CONFIG))

    assert settings_of(path, sandbox.open(shop(sandbox)).config) == {
        "kinds.decisions.enabled": False,
        "kinds.sessions.retention_days": 30,
        "sessions.max_retained": 9,
        "inject.prompt_memories": 7,
        "kinds.constraints.triage_threshold": 0.5,
        "kinds.runbooks.model": "sonnet",
        "delete.grace_period_days": 10,
        "delete.archive_retired": True,
    }


def test_an_import_names_the_commands(sandbox: Sandbox, tmp_path: Path) -> None:
    """Each command works as it is, and nothing is set before somebody runs it."""
    store = sandbox.open(shop(sandbox))
    (tmp_path / FILE).write_text(json.dumps({"categories": {"decision": {"enabled": False}}}))
    outcomes = store.import_claude_memory(tmp_path)

    command = "recollect config set kinds.decisions.enabled false"
    assert outcomes == [Outcome(FILE, SETTINGS, problem=command)]
    assert store.config.flag("kinds.decisions.enabled")


@pytest.mark.parametrize("text", ["", "{", "[" * 10_000])
def test_a_broken_file(sandbox: Sandbox, tmp_path: Path, text: str) -> None:
    """It is named, and the documents still count."""
    (tmp_path / FILE).write_text(text)
    outcomes = sandbox.open(shop(sandbox)).import_claude_memory(tmp_path)

    assert [(one.file, one.result) for one in outcomes] == [(FILE, INVALID)]

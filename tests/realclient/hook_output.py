"""What the hooks may print, and how they must end."""

from __future__ import annotations

import json
from typing import Any

from tests.realclient.run import Hook, Run

LONGEST_CONTEXT = 9_500
SILENT = ("SubagentStop", "PreCompact", "SessionEnd")


def check_hook_output(run: Run) -> None:
    """Every hook of a run ended well and said nothing, or one JSON object in the agreed form."""
    hooks = run.hooks()
    assert hooks, "no hook of the plugin was called"
    for hook in hooks:
        assert hook.outcome == "success", hook
        assert hook.exit_code == 0, hook
        assert hook.stderr == "", hook
        if hook.stdout:
            assert hook.event not in SILENT, hook
            # At a stop, anything but a line for the user would make the agent go on.
            assert hook.event != "Stop" or answer_of(hook).keys() == {"systemMessage"}, hook
            _check_answer(hook)
    assert not [text for request in run.requests if (text := _hook_error(request.text))]


def answer_of(hook: Hook) -> dict[str, Any]:
    """What a hook answered."""
    answer = json.loads(hook.stdout)
    assert isinstance(answer, dict), hook
    return answer


def _check_answer(hook: Hook) -> None:
    answer = answer_of(hook)
    specific = answer.get("hookSpecificOutput")
    if specific is not None:
        assert specific["hookEventName"] == hook.event, hook
        assert len(specific.get("additionalContext", "")) <= LONGEST_CONTEXT, hook
    assert answer.keys() <= {"hookSpecificOutput", "systemMessage"}, hook


def _hook_error(text: str) -> str:
    """The first line in which the client tells the model of a broken hook."""
    return next((line for line in text.splitlines() if "hook error" in line), "")

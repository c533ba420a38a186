"""Memories that are not public are printed only on request, and then they are marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.errors import NotFound
from recollect.hosts import agents
from tests.cli.running import gives, run, says
from tests.sandbox import Sandbox

LEVELS = ("private", "secret", "unknown")
# What each memory says; no other text contains it.
WORD = {"public": "postgres", "private": "salaries", "secret": "vault", "unknown": "unlabelled"}


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a memory of each sensitivity."""
    path = sandbox.init("work")
    sandbox.commit(path)
    store = sandbox.open(path)
    for level, word in WORD.items():
        memory = store.capture("notes", f"About the {word}", sensitivity=level)
        store.update(memory.uid, body=f"More on the {word}.")
    store.close()
    return path


def _ids(sandbox: Sandbox, repo: Path) -> dict[str, str]:
    store = sandbox.open(repo)
    return {m.sensitivity: m.id for m in store.memories(sensitivity="all")}


@pytest.mark.parametrize("command", ["list", "timeline", "log"])
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_list_timeline_and_log_leave_out_what_is_not_public(
    repo: Path, command: str, more: tuple[str, ...]
) -> None:
    """In lines and in JSON."""
    said = says(repo, command, *more)

    assert WORD["public"] in said
    assert not any(WORD[level] in said for level in LEVELS)


@pytest.mark.parametrize("command", ["list", "timeline", "log"])
@pytest.mark.parametrize("level", LEVELS)
def test_sensitivity_asks_for_them_and_marks_them(repo: Path, command: str, level: str) -> None:
    """Only those that were asked for, each with its mark."""
    lines = [
        line for line in says(repo, command, "--sensitivity", level).splitlines() if ":" in line
    ]

    assert lines
    assert all(f"[{level}]" in line for line in lines if "About" in line)
    assert WORD["public"] not in "".join(lines)
    everything = says(repo, command, "--sensitivity", "all")
    assert all(word in everything for word in WORD.values())
    shown = gives(repo, command, "--sensitivity", level)
    assert {one["sensitivity"] for one in shown} == {level}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("more", [(), ("--json",), ("--history",)])
def test_show_needs_the_sensitivity_of_what_is_not_public(
    sandbox: Sandbox, repo: Path, level: str, more: tuple[str, ...]
) -> None:
    """By any name of the memory; the error says what to do."""
    name = _ids(sandbox, repo)[level]

    refused = run(repo, "show", name, *more)
    assert isinstance(refused.exception, NotFound)
    assert WORD[level] not in refused.output + str(refused.exception)
    assert f"--sensitivity {level}" in refused.exception.hint
    assert WORD[level] in says(repo, "show", name, "--sensitivity", level, *more)
    assert WORD[level] in says(repo, "show", name, "--sensitivity", "all", *more)


def test_commands_about_something_else_do_not_print_what_is_not_public(
    sandbox: Sandbox, repo: Path
) -> None:
    """Strength, gc and their JSON name a memory, but do not tell what it says."""
    names = _ids(sandbox, repo)
    for level in LEVELS:
        sandbox.open(repo).set_status(names[level], "retired")
        said = says(repo, "strength", names[level])
        assert WORD[level] not in said
        assert f"({level})" in said
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_DELETE_GRACE_PERIOD_DAYS", "0.0000001")
        for more in ((), ("--json",)):
            said = says(repo, "gc", "--dry-run", *more)
            assert "(private)" in said
            assert not any(WORD[level] in said for level in LEVELS)


def test_the_commands_of_the_skill_never_print_what_is_not_public(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every reading command that the plugin's texts name, without options, in an agent's shell."""
    monkeypatch.setenv(next(iter(agents.VARIABLES)), "1")
    names = _ids(sandbox, repo)
    for args in (
        *(["list"], ["list", "--status", "archived"], ["timeline"], ["status"], ["doctor"]),
        *(["verify"], ["review"], ["why"], ["search", "about the salaries vault unlabelled"]),
        *(["sleep", "--dry-run"], ["lifecycle", "--dry-run"], ["log"]),
        *(["show", names[level]] for level in LEVELS),
    ):
        result = run(repo, *args)
        assert not any(WORD[level] in result.output for level in LEVELS), args

"""Any configuration: it counts, or one message says what is wrong with it."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from recollect.cli import root
from recollect.config.config import load_config
from recollect.config.keys import KEYS
from recollect.errors import BadConfig, RecollectError
from tests.fuzz.fuzzing import NASTY, mutate_bytes, mutate_json, run

PROJECT = b"""\
[inject]
budget = "adaptive"
prompt_memories = 5
[sync]
remote = "origin"
[kinds.decisions]
enabled = true
description = "What was decided"
[sleep]
decay_per_day = 0.05
"""
WORDS = (
    *NASTY,
    *(f"\n{key.name} = {json.dumps(key.default)}\n".encode() for key in KEYS[::3]),
    *(b"\n[tool.recollect]\n", b" = nan\n", b" = inf\n", b" = -1\n", b" = []\n", b" = {}\n"),
    *(b" = 1979-05-27\n", b"[[kinds]]\n", b"[kinds]\n", b'"\xc3\xa9" = 1\n', b"= 0x" + b"f" * 400),
)


def check_config(directory: Path) -> None:
    """Load and list the configuration of a directory: a value for each key, or one message."""
    with suppress(BadConfig):
        config = load_config(directory, os.environ)
        for key in KEYS:
            assert type(config.explain(key.name).value) is type(key.default)
    for command in (["config", "list"], ["config", "list", "--json"]):
        done = CliRunner().invoke(root, ["-C", str(directory), *command])
        assert done.exception is None or isinstance(done.exception, SystemExit | RecollectError), (
            repr(done.exception)
        )


@pytest.mark.parametrize("name", [".recollect.toml", "pyproject.toml"])
def test_any_file_of_a_project(repo: Path, name: str) -> None:
    """A file that came with a repository stops nothing."""
    head = b"[tool.recollect]\n" if name == "pyproject.toml" else b""

    def check(data: bytes) -> None:
        (repo / name).write_bytes(head + data)
        check_config(repo)

    known = [PROJECT.replace(b"[", b"[tool.recollect.") if head else PROJECT, b""]
    run(
        f"config-{name.strip('.')}",
        known,
        check,
        examples=150,
        mutate=lambda dice, data: mutate_bytes(dice, data, WORDS),
    )


def test_any_file_of_the_user(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slip in your own file is told, and nothing else happens."""
    folder = repo.parent / "config"
    folder.mkdir()
    monkeypatch.setenv("RECOLLECT_CONFIG_DIR", str(folder))

    def check(data: bytes) -> None:
        (folder / "config.toml").write_bytes(data)
        check_config(repo)

    run(
        "config-user",
        [PROJECT],
        check,
        examples=150,
        mutate=lambda dice, data: mutate_bytes(dice, data, WORDS),
    )


def test_any_variable(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables of the environment hold any text but NUL."""
    variables = {key.variable: str(key.default) for key in KEYS}

    def check(data: bytes) -> None:
        try:
            given = json.loads(data)
        except (ValueError, RecursionError):
            return
        with monkeypatch.context() as patch:
            for name, value in given.items() if isinstance(given, dict) else ():
                # What the system can hold: no NUL, no lone surrogates.
                text = str(value).replace("\0", "").encode("utf-8", "replace").decode()
                if name in variables:
                    patch.setenv(name, text)
            check_config(repo)

    inputs = [json.dumps(dict(part)).encode() for part in (list(variables.items())[n::9] for n in range(9))]  # fmt: skip # noqa: E501
    run("config-variables", inputs, check, examples=150, mutate=mutate_json)

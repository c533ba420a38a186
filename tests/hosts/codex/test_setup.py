"""Codex's settings: what an older version wrote, and which hooks the user has trusted."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from recollect.hosts import file_changes, settings_files
from recollect.hosts.codex import HOST
from recollect.hosts.codex.trust import untrusted
from recollect.hosts.settings_files import File, Item, SettingsFile

BEFORE = (
    '{\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]\n  }\n}\n'
)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A machine on which Codex has a hook of the user's own."""
    folder = tmp_path / "codex"
    folder.mkdir()
    (folder / "hooks.json").write_text(BEFORE)
    return {"CODEX_HOME": str(folder), "XDG_DATA_HOME": str(tmp_path / "data")}


def plan(environment: dict[str, str], tmp_path: Path) -> tuple[File, ...]:
    """What this version writes."""
    return HOST.installation("user", tmp_path, tmp_path, environment).files


def as_before(file: File) -> File:
    """The same with the commands of an older version, which did not name the host."""
    assert isinstance(file, SettingsFile)
    entries = [
        Item(entry.keys, json.loads(json.dumps(entry.value).replace(" codex", "")), entry.sign)
        if isinstance(entry, Item)
        else entry
        for entry in file.entries
    ]
    return SettingsFile(file.path, tuple(entries))


@pytest.mark.parametrize("updates", [False, True])
@pytest.mark.parametrize("has_receipt", [False, True])
def test_an_older_installation_is_removed(
    environment: dict[str, str], tmp_path: Path, *, updates: bool, has_receipt: bool
) -> None:
    """Byte for byte, also after an update, and nearly so if the receipt is lost."""
    files = plan(environment, tmp_path)
    hooks = files[0].path
    old = settings_files.installing([as_before(file) for file in files], environment)
    file_changes.apply(old, environment)
    assert "recollect-hook stop;" in hooks.read_text()
    if not has_receipt:
        for receipt in (tmp_path / "data" / "recollect" / "installed").glob("*.json"):
            receipt.unlink()
    if updates:
        file_changes.apply(settings_files.installing(files, environment), environment)
        named = "recollect-hook stop codex;" in hooks.read_text()
        assert named is has_receipt  # without a receipt, what is there is the user's own
        assert hooks.read_text().count("exec recollect-hook stop") == 1

    file_changes.apply(settings_files.removing(files, environment), environment)

    assert json.loads(hooks.read_text())["hooks"]["Stop"] == json.loads(BEFORE)["hooks"]["Stop"]
    assert "recollect-hook" not in hooks.read_text()
    if has_receipt:
        assert hooks.read_text() == BEFORE
        assert not (hooks.parent / "config.toml").exists()


HASH = "sha256:1313c48a43cf314e1066086ecd0b92df12b264872d18464d24d24f9d7afb1d14"


def test_the_hash_is_that_of_codex(tmp_path: Path) -> None:
    """As Codex 0.166 computed it for this hook; the user's other hooks don't count."""
    hooks, config = tmp_path / "hooks.json", tmp_path / "config.toml"
    ours = {"type": "command", "command": "recollect-hook session-start codex", "timeout": 5}
    if sys.platform != "win32":  # what Codex runs on another system does not count
        ours["commandWindows"] = "recollect-hook session-start codex # on Windows"
    mine = {"type": "command", "command": "mine"}
    groups = [{"hooks": [ours]}, {"hooks": [mine]}]
    hooks.write_text(json.dumps({"hooks": {"SessionStart": groups}}))
    assert untrusted(hooks, config) == (1, 1)

    state = f'[hooks.state."{hooks}:session_start:0:0"]\n'
    config.write_text(f'{state}trusted_hash = "{HASH}"\n')
    assert untrusted(hooks, config) == (0, 1)
    config.write_text(f'{state}trusted_hash = "sha256:00"\n')
    assert untrusted(hooks, config) == (1, 1)
    config.write_text(f"{state}enabled = false\n")
    assert untrusted(hooks, config) == (0, 0)


HOSTILE: list[tuple[Any, str]] = [
    ("[" * 100_000, ""),
    (
        {
            "hooks": {
                "Stop": [1, {"hooks": "recollect-hook"}, {"hooks": [None, ["recollect-hook"]]}]
            }
        },
        "",
    ),
    ({"hooks": [{"recollect-hook": 1}]}, "hooks = 1"),
    ({"hooks": {"Stop": {"recollect-hook": 1}}}, "[hooks]\nstate = [1]"),
    (
        {"hooks": {"A" * 50_000: [{"hooks": [{"command": "recollect-hook"}]}]}},
        "[hooks.state]\nx = 1",
    ),
]


@pytest.mark.parametrize(("hooks", "config"), HOSTILE)
def test_files_that_say_something_else(tmp_path: Path, hooks: Any, config: str) -> None:
    """They are read without a failure."""
    text = hooks if isinstance(hooks, str) else json.dumps(hooks)
    (tmp_path / "hooks.json").write_text(text)
    (tmp_path / "config.toml").write_text(config)

    waiting, total = untrusted(tmp_path / "hooks.json", tmp_path / "config.toml")

    assert waiting == total <= 1

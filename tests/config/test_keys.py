"""What a key accepts, and how it may be spelled."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.config.config import load_config
from recollect.config.edit import set_key, unset_key
from recollect.config.keys import KEYS
from recollect.errors import BadConfig
from recollect.hosts.protocol import EVENTS


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """Where the user's own file is."""
    return {
        "RECOLLECT_CONFIG_DIR": str(tmp_path / "config"),
        "RECOLLECT_DATA_DIR": str(tmp_path / "data"),
    }


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """The top of a repository."""
    (tmp_path / "repo" / ".git" / "objects").mkdir(parents=True)
    (tmp_path / "repo" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return tmp_path / "repo"


def test_every_event_has_a_switch() -> None:
    """The table of keys cannot import the hosts, so the names are written there again."""
    switches = {key.name for key in KEYS if key.name.startswith("hook.") and key.default is True}

    assert switches == {"hook.enabled", *(f"hook.{event}.enabled" for event in EVENTS)}


@pytest.mark.parametrize("alias", ["tech_debt", "debt", "tech-debt", "Tech_Debt"])
@pytest.mark.parametrize("user", [True, False])
def test_an_alias_of_a_kind_in_a_key(
    repo: Path, env: dict[str, str], alias: str, user: bool
) -> None:
    """In a file, in `set` and in `unset`, wherever the file is."""
    file = Path(env["RECOLLECT_CONFIG_DIR"], "config.toml") if user else repo / ".recollect.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"[kinds.{alias}]\nenabled = false\n")
    assert load_config(repo, env).flag("kinds.tech-debt.enabled") is False
    assert load_config(repo, env).warnings == ()

    set_key("kinds.debt.enabled", "true", directory=repo, environment=env, user=user)
    assert file.read_text() == f"[kinds.{alias}]\nenabled = true\n"

    unset_key("kinds.tech_debt.enabled", directory=repo, environment=env, user=user)
    assert load_config(repo, env).explain("kinds.debt.enabled").source == "default"


def test_an_alias_in_a_project_needs_the_same_trust(repo: Path, env: dict[str, str]) -> None:
    """Another spelling is not another key."""
    (repo / ".recollect.toml").write_text("[kinds.decision]\nretention_days = 1\n")
    config = load_config(repo, env)

    assert config.number("kinds.decisions.retention_days") == 0
    assert "kinds.decisions.retention_days" in config.ignored


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("inject.prompt_memorys", "inject.prompt_memories"),
        ("kinds.decision.enable", "kinds.decisions.enabled"),
        ("capture.modes", "capture.mode"),
        ("hooks.enabled", "hook.enabled"),
    ],
)
def test_a_wrong_key_suggests_the_right_one(
    repo: Path, env: dict[str, str], wrong: str, right: str
) -> None:
    """In the error of a command, and in the warning about a file."""
    with pytest.raises(BadConfig, match=f"Did you mean {right}"):
        set_key(wrong, "1", directory=repo, environment=env)

    table, _, last = wrong.rpartition(".")
    (repo / ".recollect.toml").write_text(f"[{table}]\n{last} = 1\n")
    assert f"Did you mean {right}?" in load_config(repo, env).warnings[0]


def test_a_key_that_is_like_none_suggests_none(repo: Path, env: dict[str, str]) -> None:
    """A wrong guess is worse than none."""
    with pytest.raises(BadConfig) as caught:
        set_key("zebra.crossing", "1", directory=repo, environment=env)

    assert "Did you mean" not in caught.value.message


@pytest.mark.parametrize("key", [key for key in KEYS if key.whole], ids=lambda key: key.name)
def test_counts_refuse_fractions(repo: Path, env: dict[str, str], key: object) -> None:
    """0.5 must not become 0, which means no limit in some keys."""
    name = key.name  # type: ignore[attr-defined]
    with pytest.raises(BadConfig, match="whole number"):
        set_key(name, "10.5", directory=repo, environment=env)
    with pytest.raises(BadConfig):
        set_key(name, "0.5", directory=repo, environment=env)
    assert not (repo / ".recollect.toml").exists()

    set_key(name, "11", directory=repo, environment=env, user=True)
    assert load_config(repo, env).number(name) == 11


def test_every_count_is_whole() -> None:
    """Keys of memories, tokens and messages count; days and seconds do not."""
    endings = ("memories", "tokens", "messages", "max_retained", "max_captures")

    assert [key.name for key in KEYS if key.name.endswith(endings) is not key.whole] == []


def test_a_removed_key_is_not_an_error(env: dict[str, str], repo: Path) -> None:
    """A file that sets it works, and the warning says to remove it, not to rename it."""
    own = Path(env["RECOLLECT_CONFIG_DIR"]) / "config.toml"
    own.parent.mkdir()
    for file in (own, repo / ".recollect.toml"):
        file.write_text('[capture]\nauto_threshold = 0.9\nmode = "off"\n')

    config = load_config(repo, {**env, "RECOLLECT_CAPTURE_AUTO_THRESHOLD": "high"})

    assert config.text("capture.mode") == "off"
    assert len(config.warnings) == 2
    assert all("was removed. Remove it" in warning for warning in config.warnings)
    with pytest.raises(BadConfig, match="was removed"):
        set_key("capture.auto_threshold", "0.9", directory=repo, environment=env)


def test_a_threshold_is_a_probability(repo: Path, env: dict[str, str]) -> None:
    """Nothing reaches a score above 1, so it would switch the kind off without saying so."""
    name = "kinds.decisions.triage_threshold"
    with pytest.raises(BadConfig):
        set_key(name, "1.5", directory=repo, environment=env, user=True)

    set_key(name, "1", directory=repo, environment=env, user=True)
    assert load_config(repo, env).number(name) == 1

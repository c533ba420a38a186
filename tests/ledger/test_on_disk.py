"""What hooks read from the files of a repository is what git says, or git is asked."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect.api.opening import open_stores
from recollect.config.config import load_config
from recollect.ledger.git import Git
from recollect.ledger.on_disk import known_refs, locate, note_refs
from recollect.ledger.refs import Refs, Tip, refs_state
from recollect.ledger.repository import Repository, find_repository
from tests.sandbox import Sandbox


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with commits."""
    sandbox.make_hub()
    return sandbox.clone("ada")


def git(repo: Path, *args: str) -> None:
    """Plain git."""
    subprocess.run(["git", *args], cwd=repo, check=True, capture_output=True)


def described(found: Repository | None) -> tuple[object, ...] | None:
    """What a repository is, without the object that runs git."""
    return None if found is None else tuple(found)[1:]


def _branch(repo: Path) -> Path:
    git(repo, "checkout", "-q", "-b", "topic/ä b".replace(" ", "-"))
    return repo


def _detached(repo: Path) -> Path:
    git(repo, "checkout", "-q", "--detach")
    return repo


def _packed(repo: Path) -> Path:
    git(repo, "pack-refs", "--all")
    return repo


def _inside(repo: Path) -> Path:
    (repo / "a" / "b").mkdir(parents=True)
    return repo / "a" / "b"


def _worktree(repo: Path) -> Path:
    git(repo, "worktree", "add", "-q", "-b", "other", "../other")
    return repo.parent / "other"


def _by_a_link(repo: Path) -> Path:
    (repo.parent / "link").symlink_to(repo)
    return repo.parent / "link"


USUAL = [_branch, _detached, _packed, _inside, _worktree, _by_a_link]


@pytest.mark.parametrize("change", USUAL)
def test_the_usual_repository_is_found_without_git(
    change: Callable[[Path], Path], repo: Path
) -> None:
    """With the same paths, format and branch that git reports, and no process."""
    place = change(repo)
    quick = Git(place)

    found = find_repository(quick, quickly=True)

    assert described(found) == described(find_repository(Git(place)))
    assert quick.spawns == 0


def _unborn(repo: Path) -> Path:
    git(repo, "checkout", "-q", "--orphan", "new")
    return repo


def _ambiguous(repo: Path) -> Path:
    git(repo, "tag", "twice")
    git(repo, "checkout", "-q", "-b", "twice")
    return repo


def _ambiguous_and_packed(repo: Path) -> Path:
    return _packed(_ambiguous(repo))


def _sha256(repo: Path) -> Path:
    (repo.parent / "long").mkdir()
    git(repo.parent / "long", "init", "-q", "--object-format=sha256")
    return repo.parent / "long"


def _elsewhere(repo: Path) -> Path:
    git(repo, "init", "-q", "--separate-git-dir", "../elsewhere.git")
    return repo


def _bare_inside(repo: Path) -> Path:
    git(repo, "init", "-q", "--bare", "inner.git")
    return repo / "inner.git"


def _outside(repo: Path) -> Path:
    return repo.parent


def _worktree_setting(repo: Path) -> Path:
    git(repo, "config", "core.worktree", str(repo))
    return repo


def _extension(repo: Path) -> Path:
    git(repo, "config", "core.repositoryformatversion", "1")
    git(repo, "config", "extensions.worktreeConfig", "true")
    return repo


@pytest.mark.parametrize(
    "change",
    [
        *(_unborn, _ambiguous, _ambiguous_and_packed, _sha256, _elsewhere, _bare_inside),
        *(_outside, _worktree_setting, _extension),
    ],
)
def test_an_unusual_repository_is_as_git_says(change: Callable[[Path], Path], repo: Path) -> None:
    """Whether it was read from the files or not."""
    place = change(repo)
    assert described(find_repository(Git(place), quickly=True)) == described(
        find_repository(Git(place))
    )


def test_damaged_files_are_for_git_to_judge(repo: Path) -> None:
    """It says what is wrong, and the files are not guessed at."""
    for name, text in (("HEAD", "nonsense\n"), ("HEAD", ""), ("config", "[core\n"), ("config", "")):
        path = repo / ".git" / name
        before = path.read_bytes()
        path.write_text(text)
        assert locate(repo, {}) is None
        path.write_bytes(before)
    (repo / ".git" / "refs").rename(repo / ".git" / "gone")
    assert locate(repo, {}) is None


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_CEILING_DIRECTORIES", "GIT_CONFIG_COUNT"])
def test_variables_that_change_what_git_finds_are_for_git(name: str, repo: Path) -> None:
    """Those that have nothing to do with it don't matter."""
    assert locate(repo, {name: "1"}) is None
    assert locate(repo, {"GIT_AUTHOR_NAME": "Ada", "HOME": "/"}) is not None


def test_refs_are_known_only_while_their_files_stay(repo: Path, sandbox: Sandbox) -> None:
    """A hook that finds them unchanged asks nothing; after any change it asks git again."""
    sandbox.open(repo).capture("decisions", "Use PostgreSQL for persistence")
    config = load_config(repo, os.environ)

    def opened() -> tuple[int, dict[str, Tip]]:
        store, _ = open_stores(repo, config, os.environ)
        tips = store.ledger.tips()
        spawned = store.ledger.repository.git.spawns
        store.close()
        return spawned, tips

    assert opened()[0] == 1
    unchanged, known = opened()
    sandbox.open(repo).capture("decisions", "Use Redis for the queue")
    after, moved = opened()
    git(repo, "pack-refs", "--all")

    assert (unchanged, after) == (0, 1)
    assert known != moved
    assert opened() == (1, moved)
    assert opened() == (0, moved)


def test_a_half_written_file_is_no_answer(tmp_path: Path) -> None:
    """A power cut must not look as if refs had gone."""
    state = refs_state(tmp_path)
    refs = Refs({f"refs/notes/mem/{n}": Tip("a" * 40, "b" * 40) for n in range(3)}, {})
    note_refs(tmp_path, state, refs)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()

    assert known_refs(tmp_path, state) == refs
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        assert known_refs(tmp_path, state) is None


def test_broken_refs_are_never_noted(tmp_path: Path) -> None:
    """The next hook asks git, and the user hears of it."""
    note_refs(tmp_path, refs_state(tmp_path), Refs({}, {"refs/notes/mem/x": "is broken"}))
    assert list(tmp_path.iterdir()) == []

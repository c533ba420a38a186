"""The mirror in odd places, its commits on the person's branch, and its commands."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recollect.api.recollect import Recollect
from recollect.cli import root
from recollect.config.trust import trust_config
from recollect.errors import ValidationError
from recollect.mirror.denial import denial
from recollect.mirror.mirror import Mirror
from tests.sandbox import Sandbox, install_hook
from tests.support.claude_memory import document
from tests.support.mirror import FOLDER, asides, check, edit, files, switch_on, take

# What is in the way


def test_links_are_never_followed(sandbox: Sandbox, store: Recollect, repo: Path) -> None:
    """Neither to read nor to write: what they lead to stays as it was."""
    store.capture("notes", "A note")
    outside = sandbox.root / "outside.json"
    outside.write_text(document(category="note", content={"text": "from outside"}))
    place = repo / FOLDER / "notes" / "a-note.json"
    place.unlink()
    place.symlink_to(outside)
    before = outside.read_text()
    (place.parent / "linked.json").symlink_to(outside)

    Mirror(store).update()

    assert outside.read_text() == before
    assert [memory.summary for memory in store.memories()] == ["A note"]
    assert not place.is_symlink()
    assert all(path.is_symlink() for path in asides(repo))
    check(store, repo)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_odd_files_do_not_hold_us_up(store: Recollect, repo: Path) -> None:
    """A pipe that nobody writes to, a folder where a file belongs."""
    store.capture("notes", "A note")
    place = repo / FOLDER / "notes" / "a-note.json"
    place.unlink()
    place.mkdir()
    os.mkfifo(place.parent / "pipe.json")

    Mirror(store).update()

    assert len(asides(repo)) == 2
    check(store, repo)


@pytest.mark.parametrize("link", [".claude", ".claude/memory", ".claude/memory/notes"])
def test_a_folder_that_leads_out_is_refused(
    sandbox: Sandbox, store: Recollect, repo: Path, link: str
) -> None:
    """The memory is kept all the same, and the person is told."""
    outside = sandbox.root / "outside"
    outside.mkdir()
    (repo / link).parent.mkdir(parents=True, exist_ok=True)
    (repo / link).symlink_to(outside)

    store.capture("notes", "A note")

    assert list(outside.rglob("*")) == []
    assert any("Could not update the mirror" in warning for warning in store.warnings)
    assert len(store.memories()) == 1


@pytest.mark.parametrize(
    "path", ["", ".", "/tmp/mirror", "../mirror", "a/../../b", ".git/mirror", ".GIT/x", "c:/x", "f"]
)
def test_a_path_that_is_no_folder_of_the_tree_is_refused(
    sandbox: Sandbox, repo: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes with the repository, so it may want anything."""
    (repo / "f").write_text("a file")
    monkeypatch.setenv("RECOLLECT_MIRROR_PATH", path)
    store = sandbox.open(repo)

    with pytest.raises(ValidationError):
        Mirror(store)


def test_a_page_that_is_not_ours_stays(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever sets the path to a folder of documents loses none."""
    (repo / "docs").mkdir()
    (repo / "docs" / "index.md").write_text("# The manual\n")
    monkeypatch.setenv("RECOLLECT_MIRROR_PATH", "docs")
    store = sandbox.open(repo)

    store.capture("notes", "A note")

    assert (repo / "docs" / "index.md").read_text() == "# The manual\n"
    assert any("docs/index.md" in warning for warning in store.warnings)
    assert (repo / "docs" / "notes" / "a-note.json").exists()


def test_without_a_working_tree_there_is_no_mirror(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bare, bare with a file that leads to it, and outside of any; nothing is written there."""
    monkeypatch.setenv("RECOLLECT_MIRROR_ENABLED", "true")
    bare = sandbox.init("bare.git", "--bare")
    hub = sandbox.root / "layout"
    sandbox.git(sandbox.root, "init", "--quiet", "--bare", "layout/.bare")
    (hub / ".git").write_text("gitdir: ./.bare\n")
    for place in (bare, hub):
        store = sandbox.open(place)
        with pytest.raises(ValidationError, match="bare repository"):
            Mirror(store)
        store.capture("notes", "A note")
        assert not (place / ".claude").exists()
    outside = tmp_path / "nowhere"
    outside.mkdir()
    store = sandbox.open(outside)
    store.capture("notes", "A note")
    assert store.warnings == []
    with pytest.raises(ValidationError, match="needs a repository"):
        Mirror(store)


# Committing


@pytest.fixture
def committing(repo: Path, sandbox: Sandbox) -> Recollect:
    """A memory whose mirror is committed by itself."""
    switch_on(repo, "auto_commit = true\n")
    sandbox.git(repo, "commit", "--quiet", "--all", "--message", "Commit the mirror")
    return sandbox.open(repo)


def subjects(sandbox: Sandbox, repo: Path) -> list[str]:
    """The subjects of the branch, newest first."""
    return sandbox.git(repo, "log", "--format=%s").splitlines()


def test_the_mirror_is_committed_and_nothing_else(
    sandbox: Sandbox, committing: Recollect, repo: Path
) -> None:
    """What is staged stays staged, what is changed stays changed; from a folder below too."""
    (repo / "staged.txt").write_text("staged")
    sandbox.git(repo, "add", "staged.txt")
    (repo / "loose.txt").write_text("loose")
    (repo / FOLDER).mkdir(parents=True)
    (repo / FOLDER / "memory-config.json").write_text("{}")
    (repo / "below").mkdir()

    memory = sandbox.open(repo / "below").capture("notes", "A note")

    assert subjects(sandbox, repo)[0] == f"recollect: memories in {FOLDER} (3 files)"
    committed = sandbox.git(repo, "show", "--format=", "--name-only", "HEAD").splitlines()
    assert sorted(committed) == [
        f"{FOLDER}/.recollect.json",
        f"{FOLDER}/index.md",
        f"{FOLDER}/notes/a-note.json",
    ]
    status = sandbox.git(repo, "status", "--porcelain", "--untracked-files=all").splitlines()
    assert status == ["A  staged.txt", f"?? {FOLDER}/memory-config.json", "?? loose.txt"]
    committing.purge(memory.uid)
    assert sandbox.git(repo, "ls-files", f"{FOLDER}/notes") == ""
    assert not any("Could not commit" in warning for warning in committing.warnings)


def test_a_hook_of_the_person_runs(sandbox: Sandbox, committing: Recollect, repo: Path) -> None:
    """Also where it is configured; one that fails loses nothing, and the next commit has it."""
    hook = install_hook(repo / ".git", "pre-commit", "echo no >&2; exit 1")
    committing.capture("notes", "First")

    assert subjects(sandbox, repo)[0] == "Commit the mirror"
    assert any("Could not commit" in warning for warning in committing.warnings)
    assert sandbox.git(repo, "diff", "--cached", "--name-only") == ""
    check(committing, repo)

    hook.unlink()
    (sandbox.root / "hooks").mkdir()
    sandbox.git(repo, "config", "core.hooksPath", str(sandbox.root / "hooks"))
    (sandbox.root / "hooks" / "commit-msg").write_text('#!/bin/sh\necho "Signed" >> "$1"\n')
    (sandbox.root / "hooks" / "commit-msg").chmod(0o755)
    trusted = CliRunner().invoke(root, ["-C", str(repo), "config", "trust", "--yes"])
    assert trusted.exit_code == 0, trusted.output
    committing.capture("notes", "Second")

    assert "Signed" in sandbox.git(repo, "log", "-1", "--format=%B")
    assert sandbox.git(repo, "status", "--porcelain") == ""


def test_a_hook_that_remembers_does_not_go_round_in_circles(
    sandbox: Sandbox, committing: Recollect, repo: Path
) -> None:
    """What is remembered in a commit of the mirror waits for the next one."""
    code = f"import recollect; recollect.open({str(repo)!r}).capture('notes', 'From a hook')"
    install_hook(repo / ".git", "post-commit", f'{sys.executable} -c "{code}"')

    committing.capture("notes", "First")

    assert len(subjects(sandbox, repo)) == 3
    assert len(committing.memories()) == 2
    check(committing, repo)


def _merge(sandbox: Sandbox, repo: Path) -> None:
    for branch, text in (("one", "1"), ("two", "2")):
        sandbox.git(repo, "checkout", "--quiet", "-b", branch, "main")
        (repo / "both.txt").write_text(text)
        sandbox.git(repo, "add", "both.txt")
        sandbox.git(repo, "commit", "--quiet", "--message", branch)
    sandbox.run(repo, "merge", "one")


def _rebase(sandbox: Sandbox, repo: Path) -> None:
    _merge(sandbox, repo)
    sandbox.git(repo, "merge", "--abort")
    sandbox.run(repo, "rebase", "one")


@pytest.mark.parametrize(
    ("get_there", "why"),
    [
        (_merge, "a merge is in progress"),
        (_rebase, "a rebase is in progress"),
        (lambda box, repo: box.git(repo, "checkout", "--quiet", "--detach"), "no branch"),
        (lambda box, repo: box.git(repo, "checkout", "--quiet", "--orphan", "new"), "no commit"),
        (lambda _, repo: (repo / ".git/info/exclude").write_text(".claude\n"), "git ignores"),
        (lambda _, repo: (repo / ".git/index.lock").touch(), "index.lock"),
    ],
)
def test_where_a_commit_is_out_of_place_none_is_made(
    sandbox: Sandbox,
    committing: Recollect,
    repo: Path,
    get_there: Callable[[Sandbox, Path], object],
    why: str,
) -> None:
    """The files are there, the person is told, and what is under way is not disturbed."""
    get_there(sandbox, repo)
    head = sandbox.run(repo, "rev-parse", "HEAD").stdout
    before = sandbox.git(repo, "ls-files", "--stage")

    sandbox.open(repo).capture("notes", "A note")
    store = sandbox.open(repo)
    store.capture("notes", "Another")

    assert any(why in warning for warning in store.warnings)
    assert sandbox.run(repo, "rev-parse", "HEAD").stdout == head
    assert sandbox.git(repo, "ls-files", "--stage") == before
    check(store, repo)


# The command line


def run(repo: Path, *args: str) -> Result:
    """A command of the mirror."""
    return CliRunner().invoke(root, ["-C", str(repo), "mirror", *args])


def test_on_verify_off(sandbox: Sandbox) -> None:
    """From nothing to a mirror and back; the rest of the configuration stays as it is."""
    repo = sandbox.init("plain")
    sandbox.open(repo).capture("notes", "A note")
    config = repo / ".recollect.toml"
    config.write_text('# mine\nauthor = "Ada <a@b>"  # me\n')
    trust_config(repo, os.environ)

    assert run(repo, "on").exit_code == 0
    assert config.read_text().startswith('# mine\nauthor = "Ada <a@b>"  # me\n')
    assert set(files(repo)) == {"notes/a-note.json"}
    sandbox.open(repo).capture("notes", "Another")
    assert run(repo, "verify").exit_code == 0

    edit(repo, "notes/a-note.json", title="By hand")
    (repo / FOLDER / "notes" / "another.json").unlink()
    told = run(repo, "verify", "--json")
    assert told.exit_code == 1
    assert [(d["file"], d["state"]) for d in json.loads(told.stdout)] == [
        ("notes/a-note.json", "changed"),
        ("notes/another.json", "missing"),
    ]
    assert run(repo, "verify").exit_code == 1
    assert json.loads(run(repo, "verify", "--repair", "--json").stdout)["suggested"] == [
        "notes/a-note.json"
    ]
    assert "recollect review" in run(repo, "verify").stderr
    assert CliRunner().invoke(root, ["-C", str(repo), "review", "accept", "--all"]).exit_code == 0
    assert run(repo, "verify").exit_code == 0

    assert "stay" in run(repo, "off").stderr
    store = sandbox.open(repo)
    assert not store.config.flag("mirror.enabled")
    store.capture("notes", "Unseen")
    assert set(files(repo)) == {"notes/another.json", "notes/by-hand.json"}


def test_off_removes_only_unchanged_copies(store: Recollect, repo: Path) -> None:
    """What somebody wrote is not ours to delete."""
    store.capture("notes", "A note")
    store.capture("notes", "Another")
    edit(repo, "notes/another.json", title="By hand")
    (repo / FOLDER / "memory-config.json").write_text("{}")

    told = run(repo, "off", "--remove", "--json")

    assert json.loads(told.stdout)["stay"] == ["notes/another.json"]
    left = [path.name for path in (repo / FOLDER).rglob("*") if path.is_file()]
    assert sorted(left) == [".recollect.json", "another.json", "memory-config.json"]

    take(store)
    assert sorted(m.summary for m in store.memories()) == ["A note", "By hand"]


def test_a_mirror_that_is_off_is_not_verified(sandbox: Sandbox) -> None:
    """It need not say anything."""
    repo = sandbox.init("plain")

    assert isinstance(run(repo, "verify").exception, ValidationError)
    assert isinstance(run(repo, "verify", "--repair").exception, ValidationError)
    assert not (repo / ".claude").exists()


def test_an_agent_is_told_which_command_it_needs(store: Recollect, repo: Path) -> None:
    """For a file of a memory the one that changes that memory."""
    memory = store.capture("notes", "A note")
    name = store.short_name(memory)
    path = f"{FOLDER}/notes/a-note.json"

    assert f"recollect write update {name} " in denial(store, ["src/x.py", path], repo)
    assert f"recollect write update {name} " in denial(store, [f"../{path}"], repo / "src")
    assert "recollect write create" in denial(store, [f"{FOLDER}/notes/new.json"], repo)
    assert denial(store, ["src/x.py", ""], repo) == ""


def test_a_variable_that_is_stronger_is_named(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise nobody understands why there is no mirror."""
    monkeypatch.setenv("RECOLLECT_MIRROR_ENABLED", "false")

    assert "RECOLLECT_MIRROR_ENABLED says" in run(repo, "on").stderr

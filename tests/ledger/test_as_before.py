"""Git as it was: after a day of use, nothing that a user does with git looks or works otherwise."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from tests.sandbox import POWERLESS, Sandbox, install_hook

HOOKS = (
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-rewrite",
    "pre-push",
    "pre-auto-gc",
    "reference-transaction",
)
GONE = b"text-that-must-go"


def a_day_of_use(sandbox: Sandbox, repo: Path, colleague: Path) -> Recollect:
    """Captures, edits, status changes, a conflict with a colleague, syncs and a purge."""
    store, other = sandbox.open(repo), sandbox.open(colleague)
    kept = store.capture("decisions", "Use PostgreSQL", "Why: writers", tags=["database"])
    store.capture("constraints", "Stay offline", at=None)
    store.capture("preferences", "hush", "private-text", sensitivity="private")
    secret = store.capture("decisions", "A password", GONE.decode())
    store.capture_many(
        {"kind": kind, "summary": f"{kind} {n}"} for kind in ("notes", "patterns") for n in range(3)
    )
    store.sync()
    other.capture("decisions", "Use SQLite", "Why: no server")
    other.sync()
    store.update(kept.id, summary="Use PostgreSQL 16", importance=0.9)
    store.update(secret.id, body=f"{GONE.decode()}, and more of it")
    store.set_status(kept.id, "archived", "old")
    store.set_status(kept.id, "active")
    store.sync()
    assert store.purge(secret.id) == []
    store.sync()
    other.sync()
    store.capture("decisions", "not yet synced")
    return store


EXPECTED = {
    "Use PostgreSQL 16",
    "Use SQLite",
    "Stay offline",
    "hush",
    "not yet synced",
    *(f"{kind} {n}" for kind in ("notes", "patterns") for n in range(3)),
}


def assert_day_is_there(sandbox: Sandbox, repo: Path) -> None:
    """Everything that the day left, and nothing that it erased."""
    found = {memory.summary for memory in sandbox.open(repo).memories(status="all")}
    assert found == EXPECTED
    assert GONE not in sandbox.all_bytes(repo) + sandbox.state_bytes(repo)
    hub_refs = sandbox.refs(sandbox.hub)
    assert {ref for ref in hub_refs if ref.startswith(("refs/notes/", "refs/mem/"))} == {
        f"refs/notes/mem/{kind}" for kind in ("decisions", "constraints", "notes", "patterns")
    }
    assert b"private-text" not in sandbox.all_bytes(sandbox.hub)


class Twins:
    """Two equal repositories with equal hubs; Recollect is used in one of them only."""

    def __init__(self, root: Path) -> None:
        self.used, self.plain = Sandbox(root / "used"), Sandbox(root / "plain")
        for sandbox in (self.used, self.plain):
            sandbox.root.mkdir()
            sandbox.make_hub()
            repo = sandbox.clone("work")
            sandbox.clone("colleague")
            sandbox.git(repo, "switch", "--quiet", "-c", "topic")
            sandbox.commit(repo)
            sandbox.git(repo, "push", "--quiet", "-u", "origin", "topic")
            sandbox.git(repo, "tag", "v1")
            (repo / "file.txt").write_text("kept in the stash\n")
            sandbox.git(repo, "stash", "push", "--include-untracked")
            sandbox.git(repo, "notes", "add", "-m", "a note of the user")
            (repo / "untracked.txt").write_text("not added\n")

    def both(self, *args: str, clone: str = "work") -> tuple[tuple[int, str], tuple[int, str]]:
        """Exit code and all output of a git command in the used and in the plain repository."""
        return self._said(self.used, args, clone), self._said(self.plain, args, clone)

    def _said(self, sandbox: Sandbox, args: tuple[str, ...], clone: str) -> tuple[int, str]:
        result = sandbox.run(sandbox.root / clone, *args)
        said = (result.stdout + b"\n--- stderr\n" + result.stderr).decode("utf-8", "replace")
        return result.returncode, said.replace(str(sandbox.root), "ROOT")

    def commit(self, clone: str) -> None:
        """The same new commit in both."""
        for sandbox in (self.used, self.plain):
            sandbox.commit(sandbox.root / clone, "The same in both")


@pytest.fixture
def twins(tmp_path: Path) -> Iterator[Twins]:
    """Two equal repositories; in the first a day has passed."""
    pair = Twins(tmp_path)
    clocks = pair.used._clock
    a_day_of_use(pair.used, pair.used.root / "work", pair.used.root / "colleague")
    assert_day_is_there(pair.used, pair.used.root / "work")
    pair.used._clock = clocks
    yield pair
    pair.used.close()


def names(folder: Path) -> set[str]:
    """What a directory holds."""
    return {path.name for path in folder.iterdir()}


def test_the_files_of_git_are_as_before(tmp_path: Path) -> None:
    """A day of use leaves .git/config byte for byte, and adds one directory of ours to .git."""
    pair = Twins(tmp_path)
    repo = pair.used.root / "work"
    config = (repo / ".git" / "config").read_bytes()
    entries = names(repo / ".git")
    home = (Path.home() / ".gitconfig").read_bytes()
    index = (repo / ".git" / "index").read_bytes()

    a_day_of_use(pair.used, repo, pair.used.root / "colleague")

    assert (repo / ".git" / "config").read_bytes() == config
    assert (Path.home() / ".gitconfig").read_bytes() == home
    assert (repo / ".git" / "index").read_bytes() == index
    # A purge may repack, which makes git list its packs and refs in files of its own.
    assert names(repo / ".git") - entries <= {"recollect", "packed-refs"}
    assert names(repo) == names(pair.plain.root / "work")
    pair.used.close()


def test_reading_looks_as_before(twins: Twins) -> None:
    """Commands that only look give the same output as in a repository without Recollect."""
    for command in (
        "status",
        "status --porcelain=v2 --branch",
        "branch -a -vv",
        "stash list",
        "stash show -p",
        "tag --list",
        "remote --verbose show",
        "remote show origin",
        "log --graph --decorate",
        "log --branches --remotes --tags",
        "log --notes",
        "notes list",
        "show HEAD",
        "describe --always --tags",
        "name-rev HEAD",
        "worktree list",
        "config --list --local",
        "ls-files --others",
        "diff",
        "reflog",
        "shortlog -s HEAD",
    ):
        used, plain = twins.both(*command.split())
        assert used == plain, command


def test_fetch_pull_and_push_work_as_before(twins: Twins) -> None:
    """Plain fetch, pull and push move the same refs and say the same as without Recollect."""
    twins.commit("colleague")
    for command in (
        ("push", "origin", "main"),
        ("pull",),
        ("push",),
        ("fetch", "--all"),
    ):
        used, plain = twins.both(*command, clone="colleague")
        assert used == plain
    twins.commit("work")
    for args in (
        ("fetch",),
        ("fetch", "--prune", "--all"),
        ("pull", "--rebase", "origin", "main"),
        ("push",),
        ("push", "--all"),
        ("push", "--tags"),
        ("push", "--dry-run", "--porcelain"),
        ("fetch", "--verbose"),
        ("pull",),
        ("branch", "-a", "-vv"),
        ("status",),
    ):
        used, plain = twins.both(*args)
        assert used == plain, args
    ours = ("refs/notes/mem/",)
    hubs = [sandbox.refs(sandbox.hub) for sandbox in (twins.used, twins.plain)]
    assert {ref: oid for ref, oid in hubs[0].items() if not ref.startswith(ours)} == hubs[1]
    assert_day_is_there(twins.used, twins.used.root / "work")


def test_housekeeping_works_as_before(twins: Twins) -> None:
    """Plain gc, prune, notes prune and fsck succeed, say the same, and harm no memory."""
    repo = twins.used.root / "work"
    for args in (
        ("gc",),
        ("notes", "prune", "-v"),
        ("notes", "list"),
        ("maintenance", "run", "--quiet"),
        ("stash", "list"),
        ("prune", "--expire=now"),
        ("gc", "--prune=now"),
        ("fsck", "--strict", "--no-dangling"),
        ("stash", "pop"),
        ("status",),
    ):
        used, plain = twins.both(*args)
        assert used == plain, args
    for kind in ("decisions", "constraints"):
        twins.used.git(repo, "notes", f"--ref=mem/{kind}", "prune")
    assert_day_is_there(twins.used, repo)


def test_a_clone_of_the_clone_brings_no_notes(twins: Twins) -> None:
    """Cloning a repository with memories gives the same refs as cloning one without."""
    clones = []
    for sandbox in (twins.used, twins.plain):
        sandbox.git(sandbox.root, "clone", "--quiet", "work", "again")
        clones.append(sandbox.refs(sandbox.root / "again"))
    assert clones[0] == clones[1]


@pytest.fixture
def work(sandbox: Sandbox, hub: Path) -> Path:
    """A clone of the hub."""
    return sandbox.clone("work")


@pytest.fixture
def colleague(sandbox: Sandbox, work: Path) -> Path:
    """Somebody else's clone of the hub."""
    return sandbox.clone("colleague")


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_a_purge_spares_what_the_user_lost(sandbox: Sandbox, work: Path, packed: bool) -> None:
    """A dropped stash, an amended commit and a dangling blob survive a purge and a plain gc."""
    store = sandbox.open(work)
    (work / "wip.txt").write_text("half done\n")
    sandbox.git(work, "stash", "push", "--include-untracked")
    stash = sandbox.git(work, "rev-parse", "stash")
    sandbox.git(work, "stash", "drop")
    blob = sandbox.git(work, "hash-object", "-w", "--stdin", stdin=b"dangling\n")
    lost = sandbox.commit(work)
    sandbox.git(work, "reset", "--quiet", "--hard", "HEAD^")
    sandbox.git(work, "reflog", "expire", "--expire=now", "--all")
    secret = store.capture("decisions", "hush", GONE.decode())
    store.update(secret.uid, summary="hush, hush")
    if packed:
        sandbox.git(work, "repack", "-a", "-d", "-q", "--keep-unreachable")

    assert store.purge(secret.uid) == []

    assert GONE not in sandbox.all_bytes(work)
    for _ in range(2):
        assert sandbox.git(work, "cat-file", "blob", blob) == "dangling"
        sandbox.git(work, "rev-list", "--objects", stash, lost)
        assert sandbox.git(work, "show", f"{stash}^3:wip.txt") == "half done"
        sandbox.git(work, "gc", "--quiet")
    assert sandbox.run(work, "fsck", "--strict").returncode == 0


def test_fetch_head_is_not_touched(sandbox: Sandbox, work: Path, colleague: Path) -> None:
    """A sync neither makes nor changes FETCH_HEAD, on which `git merge FETCH_HEAD` relies."""
    head = work / ".git" / "FETCH_HEAD"
    store = sandbox.open(work)
    store.capture("decisions", "one")
    store.sync()
    assert not head.exists()
    sandbox.git(work, "fetch", "--quiet")
    before = head.read_bytes()

    a_day_of_use(sandbox, work, colleague)

    assert head.read_bytes() == before


@pytest.mark.parametrize("place", ["repository", "local hooksPath", "global hooksPath"])
def test_no_hook_of_the_user_runs(
    sandbox: Sandbox, work: Path, colleague: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever we do, no hook of the user runs, wherever it is installed."""
    log = sandbox.root / "hooks.log"
    folder = work / ".git" if place == "repository" else sandbox.root / "elsewhere"
    for name in HOOKS:
        install_hook(folder, name, f'echo "{name} $(pwd)" >> {log}')
    if place == "local hooksPath":
        sandbox.git(work, "config", "core.hooksPath", str(folder / "hooks"))
    elif place == "global hooksPath":
        config = sandbox.root / "gitconfig"
        config.write_text(
            (Path.home() / ".gitconfig").read_text() + f"[core]\n\thooksPath = {folder / 'hooks'}\n"
        )
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))

    a_day_of_use(sandbox, work, colleague)
    sandbox.open(work).doctor()

    ran = log.read_text().splitlines() if log.exists() else []
    # What the hub runs when something is pushed to it is its own affair.
    assert [line for line in ran if not line.endswith(f" {sandbox.hub}")] == []
    assert_day_is_there(sandbox, work)
    sandbox.commit(work)
    assert f"post-commit {work}" in log.read_text().splitlines()


def test_a_hook_of_the_user_may_capture(sandbox: Sandbox, work: Path) -> None:
    """A capture from inside a git hook, with git's variables around, lands in the repository."""
    install_hook(
        work / ".git",
        "post-commit",
        f"exec {sys.executable} -m recollect capture decisions 'Captured by a hook'",
    )
    commit = sandbox.commit(work)

    (memory,) = sandbox.open(work).memories()

    assert memory.summary == "Captured by a hook"
    assert memory.id == f"decisions:{commit}:0"


ODD_SETTINGS = {
    "broken signing": {
        "commit.gpgSign": "true",
        "tag.gpgSign": "true",
        "push.gpgSign": "if-asked",
        "gpg.program": "/bin/false",
        "log.showSignature": "true",
    },
    "fetch.prune": {"fetch.prune": "true", "fetch.pruneTags": "true"},
    "push.default matching": {"push.default": "matching", "push.followTags": "true"},
    "push.default nothing": {"push.default": "nothing"},
    "a push refspec": {"remote.origin.push": "refs/heads/main:refs/heads/other"},
    "a remote that mirrors": {"remote.origin.mirror": "true"},
    "reflogs for everything": {"core.logAllRefUpdates": "always"},
    "no reflogs": {"core.logAllRefUpdates": "false"},
    "a fetch refspec for notes": {"remote.origin.fetch": "+refs/notes/*:refs/notes/*"},
    "notes settings": {
        "core.notesRef": "refs/notes/mem/decisions",
        "notes.rewriteRef": "refs/notes/*",
        "notes.displayRef": "refs/notes/*",
        "notes.mergeStrategy": "cat_sort_uniq",
    },
    "colours and formats": {
        "color.ui": "always",
        "color.grep": "always",
        "grep.lineNumber": "true",
        "grep.fullName": "false",
        "grep.fallbackToNoIndex": "true",
        "core.quotePath": "true",
        "core.abbrev": "5",
        "core.pager": "false",
        "pager.log": "true",
        "log.decorate": "full",
        "log.mailmap": "true",
        "format.pretty": "oneline",
        "fetch.output": "compact",
        "diff.renames": "copies",
        "diff.noprefix": "true",
        "diff.orderFile": "/dev/null",
    },
    "packs and loose objects": {
        "transfer.unpackLimit": "1",
        "core.compression": "0",
        "gc.cruftPacks": "true",
        "repack.writeBitmaps": "true",
        "core.multiPackIndex": "true",
        "feature.experimental": "true",
        "feature.manyFiles": "true",
        "core.sharedRepository": "group",
    },
    "strict checks": {"transfer.fsckObjects": "true", "core.fsyncObjectFiles": "true"},
    "a shallow timeout": {"core.filesRefLockTimeout": "0", "core.packedRefsTimeout": "0"},
    "text conversion": {"core.autocrlf": "true", "core.eol": "crlf", "core.safecrlf": "true"},
}


@pytest.mark.parametrize("name", ODD_SETTINGS)
def test_odd_settings_do_not_matter(
    sandbox: Sandbox, work: Path, colleague: Path, name: str
) -> None:
    """Settings that change what git commands do or print change nothing for the ledger."""
    for key, value in ODD_SETTINGS[name].items():
        sandbox.git(work, "config", "--add", key, value)
    config = (work / ".git" / "config").read_bytes()

    a_day_of_use(sandbox, work, colleague)

    assert_day_is_there(sandbox, work)
    assert (work / ".git" / "config").read_bytes() == config


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
def test_a_purge_finds_copies_whatever_the_colours(
    sandbox: Sandbox, work: Path, packed: bool
) -> None:
    """A purge finds the copies that `notes.rewriteRef` made, also with `color.ui = always`."""
    sandbox.git(work, "config", "color.ui", "always")
    sandbox.git(work, "config", "notes.rewriteRef", "refs/notes/mem/*")
    sandbox.commit(work)
    store = sandbox.open(work)
    secret = store.capture("decisions", "hush", GONE.decode())
    store.update(secret.uid, body=f"{GONE.decode()}, changed")
    sandbox.git(work, "commit", "--quiet", "--amend", "-m", "Another message")
    store.update(secret.uid, body=f"{GONE.decode()}, changed again")
    if packed:
        sandbox.git(work, "gc", "--quiet")

    assert store.purge(secret.uid) == []
    assert GONE not in sandbox.all_bytes(work)


def test_no_identity(
    sandbox: Sandbox, work: Path, colleague: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where git knows no name and may not guess one, everything still works."""
    config = sandbox.root / "gitconfig"
    config.write_text("[user]\n\tuseConfigOnly = true\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert sandbox.run(work, "commit", "--allow-empty", "-m", "x").returncode != 0

    a_day_of_use(sandbox, work, colleague)

    assert_day_is_there(sandbox, work)
    assert all(memory.author for memory in sandbox.open(work).memories(status="all"))
    assert sandbox.run(work, "fsck", "--strict").returncode == 0


@pytest.mark.parametrize("author", ["Ada", "Ada <ada@example.com>", "<ada@example.com>", "A < B"])
def test_the_configured_author_makes_sound_commits(
    sandbox: Sandbox, work: Path, author: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is configured as the author, the commits are sound and a strict hub takes them."""
    monkeypatch.setenv("RECOLLECT_AUTHOR", author)
    store = sandbox.open(work)
    store.capture("decisions", "one")
    store.sync()

    assert sandbox.run(work, "fsck", "--strict").returncode == 0
    assert sandbox.trees(sandbox.hub) == sandbox.trees(work)


_READ_THEN_WRITE = """\
import sys, recollect, recollect.errors
store = recollect.open(sys.argv[1])
print(sorted(memory.summary for memory in store.memories()))
try:
    store.capture("decisions", "more")
except recollect.errors.NotWritable:
    print("NotWritable")
"""


def test_a_repository_we_may_not_write(sandbox: Sandbox, work: Path) -> None:
    """A read-only repository is read; a capture says what is wrong, and nothing changes."""
    prefix = POWERLESS if os.geteuid() == 0 else ()
    if prefix and shutil.which(prefix[0]) is None:
        pytest.skip("root may write anywhere, and there is no setpriv to give that up")
    sandbox.open(work).capture("decisions", "readable")
    sandbox.git(work, "notes", "--ref=mem/decisions", "append", "-m", "foreign")
    refs = sandbox.refs(work)
    folders = [Path(folder) for folder, _, _ in os.walk(work)]
    for folder in folders:
        folder.chmod(0o555)
    try:
        result = subprocess.run(
            [*prefix, sys.executable, "-c", _READ_THEN_WRITE, str(work)],
            capture_output=True,
            text=True,
        )
    finally:
        for folder in folders:
            folder.chmod(0o755)

    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == ["['foreign', 'readable']", "NotWritable"]
    assert sandbox.refs(work) == refs

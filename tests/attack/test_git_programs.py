"""No setting of a repository starts a program, in any of our commands."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from recollect.api.automatic_sync import LOOK, at_start
from recollect.api.recollect import Recollect
from recollect.cli import root
from recollect.errors import RecollectError
from recollect.ledger.git_programs import neutral_repack, parse_settings
from recollect.ledger.remote import find_remote, kinds_at
from recollect.state.remote_notes import known
from tests.sandbox import Sandbox, install_hook

# What a copied .git can hold. {} is a program that leaves a mark and fails.
SETTINGS = {
    "gpg.program": "{}",
    "gpg.openpgp.program": "{}",
    "gpg.x509.program": "{}",
    "gpg.ssh.program": "{}",
    "gpg.ssh.defaultKeyCommand": "{}",
    "log.showSignature": "true",
    "commit.gpgSign": "true",
    "tag.gpgSign": "true",
    "push.gpgSign": "if-asked",
    "core.fsmonitor": "{}",
    "core.sshCommand": "{}",
    "core.pager": "{}",
    "pager.log": "{}",
    "pager.config": "{}",
    "core.editor": "{}",
    "sequence.editor": "{}",
    "core.askPass": "{}",
    "core.gitProxy": "{}",
    "core.alternateRefsCommand": "{}",
    "core.hooksPath": "{hooks}",
    "credential.helper": "!{}",
    "credential.https://example.com.helper": "!{}",
    "diff.external": "{}",
    "diff.evil.textconv": "{}",
    "diff.evil.command": "{}",
    "filter.evil.clean": "{}",
    "filter.evil.smudge": "{}",
    "filter.evil.process": "{}",
    "merge.evil.driver": "{}",
    "interactive.diffFilter": "{}",
    "trailer.evil.command": "{}",
    "trailer.evil.cmd": "{}",
    "uploadpack.packObjectsHook": "{}",
    "gc.recentObjectsHook": "{}",
    "remote.origin.uploadpack": "{}",
    "remote.origin.receivepack": "{}",
    "alias.log": "!{}",
    "alias.rev-parse": "!{}",
    "submodule.recurse": "true",
    "fetch.recurseSubmodules": "true",
    "protocol.ext.allow": "always",
    "init.templateDir": "{hooks}",
}


class Trap:
    """A repository whose git configuration names a program wherever it can."""

    def __init__(self, sandbox: Sandbox, repo: Path) -> None:
        self.repo = repo
        self.mark = sandbox.root / "it-ran"
        self.program = sandbox.root / "evil"
        self.program.write_text(
            f'#!/bin/sh\necho "$0 $*" >> {shlex.quote(str(self.mark))}\nexit 1\n'
        )
        self.program.chmod(0o755)
        self._sandbox = sandbox

    def arm(self, *names: str) -> None:
        """Set the settings, hooks and attributes."""
        hooks = self._sandbox.root / "evil-hooks"
        for name in names or SETTINGS:
            value = SETTINGS[name].replace("{hooks}", str(hooks)).replace("{}", str(self.program))
            self._sandbox.git(self.repo, "config", "--add", name, value)
        for folder in (self.repo / ".git", hooks):
            for hook in ("reference-transaction", "pre-push", "post-checkout", "pre-commit"):
                install_hook(folder, hook, f"{self.program} {hook}")
        for hook in ("reference-transaction", "post-index-change"):
            (hooks / hook).write_text(f"#!/bin/sh\n{self.program} {hook}\n")
            (hooks / hook).chmod(0o755)
        (self.repo / ".git" / "info" / "attributes").write_text(
            "* filter=evil diff=evil merge=evil\n"
        )

    def ran(self) -> str:
        """What ran."""
        return self.mark.read_text() if self.mark.exists() else ""


@pytest.fixture
def trap(sandbox: Sandbox) -> Trap:
    """A clone of the hub with memories and a signed commit, and the trap around it."""
    sandbox.make_hub()
    repo = sandbox.clone("repo")
    sandbox.open(repo).capture("decisions", "Use Postgres", "It locks rows.")
    trap = Trap(sandbox, repo)
    # A signature, so that whoever shows it must check it.
    raw = sandbox.git(repo, "cat-file", "commit", "HEAD")
    head, _, message = raw.partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----"
    signed = f"{head}\n{signature}\n\n{message}\n".encode()
    oid = sandbox.git(repo, "hash-object", "-t", "commit", "-w", "--stdin", stdin=signed)
    sandbox.git(repo, "update-ref", "refs/heads/main", oid)
    trap.arm()
    return trap


def hook(repo: Path, event: str, **payload: object) -> subprocess.CompletedProcess[bytes]:
    """A hook as the agent runs it."""
    told = {"session_id": "s", "cwd": str(repo), "hook_event_name": event, **payload}
    return subprocess.run(
        [sys.executable, "-m", "recollect", "hook", event],
        input=json.dumps(told).encode(),
        capture_output=True,
        timeout=120,
        env={
            **os.environ,
            "RECOLLECT_HOOK_DEADLINE": "60000",
            "RECOLLECT_HOOK_SESSION_DEADLINE": "60000",
        },
    )


def command(repo: Path, *args: str) -> str:
    """A command; what it said."""
    done = CliRunner().invoke(root, ["-C", str(repo), *args])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.output


def test_the_trap_works(sandbox: Sandbox, trap: Trap) -> None:
    """Plain git runs what is named: otherwise the tests here prove nothing."""
    sandbox.run(trap.repo, "log", "-1")
    assert "evil" in trap.ran()
    trap.mark.unlink()
    sandbox.run(trap.repo, "fetch", "origin")
    assert "evil" in trap.ran()


def test_nothing_runs_in_everyday_commands(sandbox: Sandbox, trap: Trap) -> None:
    """Reading, writing, looking after: with and without an index."""
    repo = trap.repo
    for _ in range(2):
        command(repo, "list")
        command(repo, "search", "Postgres")
        command(repo, "capture", "notes", "A note")
        command(repo, "log")
        command(repo, "doctor")
        command(repo, "review")
        command(repo, "repair")
        command(repo, "sleep")
        command(repo, "reindex")
        sandbox.drop_derived_files(repo)
    store = sandbox.open(repo)
    memory = store.memories(kind="decisions")[0]
    assert command(repo, "show", memory.id, "--level", "files")
    store.search("Postgres", as_of="HEAD")

    assert trap.ran() == ""


def test_nothing_runs_in_hooks(trap: Trap) -> None:
    """From the start of a session to its end."""
    for event, payload in (
        ("session-start", {"source": "startup"}),
        ("prompt", {"prompt": "Why Postgres? [remember] Because of locks"}),
        ("post-tool", {"tool_name": "Edit", "tool_input": {"file_path": "x.py"}}),
        ("stop", {}),
        ("pre-compact", {}),
        ("session-end", {}),
    ):
        assert hook(trap.repo, event, **payload).returncode == 0

    assert trap.ran() == ""


def test_nothing_runs_in_a_sync(sandbox: Sandbox, trap: Trap) -> None:
    """It fetches and pushes as if those settings were not there, and says that they are."""
    store = sandbox.open(trap.repo)

    store.sync()

    assert trap.ran() == ""
    assert sandbox.refs(sandbox.hub, "refs/notes/mem")
    assert any("core.sshcommand" in w and "config trust" in w for w in store.warnings)
    assert any("config trust" in found.message + found.hint for found in store.doctor())


def test_nothing_runs_when_a_new_clone_looks(sandbox: Sandbox, trap: Trap) -> None:
    """It asks the remote for the names of its notes, with only the user's own programs."""
    git = sandbox.open(trap.repo).ledger.repository.git

    kinds_at(git, find_remote(git, None), 30.0)

    assert trap.ran() == ""


def test_modules_of_a_new_clone_do_not_run_when_it_looks(sandbox: Sandbox) -> None:
    """The process in the background starts in the clone, but imports only what is ours."""
    sandbox.make_hub()
    repo = sandbox.clone("repo")
    for name in ("hashlib.py", "recollect/__init__.py", "recollect/api/automatic_sync.py"):
        path = repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"open({str(sandbox.root / 'ran')!r}, 'w').close()\n")
    (repo / "recollect" / "api" / "__init__.py").write_text("")
    store = sandbox.open(repo)

    assert at_start(store, os.environ) == LOOK

    end = time.monotonic() + 30
    while "kinds" not in known(store.ledger.repository.state_dir):
        assert time.monotonic() < end, "it did not look"
        time.sleep(0.05)
    assert not (sandbox.root / "ran").exists()


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_each_setting_alone_starts_nothing(sandbox: Sandbox, name: str) -> None:
    """So that none hides behind another."""
    sandbox.make_hub()
    repo = sandbox.clone("repo")
    trap = Trap(sandbox, repo)
    trap.arm(name)
    store = sandbox.open(repo)
    memory = store.capture("decisions", "Use Postgres")
    store.sync()
    store.files(memory)
    store.doctor()
    try:
        store.purge(memory.id)
    except RecollectError:
        assert name == "gc.recentObjectsHook"  # a repack that would run it is refused

    assert trap.ran() == ""


def test_ssh_uses_the_persons_program_and_not_the_repositorys(
    sandbox: Sandbox, trap: Trap, isolated: Path
) -> None:
    """Also where the repository says something else."""
    own = sandbox.root / "own-ssh"
    own.write_text(f"#!/bin/sh\ntouch {sandbox.root}/own-ran\nexit 1\n")
    own.chmod(0o755)
    sandbox.git(trap.repo, "config", "--global", "core.sshCommand", str(own))
    sandbox.git(trap.repo, "config", "remote.origin.url", "ssh://git@nowhere.invalid/x.git")
    try:
        with pytest.raises(RecollectError):
            sandbox.open(trap.repo).sync()
    finally:
        sandbox.git(trap.repo, "config", "--global", "--unset", "core.sshCommand")

    assert (sandbox.root / "own-ran").exists()
    assert trap.ran() == ""


@pytest.mark.parametrize(
    "url", ["ext::{} %S", "ext::sh -c {}% x", "fd::7", "evil::x", "git://127.0.0.1:1/x"]
)
def test_an_address_starts_nothing(sandbox: Sandbox, trap: Trap, url: str) -> None:
    """Nor does one that comes by a rule of replacement."""
    address = url.replace("{}", str(trap.program))
    sandbox.git(trap.repo, "config", f"url.{address}.insteadOf", sandbox.hub.as_uri())

    with pytest.raises(RecollectError):
        sandbox.open(trap.repo).sync()

    assert trap.ran() == ""


def test_another_transport_is_refused(sandbox: Sandbox, trap: Trap) -> None:
    """`remote.<name>.vcs` cannot be overruled, so nothing is fetched."""
    sandbox.git(trap.repo, "config", "remote.origin.vcs", "evil")

    with pytest.raises(RecollectError, match="vcs"):
        sandbox.open(trap.repo).sync()

    assert trap.ran() == ""


def test_a_missing_object_is_not_fetched_by_a_program(sandbox: Sandbox, trap: Trap) -> None:
    """A copied .git says that objects are to be had elsewhere; reading must not go there."""
    repo = trap.repo
    ref = "refs/notes/mem/decisions"
    (blob,) = {line.split()[2] for line in sandbox.git(repo, "ls-tree", "-r", ref).splitlines()}
    sandbox.drop_derived_files(repo)
    (repo / ".git" / "objects" / blob[:2] / blob[2:]).unlink(missing_ok=True)
    for name, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
    ):
        sandbox.git(repo, "config", name, value)
    sandbox.open(repo).doctor()
    command(repo, "list")

    assert trap.ran() == ""


def test_what_the_person_trusts_runs(
    sandbox: Sandbox, trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key for one repository is a common use of core.sshCommand."""
    for name in ("CLAUDECODE", "AI_AGENT", "CODEX_SANDBOX"):
        monkeypatch.delenv(name, raising=False)
    sandbox.git(trap.repo, "config", "remote.origin.url", "ssh://git@nowhere.invalid/x.git")
    assert "Trusted" in command(trap.repo, "config", "trust", "--yes")
    assert trap.ran() == ""

    with pytest.raises(RecollectError):
        sandbox.open(trap.repo).sync()
    assert "evil" in trap.ran()

    trap.mark.unlink()
    sandbox.git(trap.repo, "config", "core.sshCommand", f"{trap.program} --more")
    with pytest.raises(RecollectError):
        sandbox.open(trap.repo).sync()
    assert trap.ran() == ""


def test_no_commit_of_the_mirror_where_programs_are_not_trusted(
    sandbox: Sandbox, trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would run filters and signing programs of the repository."""
    monkeypatch.setenv("RECOLLECT_MIRROR_ENABLED", "true")
    monkeypatch.setenv("RECOLLECT_MIRROR_AUTO_COMMIT", "true")
    store: Recollect = sandbox.open(trap.repo)

    store.capture("notes", "A note")

    assert (trap.repo / ".claude" / "memory" / "notes" / "a-note.json").exists()
    assert any("config trust" in warning for warning in store.warnings)
    assert trap.ran() == ""


def test_a_repack_that_would_run_a_program_is_refused() -> None:
    """Git before 2.42 does not know the setting; later ones let nobody overrule it."""
    listed = b"local\0gc.recentobjectshook\nevil\0global\0gc.recentobjectshook\nmine\0"

    assert neutral_repack(parse_settings(listed)).refused == "gc.recentobjectshook"
    assert neutral_repack(parse_settings(listed.replace(b"local", b"system"))).refused == ""

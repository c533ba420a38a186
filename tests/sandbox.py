"""Real repositories in a directory of their own: a hub, clones of it, and plain git around them."""

from __future__ import annotations

import atexit
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

import recollect
from recollect.api.recollect import Recollect

GITCONFIG = """\
[user]
\tname = Ada
\temail = ada@example.com
[init]
\tdefaultBranch = main
[protocol "file"]
\tallow = always
[advice]
\tdetachedHead = false
"""
_USUAL_VARIABLES = ("GIT_CONFIG_NOSYSTEM", "GIT_TERMINAL_PROMPT")
_USUAL_COMMITS = 2
_SOURCE, _CLONE = "source", "clone"
_PATH = os.environ["PATH"]  # before any test puts a program before git
_FIRST_COMMIT_TIME = 1_704_067_200  # 2024-01-01; a later commit is a second younger


class Sandbox:
    """A hub, its clones, and git as their users run it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.hub = root / "hub.git"
        self._clock = _FIRST_COMMIT_TIME
        self._stores: list[Recollect] = []

    def run(
        self,
        repo: Path,
        *args: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git in a repository, whatever comes of it."""
        self._clock += 1
        date = f"{self._clock} +0000"
        return subprocess.run(
            ["git", *args],
            cwd=repo,
            input=stdin,
            capture_output=True,
            env={
                **os.environ,
                "GIT_AUTHOR_DATE": date,
                "GIT_COMMITTER_DATE": date,
                "GIT_EDITOR": "true",
                **(env or {}),
            },
        )

    def git(
        self, repo: Path, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> str:
        """Run git in a repository; it must succeed. Its output, without the last line break."""
        result = self.run(repo, *args, stdin=stdin, env=env)
        said = result.stderr.decode("utf-8", "replace")
        assert result.returncode == 0, f"git {' '.join(args)}: {said}"
        return result.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")

    def init(self, name: str, *options: str) -> Path:
        """A new repository without commits."""
        path = self.root / name
        path.mkdir(parents=True)
        self.git(path, "init", "--quiet", *options)
        return path

    def make_hub(self, commits: int = 2) -> Path:
        """The bare repository that everybody shares, strict about what it takes."""
        if commits != _USUAL_COMMITS or self._clock != _FIRST_COMMIT_TIME or not _is_usual():
            return self._build_hub(commits)
        template = _template()
        self.root.mkdir(parents=True, exist_ok=True)
        for name in (self.hub.name, _SOURCE):
            shutil.copytree(template.root / name, self.root / name, symlinks=True)
        self._clock = template._clock
        return self.hub

    def _build_hub(self, commits: int) -> Path:
        self.init(self.hub.name, "--bare")
        self.git(self.hub, "config", "receive.fsckObjects", "true")
        if commits:
            source = self.init(_SOURCE)
            for _ in range(commits):
                self.commit(source)
            self.git(source, "push", "--quiet", str(self.hub), "main")
        return self.hub

    def clone(self, name: str, *options: str) -> Path:
        """A clone of the hub; over file://, so that --depth works."""
        if not options and _is_usual() and self._has_usual_hub():
            return self._copy_clone(name)
        self.git(self.root, "clone", "--quiet", *options, self.hub.as_uri(), name)
        return self.root / name

    def _has_usual_hub(self) -> bool:
        """Whether nobody has changed the hub since it was copied from the template."""
        return bool(_TEMPLATES) and _hub_state(self.hub) == _hub_state(_TEMPLATES[0].hub)

    def _copy_clone(self, name: str) -> Path:
        template = _template()
        self._clock += 1
        shutil.copytree(template.root / _CLONE, self.root / name, symlinks=True)
        config = self.root / name / ".git" / "config"
        config.write_text(config.read_text().replace(template.hub.as_uri(), self.hub.as_uri()))
        return self.root / name

    def commit(self, repo: Path, message: str = "") -> str:
        """A new commit with a file of its own; its id."""
        number = self._clock
        (repo / f"file-{number}.txt").write_text(f"{repo.name} {number}\n")
        self.git(repo, "add", "--all")
        self.git(repo, "commit", "--quiet", "--message", message or f"Change {number}")
        return self.git(repo, "rev-parse", "HEAD")

    def open(self, repo: Path) -> Recollect:
        """The memory of a repository, as a new process would open it."""
        store = recollect.open(repo)
        self._stores.append(store)
        return store

    def close(self) -> None:
        """Let go of every memory that was opened."""
        for store in self._stores:
            store.close()

    def drop_derived_files(self, repo: Path) -> None:
        """Delete what can be built again: everything that is not in git."""
        for path in (repo / ".git" / "recollect").glob("*.db*"):
            path.unlink()

    def state_bytes(self, repo: Path) -> bytes:
        """The contents of every file that Recollect keeps beside git."""
        files = sorted((repo / ".git" / "recollect").glob("*"))
        return b"\n".join(path.read_bytes() for path in files)

    def trees(self, repo: Path) -> dict[str, str]:
        """The tree of every shared notes ref."""
        out = self.git(repo, "for-each-ref", "--format=%(refname) %(tree)", "refs/notes/mem")
        return dict(line.split(" ") for line in out.splitlines())

    def refs(self, repo: Path, *patterns: str) -> dict[str, str]:
        """Refs and what they point to."""
        out = self.git(repo, "for-each-ref", "--format=%(refname) %(objectname)", *patterns)
        return dict(line.split(" ") for line in out.splitlines())

    def all_bytes(self, repo: Path) -> bytes:
        """The contents of every object in a repository's store, reachable or not."""
        return self.run(
            repo, "cat-file", "--batch-all-objects", "--buffer", "--unordered", "--batch"
        ).stdout

    def reachable_bytes(self, repo: Path) -> bytes:
        """The contents of every object that a ref leads to."""
        names = self.git(repo, "rev-list", "--objects", "--no-object-names", "--all")
        return self.run(repo, "cat-file", "--buffer", "--batch", stdin=names.encode()).stdout

    def collect_garbage(self, repo: Path) -> None:
        """Drop everything that no ref leads to."""
        self.git(repo, "reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
        self.git(repo, "gc", "--quiet", "--prune=now")


# Most tests begin with the same hub and a clone of it. They are made once and then copied.
_TEMPLATES: list[Sandbox] = []


def _template() -> Sandbox:
    """A hub with the usual commits, and a clone of it; nobody changes it."""
    if not _TEMPLATES:
        root = Path(tempfile.mkdtemp(prefix="recollect-template-"))
        atexit.register(shutil.rmtree, root, ignore_errors=True)
        template = Sandbox(root)
        template._build_hub(_USUAL_COMMITS)
        clock = template._clock
        template.git(root, "clone", "--quiet", template.hub.as_uri(), _CLONE)
        template._clock = clock
        _TEMPLATES.append(template)
    return _TEMPLATES[0]


def _is_usual() -> bool:
    """Whether git is the real one and has no settings but those of every test."""
    is_ours = not any(
        name.startswith("GIT_") and name not in _USUAL_VARIABLES for name in os.environ
    )
    config = Path(os.environ["HOME"], ".gitconfig")
    has_more = Path(os.environ.get("XDG_CONFIG_HOME", ""), "git").exists()
    return (
        is_ours
        and not has_more
        and config.is_file()
        and config.read_text() == GITCONFIG
        and os.environ["PATH"] == _PATH
    )


def _hub_state(hub: Path) -> dict[str, bytes]:
    """What decides what a clone of a hub holds."""
    files = [hub / "HEAD", hub / "config", hub / "packed-refs", *hub.glob("refs/**/*")]
    files += [*hub.glob("hooks/*"), hub / "shallow", hub / "info" / "grafts"]
    return {str(path.relative_to(hub)): path.read_bytes() for path in files if path.is_file()}


def install_hook(git_dir: Path, name: str, script: str) -> Path:
    """Write a shell script as a hook of a repository."""
    path = git_dir / "hooks" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def interpose(
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    then: str,
    *,
    after: str | None = None,
) -> None:
    """Put a program before git that runs a shell command once, before the first such command.

    With `after`, before the first one that comes after that other command.
    """
    real = os.environ["PATH"]
    folder = sandbox.root / "bin"
    folder.mkdir()
    armed, waiting = folder / "armed", folder / "waiting"
    (waiting if after else armed).touch()
    script = folder / "git"
    script.write_text(
        f"#!/bin/sh\nPATH={shlex.quote(real)}; export PATH\n"
        f'case " $* " in *" {after or "no command"} "*) mv {waiting} {armed} 2>/dev/null;; esac\n'
        f'case " $* " in *" {command} "*) if rm {armed} 2>/dev/null; then\n'
        f"( unset GIT_ALLOW_PROTOCOL; {then} ) </dev/null >&2 || exit 99; fi;; esac\n"
        'exec git "$@"\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{real}")


def interposed(sandbox: Sandbox) -> bool:
    """Whether the moment that `interpose` waited for has come."""
    return not any((sandbox.root / "bin" / name).exists() for name in ("armed", "waiting"))


# Root may write anywhere, unless it lets go of that power.
POWERLESS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")

"""The one module that runs git.

Every command gets its contents through standard input, never through a shell, in the C locale and
in bounded time. Hooks, signing and automatic maintenance of the user's configuration stay out of
our way, and we never change that configuration.
"""

from __future__ import annotations

import os
import subprocess
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from recollect.errors import GitFailed, GitMissing, GitTimeout, NotWritable

# What a git command may inherit from a git hook or an odd shell and must not.
_DROPPED = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_QUARANTINE_PATH",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_NOTES_REF",
    "GIT_LITERAL_PATHSPECS",
)
_SETTINGS = (
    f"core.hooksPath={os.devnull}",
    "core.useReplaceRefs=false",
    "core.fsmonitor=false",
    "core.fsync=all",
    "core.fsyncMethod=batch",
    "core.filesRefLockTimeout=1000",
    "core.packedRefsTimeout=5000",
    "gc.auto=0",
    "maintenance.auto=false",
)
_BULK_SECONDS = 900.0
_NOT_WRITABLE = (
    "Permission denied",
    "insufficient permission",
    "Read-only",
    "No space left",
    "Disk quota",
)


# What would be left behind if this process ended at once, and the thread that waits for it. A
# detached command ends by itself, and to kill it would leave its lock files.
_running: weakref.WeakKeyDictionary[subprocess.Popen[bytes], int] = weakref.WeakKeyDictionary()


def kill_running(thread: int | None = None) -> None:
    """End every command that runs, or those of one thread, because nobody waits for it any more."""
    for process, owner in list(_running.items()):
        if process.returncode is None and thread in (None, owner):
            process.kill()


class GitObject(NamedTuple):
    """An object as `git cat-file --batch` gives it."""

    oid: str
    type: str
    data: bytes


class Git:
    """Runs git for one repository (or, before one is known, in one directory)."""

    def __init__(
        self,
        directory: Path,
        *,
        git_dir: Path | None = None,
        timeout: float = 30.0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.directory = directory
        self.git_dir = git_dir
        self.timeout = timeout
        self.spawns = 0
        inherited = dict(os.environ if environment is None else environment)
        # A repository named by GIT_DIR is honoured while we look for one, and only then.
        kept = ("GIT_DIR", "GIT_WORK_TREE") if git_dir is None else ()
        self._environment = {
            name: value for name, value in inherited.items() if name not in _DROPPED or name in kept
        } | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}

    def for_repository(self, git_dir: Path) -> Git:
        """The same settings, bound to a repository."""
        return Git(
            self.directory,
            git_dir=git_dir,
            timeout=self.timeout,
            environment=self._environment,
        )

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        ok: Sequence[int] = (0,),
        timeout: float | None = None,
        network: bool = False,
        detached: bool = False,
    ) -> bytes:
        """Run a command to its end and give its output.

        `detached` puts it into a process group of its own, so that a signal to ours cannot stop it
        half way: git leaves lock files behind when it is killed.
        """
        return self.result(
            *args, stdin=stdin, ok=ok, timeout=timeout, network=network, detached=detached
        ).stdout

    def result(
        self,
        *args: str,
        stdin: bytes = b"",
        ok: Sequence[int] = (0,),
        timeout: float | None = None,
        network: bool = False,
        detached: bool = False,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command to its end; give its output, its errors and its exit code."""
        limit = timeout or self.timeout
        process = self._spawn(args, stdin=subprocess.PIPE, network=network, detached=detached)
        with process:
            try:
                out, err = process.communicate(stdin, timeout=limit)
            except subprocess.TimeoutExpired:
                _end(process)
                raise GitTimeout(f"git {_verb(args)} took longer than {limit:g} seconds.") from None
            except BaseException:
                _end(process)
                raise
        if process.returncode not in ok:
            raise failure(args, process.returncode, err)
        return subprocess.CompletedProcess(args, process.returncode, out, err)

    @contextmanager
    def objects(self) -> Iterator[ObjectReader]:
        """A reader of objects by name, in one process for as long as the block lasts."""
        process = self._spawn(("cat-file", "--batch"), stdin=subprocess.PIPE)
        watchdog = threading.Timer(self.timeout * 4, process.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            yield ObjectReader(process)
        finally:
            watchdog.cancel()
            _end(process)

    def read_all(self, oids: Iterable[str]) -> Iterator[bytes | None]:
        """The contents of many objects, in order, while git reads ahead; None for a missing one."""
        from tempfile import TemporaryFile  # likewise

        with TemporaryFile() as names:
            names.write("\n".join(oids).encode("ascii"))
            names.seek(0)
            process = self._spawn(("cat-file", "--batch", "--buffer"), stdin=names)
            watchdog = threading.Timer(_BULK_SECONDS, process.kill)
            watchdog.daemon = True
            watchdog.start()
            try:
                assert process.stdout is not None
                yield from _contents(process.stdout)
            finally:
                watchdog.cancel()
                _end(process)

    def _spawn(
        self,
        args: Sequence[str],
        *,
        stdin: int | IO[bytes],
        network: bool = False,
        detached: bool = False,
    ) -> subprocess.Popen[bytes]:
        command = ["git"]
        if self.git_dir is not None:
            command.append(f"--git-dir={self.git_dir}")
        for setting in _SETTINGS:
            command += ("-c", setting)
        environment = dict(self._environment)
        if network:
            del environment["GIT_NO_LAZY_FETCH"]
        self.spawns += 1
        try:
            process = subprocess.Popen(
                [*command, *args],
                cwd=self.directory,
                env=environment,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=1 << 16,
                process_group=0 if detached and os.name == "posix" else None,
            )
            if not detached:
                _running[process] = threading.get_ident()
            return process
        except FileNotFoundError:
            from shutil import which  # only here: it costs a hook more than it needs

            if which("git", path=environment.get("PATH")) is None:
                raise GitMissing("The git executable was not found.") from None
            raise NotWritable(f"The directory {self.directory} is gone.") from None
        except OSError as error:
            raise GitMissing(f"git cannot be started: {error}") from None


class ObjectReader:
    """Asks one `git cat-file --batch` for objects, by id, ref or path expression."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout

    def get(self, name: str) -> GitObject | None:
        """The object of that name, or None where there is none."""
        return self.get_many([name])[0]

    def get_many(self, names: Sequence[str]) -> list[GitObject | None]:
        """The objects of those names. Meant for few: the names must fit into a pipe at once."""
        try:
            self._stdin.write("".join(f"{name}\n" for name in names).encode())
            self._stdin.flush()
            return [self._read() for _ in names]
        except (BrokenPipeError, EOFError):
            err = self._process.stderr.read() if self._process.stderr else b""
            raise failure(("cat-file",), self._process.wait(), err) from None

    def _read(self) -> GitObject | None:
        header = self._stdout.readline()
        if not header.endswith(b"\n"):
            raise EOFError
        words = header.split()
        if len(words) != 3 or not words[2].isdigit():
            return None
        data = self._stdout.read(int(words[2]) + 1)
        return GitObject(words[0].decode(), words[1].decode(), data[:-1])


def _contents(stream: IO[bytes]) -> Iterator[bytes | None]:
    """Cut the output of `cat-file --batch` into contents; None where an object is missing."""
    read, readline = stream.read, stream.readline
    while header := readline():
        if header.endswith(b" missing\n"):
            yield None
            continue
        size = int(header[header.rindex(b" ") :])
        yield read(size + 1)[:-1]


def failure(args: Sequence[str], code: int, err: bytes) -> GitFailed | NotWritable:
    """The error that a failed command stands for."""
    text = err.decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()]
    # Traces and hints may come first; what went wrong is marked.
    lines = [line for line in lines if line.startswith(("fatal: ", "error: "))] or lines
    said = "; ".join(line.removeprefix("fatal: ").removeprefix("error: ") for line in lines[:3])
    message = f"git {_verb(args)} failed with code {code}: {said or 'no message'}"
    if any(word in text for word in _NOT_WRITABLE):
        return NotWritable(message)
    return GitFailed(message)


def _verb(args: Sequence[str]) -> str:
    """The git command among its arguments, which settings may precede."""
    return next(arg for arg in args if arg != "-c" and "=" not in arg)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the pipes and make sure that the process is gone."""
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            try:
                stream.close()
            except OSError:
                continue  # the other end is gone already
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

"""The one module that runs git.

Every command gets its input through standard input, never through a shell, in the C locale and with
a time limit. The user's hooks, signing and automatic maintenance do not run, and we never change
the user's configuration. No setting of a repository starts a program
(docs/decisions/0015-project-trust.md): most are disabled here for every command. `git_programs`
handles the rest, which fetch and push need to reach a remote.
"""

from __future__ import annotations

import os
import sys
from _thread import _local, get_ident  # `threading` itself takes a hook too long
from _weakref import ref  # `weakref` itself takes a hook too long
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from recollect.errors import GitFailed, GitMissing, GitTimeout, NotWritable
from recollect.ledger.git_objects import ObjectReader, contents, failure, nul_separated, verb
from recollect.ledger.git_settings import DROPPED, NO_NETWORK, NO_SIGNING, NO_TRANSPORT, SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import IO, TypedDict, TypeVar, Unpack

    from recollect.ledger.git_programs import GitSetting, Neutral

    T = TypeVar("T")

    class RunOptions(TypedDict, total=False):
        """The options of a git command."""

        stdin: bytes
        # The exit codes that are no error.
        ok: Sequence[int]
        timeout: float | None
        network: bool
        # Run it in its own process group, so that a signal to ours cannot stop it half way: git
        # leaves lock files behind when it is killed.
        detached: bool
        # A commit of the user's own, with their signature.
        personal: bool


_BULK_SECONDS = 900.0
_HISTORY_SECONDS = 600.0
_MOST_PART = 1 << 18
_MOST_ERRORS = 64 * 1024  # bytes of what a failed command says


# The processes to kill if this process must end at once, and the thread that waits for each.
# Detached commands are excluded: they end by themselves, and killing one leaves its lock files.
_running: dict[ref[subprocess.Popen[bytes]], int] = {}


# The thread for which this one runs commands; its own if there is none.
_acting = _local()


def beside(work: Callable[[], T], name: str) -> Callable[[], T]:
    """Run commands beside other work; return what waits for the result.

    They belong to the thread that calls: its deadline ends them.
    """
    from recollect.core.meanwhile import meanwhile  # most hooks ask git nothing

    owner = get_ident()

    def run() -> T:
        _acting.owner = owner
        return work()

    return meanwhile(run, name)


def kill_running(thread: int | None = None) -> None:
    """Kill every running command, or those of one thread, because nothing waits for it any more."""
    for known, owner in list(_running.items()):
        process = known()
        if process is not None and process.returncode is None and thread in (None, owner):
            process.kill()


class Git:
    """Runs git for one repository, or in one directory until the repository is known."""

    def __init__(
        self,
        directory: Path,
        *,
        git_dir: Path | None = None,
        timeout: float = 30.0,
        environment: Mapping[str, str] | None = None,
        approved: Callable[[], str] = str,
    ) -> None:
        self.directory = directory
        self.git_dir = git_dir
        self.timeout = timeout
        # Returns the digest of the repository's settings that may start programs.
        self.approved = approved
        self.spawns = 0
        inherited = dict(os.environ if environment is None else environment)
        # GIT_DIR is honoured only while we look for a repository.
        kept = ("GIT_DIR", "GIT_WORK_TREE") if git_dir is None else ()
        self._environment = {
            name: value for name, value in inherited.items() if name not in DROPPED or name in kept
        } | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}

    @property
    def names_repository(self) -> bool:
        """Whether the environment names a repository, so that no search is needed."""
        return bool(self._environment.get("GIT_DIR"))

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables that commands get."""
        return self._environment

    def for_repository(self, git_dir: Path) -> Git:
        """Return a copy bound to a repository."""
        return Git(
            self.directory,
            git_dir=git_dir,
            timeout=self.timeout,
            environment=self._environment,
            approved=self.approved,
        )

    def at(self, directory: Path) -> Git:
        """Return a copy that runs in another directory."""
        return Git(
            directory,
            timeout=self.timeout,
            environment=self._environment,
            approved=self.approved,
        )

    def local_programs(self) -> list[GitSetting]:
        """Return the repository's own settings that name a program, trusted or not."""
        from recollect.ledger.git_programs import programs

        return programs(self._configured())

    @property
    def is_trusted(self) -> bool:
        """Whether every program in the repository's configuration may run."""
        return self._trusts(self._configured())

    def _trusts(self, settings: Sequence[GitSetting]) -> bool:
        from recollect.ledger.git_programs import digest_of, programs

        return digest_of(programs(settings)) in ("", self.approved())

    def _configured(self) -> list[GitSetting]:
        from recollect.ledger.git_programs import parse_settings

        # Read the user's own values: our overrides must not be mistaken for theirs.
        listed = self.run("config", "--list", "--show-scope", "-z", ok=(0, 1), personal=True)
        return parse_settings(listed)

    def _neutral(self, args: Sequence[str], network: bool) -> Neutral | None:
        """Return what stops a command from running the repository's programs, if needed."""
        command = verb(args)
        if not (network or command == "repack"):
            return None
        settings = self._configured()
        if self._trusts(settings):
            return None
        from recollect.ledger.git_programs import neutral_network, neutral_repack

        if network:
            neutral = neutral_network(settings, self._environment, command)
        else:
            neutral = neutral_repack(settings)
        if neutral.refused:
            raise GitFailed(
                f"git {command} would run the program that this repository's configuration sets"
                f" in {neutral.refused}.",
                "If you trust it, run: recollect config trust",
            )
        return neutral

    def run(self, *args: str, **options: Unpack[RunOptions]) -> bytes:
        """Run a command and return its output."""
        return self.result(*args, **options).stdout

    def result(
        self, *args: str, **options: Unpack[RunOptions]
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command and return its output, its errors and its exit code."""
        import subprocess  # most hooks ask git nothing

        limit = options.get("timeout") or self.timeout
        process = self._spawn(
            args,
            stdin=subprocess.PIPE,
            network=options.get("network", False),
            detached=options.get("detached", False),
            personal=options.get("personal", False),
        )
        with process:
            try:
                out, err = process.communicate(options.get("stdin", b""), timeout=limit)
            except subprocess.TimeoutExpired:
                _end(process)
                raise GitTimeout(
                    f"git {verb(args)} exceeded its limit of {limit:g} seconds."
                ) from None
            except BaseException:
                _end(process)
                raise
        if process.returncode not in options.get("ok", (0,)):
            raise failure(args, process.returncode, err)
        return subprocess.CompletedProcess(args, process.returncode, out, err)

    @contextmanager
    def objects(self) -> Iterator[ObjectReader]:
        """Read objects by name through one process for the duration of the block."""
        import subprocess  # most hooks ask git nothing

        limit = self.timeout * 4
        with self._started(("cat-file", "--batch"), subprocess.PIPE, limit) as process:
            yield ObjectReader(process)

    def read_all(self, oids: Iterable[str], most: int | None = None) -> Iterator[bytes | None]:
        """Return the contents of many objects, in order, while git reads ahead.

        None stands for a missing or damaged object, `OVERSIZE` for one larger than `most` bytes.
        """
        waiting = list(oids)
        while waiting:
            done = 0
            for data in self._read_some(waiting, most):
                done += 1
                yield data
            if done < len(waiting):  # git stops at a damaged object: continue after it
                done += 1
                yield None
            waiting = waiting[done:]

    def _read_some(self, oids: Sequence[str], most: int | None) -> Iterator[bytes | None]:
        from tempfile import TemporaryFile  # same

        with TemporaryFile() as names:
            names.write("\n".join(oids).encode("ascii"))
            names.seek(0)
            with self._started(("cat-file", "--batch", "--buffer"), names) as process:
                assert process.stdout is not None
                yield from contents(process.stdout, most)

    def stream(self, *args: str, stdin: bytes = b"") -> Generator[bytes]:
        """Run a command and yield the NUL-separated parts of its output while it runs.

        Only one part is in memory at a time; of one longer than `_MOST_PART`, the beginning. If git
        fails, the parts that it wrote come first, then the error.
        """
        from tempfile import TemporaryFile  # same

        # A pipe for errors would fill up while nobody reads it, and git would wait for ever.
        with TemporaryFile() as given, TemporaryFile() as errors:
            given.write(stdin)
            given.seek(0)
            with self._started(args, given, errors=errors) as process:
                assert process.stdout is not None
                yield from nul_separated(process.stdout, _MOST_PART)
                code = process.wait()
            if code:
                errors.seek(0)
                raise failure(args, code, errors.read(_MOST_ERRORS))

    @contextmanager
    def _started(
        self,
        args: Sequence[str],
        stdin: IO[bytes] | int,
        limit: float = _BULK_SECONDS,
        errors: IO[bytes] | None = None,
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Run a command whose output is read while it runs; it ends with the block."""
        import threading

        process = self._spawn(args, stdin=stdin, errors=errors)
        watchdog = threading.Timer(limit, process.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            yield process
        finally:
            watchdog.cancel()
            _end(process)

    def history_blobs(self, revisions: Sequence[str]) -> list[str]:
        """List the blobs of commits and, without `--no-walk`, of their histories."""
        if all(name[:1] in "-^" for name in revisions):
            return []
        out = self.run(
            "rev-list",
            "--objects",
            "--no-object-names",
            "--filter=object:type=blob",
            "--filter-provided-objects",
            "--missing=allow-any",
            *(name for name in revisions if name.startswith("-")),
            "--stdin",
            stdin="".join(f"{name}\n" for name in revisions if not name.startswith("-")).encode(),
            timeout=_HISTORY_SECONDS,
        )
        return out.decode().split()

    def sizes(self, oids: Iterable[str]) -> dict[str, int]:
        """Return the sizes of objects without reading them; missing ones are left out."""
        names = "".join(f"{oid}\n" for oid in oids).encode()
        if not names:
            return {}
        out = self.run(
            *("cat-file", "--batch-check=%(objectname) %(objectsize)", "--buffer"),
            stdin=names,
            ok=(0, 128),
            timeout=max(self.timeout, 300),
        )
        rows = (line.split() for line in out.decode("ascii", "replace").splitlines())
        return {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}

    def _spawn(
        self,
        args: Sequence[str],
        *,
        stdin: int | IO[bytes],
        errors: IO[bytes] | int | None = None,
        network: bool = False,
        detached: bool = False,
        personal: bool = False,
    ) -> subprocess.Popen[bytes]:
        import subprocess

        neutral = self._neutral(args, network)
        command = ["git", "--no-pager"]
        if self.git_dir is not None:
            command.append(f"--git-dir={self.git_dir}")
        for setting in (
            *SETTINGS,
            *(() if personal else NO_SIGNING),
            *(() if network or personal else NO_NETWORK),
        ):
            command += ("-c", setting)
        environment = self._environment | ({} if network or personal else NO_TRANSPORT)
        if neutral is not None:
            from recollect.ledger.git_programs import as_variables

            environment |= as_variables(neutral.settings, environment) | dict(neutral.environment)
            place = args.index(verb(args)) + 1
            args = (*args[:place], *neutral.options, *args[place:])
        self.spawns += 1
        try:
            process = subprocess.Popen(
                [*command, *args],
                cwd=self.directory,
                env=environment,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if errors is None else errors,
                bufsize=1 << 16,
                process_group=0 if detached and sys.platform != "win32" else None,
            )
            if not detached:
                owner = getattr(_acting, "owner", get_ident())
                _running[ref(process, _running.pop)] = owner
            return process
        except FileNotFoundError:
            from shutil import which  # imported here because most hooks do not need it

            if which("git", path=environment.get("PATH")) is None:
                raise GitMissing("Cannot find the git executable.") from None
            raise NotWritable(f"The directory {self.directory} no longer exists.") from None
        except OSError as error:
            raise GitMissing(f"Cannot start git: {error}") from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the pipes and make sure that the process has ended."""
    import subprocess

    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            try:
                stream.close()
            except OSError:
                continue  # the other end is already closed
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

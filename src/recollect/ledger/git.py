"""The one module that runs git.

Every command gets its contents through standard input, never through a shell, in the C locale and
in bounded time. Hooks, signing and automatic maintenance of the user's configuration stay out of
our way, and we never change that configuration. No setting of a repository starts a program
(docs/decisions/0015-project-trust.md): most are switched off here for every command, the rest, by
which fetch and push reach a remote, in `git_programs`.
"""

from __future__ import annotations

import os
import subprocess
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from recollect.errors import GitFailed, GitMissing, GitTimeout, NotWritable
from recollect.ledger.git_objects import ObjectReader, contents, failure, verb
from recollect.ledger.git_settings import DROPPED, NO_NETWORK, NO_SIGNING, NO_TRANSPORT, SETTINGS

if TYPE_CHECKING:
    from recollect.ledger.git_programs import GitSetting, Neutral

_BULK_SECONDS = 900.0


# What would be left behind if this process ended at once, and the thread that waits for it. A
# detached command ends by itself, and to kill it would leave its lock files.
_running: weakref.WeakKeyDictionary[subprocess.Popen[bytes], int] = weakref.WeakKeyDictionary()


def kill_running(thread: int | None = None) -> None:
    """End every command that runs, or those of one thread, because nobody waits for it any more."""
    for process, owner in list(_running.items()):
        if process.returncode is None and thread in (None, owner):
            process.kill()


class Git:
    """Runs git for one repository (or, before one is known, in one directory)."""

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
        # Gives the digest of those settings of the repository that may start programs.
        self.approved = approved
        self.spawns = 0
        inherited = dict(os.environ if environment is None else environment)
        # A repository named by GIT_DIR is honoured while we look for one, and only then.
        kept = ("GIT_DIR", "GIT_WORK_TREE") if git_dir is None else ()
        self._environment = {
            name: value for name, value in inherited.items() if name not in DROPPED or name in kept
        } | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}

    @property
    def names_repository(self) -> bool:
        """Whether the surroundings name a repository, so that none is looked for."""
        return bool(self._environment.get("GIT_DIR"))

    def for_repository(self, git_dir: Path) -> Git:
        """The same settings, bound to a repository."""
        return Git(
            self.directory,
            git_dir=git_dir,
            timeout=self.timeout,
            environment=self._environment,
            approved=self.approved,
        )

    def at(self, directory: Path) -> Git:
        """The same, started in another directory."""
        return Git(
            directory,
            timeout=self.timeout,
            environment=self._environment,
            approved=self.approved,
        )

    def local_programs(self) -> list[GitSetting]:
        """The repository's own settings that name a program, whether the person trusts them."""
        from recollect.ledger.git_programs import programs

        return programs(self._configured())

    @property
    def is_trusted(self) -> bool:
        """Whether every program that the repository's configuration names may run."""
        return self._trusts(self._configured())

    def _trusts(self, settings: Sequence[GitSetting]) -> bool:
        from recollect.ledger.git_programs import digest_of, programs

        return digest_of(programs(settings)) in ("", self.approved())

    def _configured(self) -> list[GitSetting]:
        from recollect.ledger.git_programs import parse_settings

        # As the person has it: what we switch off ourselves must not be taken for theirs.
        listed = self.run("config", "--list", "--show-scope", "-z", ok=(0, 1), personal=True)
        return parse_settings(listed)

    def _neutral(self, args: Sequence[str], network: bool) -> Neutral | None:
        """What keeps a command from running the repository's programs; None if nothing need."""
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
                f"git {command} would run a program that the configuration of this repository names"
                f" in {neutral.refused}.",
                "If it is yours, run: recollect config trust",
            )
        return neutral

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        ok: Sequence[int] = (0,),
        timeout: float | None = None,
        network: bool = False,
        detached: bool = False,
        personal: bool = False,
    ) -> bytes:
        """Run a command to its end and give its output.

        `detached` puts it into a process group of its own, so that a signal to ours cannot stop it
        half way: git leaves lock files behind when it is killed. `personal` is a commit of the
        person's own, with their signature.
        """
        return self.result(
            *args,
            stdin=stdin,
            ok=ok,
            timeout=timeout,
            network=network,
            detached=detached,
            personal=personal,
        ).stdout

    def result(
        self,
        *args: str,
        stdin: bytes = b"",
        ok: Sequence[int] = (0,),
        timeout: float | None = None,
        network: bool = False,
        detached: bool = False,
        personal: bool = False,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command to its end; give its output, its errors and its exit code."""
        limit = timeout or self.timeout
        process = self._spawn(
            args, stdin=subprocess.PIPE, network=network, detached=detached, personal=personal
        )
        with process:
            try:
                out, err = process.communicate(stdin, timeout=limit)
            except subprocess.TimeoutExpired:
                _end(process)
                raise GitTimeout(f"git {verb(args)} took longer than {limit:g} seconds.") from None
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

    def read_all(self, oids: Iterable[str], most: int | None = None) -> Iterator[bytes | None]:
        """The contents of many objects, in order, while git reads ahead.

        None stands for one that is missing or damaged, `OVERSIZE` for one of more than `most`
        bytes.
        """
        waiting = list(oids)
        while waiting:
            done = 0
            for data in self._read_some(waiting, most):
                done += 1
                yield data
            if done < len(waiting):  # git gives up at a damaged object: go on behind it
                done += 1
                yield None
            waiting = waiting[done:]

    def _read_some(self, oids: Sequence[str], most: int | None) -> Iterator[bytes | None]:
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
                yield from contents(process.stdout, most)
            finally:
                watchdog.cancel()
                _end(process)

    def sizes(self, oids: Iterable[str]) -> dict[str, int]:
        """How large some objects are, told without reading them; missing ones are left out."""
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
        network: bool = False,
        detached: bool = False,
        personal: bool = False,
    ) -> subprocess.Popen[bytes]:
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

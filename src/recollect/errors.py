"""Everything that can go wrong, as one tree.

    RecollectError                  1
    ├── StorageError               10   git or the disk refused
    │   ├── GitMissing             11
    │   ├── GitFailed              12
    │   ├── GitTimeout             13
    │   ├── NotWritable            14
    │   └── ObjectMissing          15
    ├── MemoryIndexError           20   the derived index
    ├── EmbeddingError             30   the model behind vector search
    ├── ParseError                 40   a note or a configuration file cannot be read
    │   └── BadConfig              41
    ├── CaptureError               50   a write could not be finished
    │   ├── LockTimeout            51
    │   ├── Contended              52
    │   ├── SecretFound            53
    │   ├── VersionConflict        54
    │   └── ClockJumped            55
    ├── RecallError                60   something asked for could not be found
    │   ├── NotFound               61
    │   └── Ambiguous              62
    ├── ValidationError            70   what was given is not acceptable; nothing was changed
    │   ├── UnknownKind            71
    │   ├── IllegalTransition      72
    │   ├── UnsafeName             73
    │   ├── BadContent             74
    │   ├── MergeRefused           75
    │   ├── RecentlyRetired        76
    │   ├── KindDisabled           77
    │   ├── TooMany                78
    │   └── NothingToUndo          79
    ├── SyncError                  80   the exchange with a remote
    │   ├── NoRemote               81
    │   └── PushRejected           82
    └── HostError                  90   the agent that is to have a memory
        └── InstallFailed          91

Every error carries a category, a message, a hint that says what to do next, and an exit code of
its own. The docstring of a class says when it is raised; `docs/commands.md` lists them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple


class RecollectError(Exception):
    """Something went wrong; the message says what and the hint says what to do."""

    category: ClassVar[str] = "internal"
    exit_code: ClassVar[int] = 1
    hint: str = "Run `recollect doctor` to see what is wrong."

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if hint is not None:
            self.hint = hint

    def as_json(self) -> dict[str, Any]:
        """The error as `--json` prints it."""
        return {
            "error": type(self).__name__,
            "category": self.category,
            "message": self.message,
            "hint": self.hint,
            "exit_code": self.exit_code,
        }


class StorageError(RecollectError):
    """Git or the disk refused."""

    category = "storage"
    exit_code = 10


class GitMissing(StorageError):
    """The git executable is not on the PATH, or too old."""

    exit_code = 11
    hint = "Install git 2.34 or newer and make sure that `git --version` works."


class GitFailed(StorageError):
    """A git command ended with an error."""

    exit_code = 12


class GitTimeout(StorageError):
    """A git command took longer than it may."""

    exit_code = 13
    hint = "Try again; raise `git.timeout` in the configuration if the machine is slow."


class NotWritable(StorageError):
    """The repository or the data directory cannot be written."""

    exit_code = 14
    hint = "Check the permissions of the repository and the free space of the disk."


class ObjectMissing(StorageError):
    """An object that a notes ref leads to is not in this clone."""

    exit_code = 15
    hint = "In a partial clone run `recollect sync`, else `git fsck` to see what is damaged."


class MemoryIndexError(RecollectError):
    """The derived index cannot be used; it can be rebuilt at any time."""

    category = "index"
    exit_code = 20
    # The place is to blame, not the file: to build another one there would fail as well.
    unwritable = False


class EmbeddingError(RecollectError):
    """The embedding model cannot be used; keyword search goes on without it."""

    category = "embedding"
    exit_code = 30


class ParseError(RecollectError):
    """A text cannot be read as what it should be."""

    category = "parse"
    exit_code = 40


class BadConfig(ParseError):
    """A configuration file or variable holds something that cannot be used."""

    exit_code = 41
    hint = "Correct the value there; docs/configuration.md lists what each key takes."


class CaptureError(RecollectError):
    """A write could not be finished; nothing was stored."""

    category = "capture"
    exit_code = 50


class LockTimeout(CaptureError):
    """Another process held the ledger's lock for too long."""

    exit_code = 51
    hint = "Nothing was stored. Wait a moment and try again; raise `lock.timeout` if it stays so."


class Contended(CaptureError):
    """Other programs moved the notes again and again while we tried to write."""

    exit_code = 52
    hint = "Nothing was stored. Try again when the other program has finished."


class SecretFound(CaptureError):
    """The text holds a secret and the strategy is to store nothing then."""

    exit_code = 53
    hint = "Nothing was stored. Take the secret out and try again."

    def __init__(self, found: tuple[str, ...]) -> None:
        super().__init__("The text holds what must not be stored: " + ", ".join(found) + ".")
        self.found = found


class VersionConflict(CaptureError):
    """The memory was changed after the version that the writer had read."""

    exit_code = 54
    hint = "Nothing was stored. Read the memory again and send its present version."


class ClockJumped(CaptureError):
    """The clock is far from where it was, so nothing can be said about the age of memories."""

    exit_code = 55
    hint = "Nothing was changed. Correct the clock; if it is right, run: recollect sleep --force"


class RecallError(RecollectError):
    """Something that was asked for could not be given."""

    category = "recall"
    exit_code = 60


class NotFound(RecallError):
    """No memory has this id."""

    exit_code = 61
    hint = "`recollect list --status all` shows every id."


class Ambiguous(RecallError):
    """More than one memory answers to this id."""

    exit_code = 62

    def __init__(self, message: str, candidates: list[str]) -> None:
        super().__init__(message, "Name one of them: " + ", ".join(candidates))
        self.candidates = candidates

    def as_json(self) -> dict[str, Any]:
        """The error with the ids to choose from."""
        return {**super().as_json(), "candidates": self.candidates}


class ValidationError(RecollectError):
    """What was given is not acceptable; nothing was changed."""

    category = "validation"
    exit_code = 70
    hint = "Correct the value and try again; nothing was changed."


class UnknownKind(ValidationError):
    """There is no kind of that name."""

    exit_code = 71


class IllegalTransition(ValidationError):
    """A memory cannot go from its status to the one asked for."""

    exit_code = 72


class UnsafeName(ValidationError):
    """A ref, path or remote has a shape that git could take for something else."""

    exit_code = 73


class Problem(NamedTuple):
    """One thing that is wrong with a document, said so that an agent can repair it."""

    field: str
    expected: str
    got: str
    fix: str

    def __str__(self) -> str:
        return f"{self.field} must be {self.expected}, but is {self.got}."


class BadContent(ValidationError):
    """A typed document does not have the shape of its kind."""

    exit_code = 74

    def __init__(
        self, field: str, expected: str, got: str, fix: str, problems: Sequence[Problem] = ()
    ) -> None:
        first = Problem(field, expected, got, fix)
        self.problems = tuple(problems) or (first,)
        super().__init__(
            " ".join(map(str, self.problems)),
            " ".join(dict.fromkeys(problem.fix for problem in self.problems)),
        )
        self.field, self.expected, self.got, self.fix = first

    def as_json(self) -> dict[str, Any]:
        """The error with the first problem taken apart, and all of them."""
        return {
            **super().as_json(),
            "field": self.field,
            "expected": self.expected,
            "got": self.got,
            "fix": self.fix,
            "problems": [problem._asdict() for problem in self.problems],
        }


class MergeRefused(ValidationError):
    """An update would take away what only a person may take away."""

    exit_code = 75
    hint = "Nothing was changed. Keep what the memory has, and add to it."


class RecentlyRetired(ValidationError):
    """A memory that was retired a short while ago would come back under a new name."""

    exit_code = 76
    hint = "Nothing was stored. `recollect restore ID` brings the old one back."


class KindDisabled(ValidationError):
    """The configuration has switched this kind off."""

    exit_code = 77
    hint = "Nothing was stored. Switch it on with `kinds.<kind>.enabled`, or use another kind."


class TooMany(ValidationError):
    """There are as many memories of this kind as the configuration allows."""

    exit_code = 78
    hint = "Nothing was stored. Update or retire one, or raise `kinds.<kind>.max_memories`."


class NothingToUndo(ValidationError):
    """There is no change that undo could take back."""

    exit_code = 79
    hint = "List what can be undone: recollect undo"


class SyncError(RecollectError):
    """The exchange with a remote failed; nothing was lost on either side."""

    category = "sync"
    exit_code = 80
    hint = "Check the remote with `git ls-remote`, then run `recollect sync` again."


class NoRemote(SyncError):
    """There is no remote to sync with."""

    exit_code = 81
    hint = "Add one with `git remote add origin URL`, or name one: `recollect sync REMOTE`."


class PushRejected(SyncError):
    """The remote does not take what was pushed."""

    exit_code = 82


class HostError(RecollectError):
    """An agent could not be given a memory."""

    category = "host"
    exit_code = 90
    hint = "See docs/hooks.md for how to do it by hand."


class InstallFailed(HostError):
    """The plugin could not be installed, or not be removed."""

    exit_code = 91

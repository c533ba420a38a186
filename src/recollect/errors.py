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
    ├── HostError                  90   the agent that is to have a memory
    │   └── InstallFailed          91
    └── ServerError               100   the server of a team
        ├── DatabaseDown          101
        ├── ServerUnreachable     102
        ├── NotAllowed            103
        └── TooManyRequests       104

Every error carries a category, a message, a hint that says what to do next, and an exit code of
its own. The docstring of a class says when it is raised; `docs/commands.md` lists them all.
"""

from __future__ import annotations

from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar


class RecollectError(Exception):
    """The base of every error: the message says what happened, the hint says what to do."""

    category: ClassVar[str] = "internal"
    exit_code: ClassVar[int] = 1
    hint: str = "Run `recollect doctor` to see what is wrong."

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if hint is not None:
            self.hint = hint

    def __str__(self) -> str:
        """Return the category, the message and what to do, as a log or a traceback prints them."""
        return f"{self.category}: {self.message} {self.hint}".rstrip()

    def as_json(self) -> dict[str, Any]:
        """Return the error as `--json` prints it."""
        return {
            "error": type(self).__name__,
            "category": self.category,
            "message": self.message,
            "hint": self.hint,
            "exit_code": self.exit_code,
        }


class StorageError(RecollectError):
    """Git or the file system failed."""

    category = "storage"
    exit_code = 10


class GitMissing(StorageError):
    """The git executable is not on the PATH, or is too old."""

    exit_code = 11
    hint = "Install git 2.34 or newer, and check that `git --version` works."


class GitFailed(StorageError):
    """A git command failed."""

    exit_code = 12


class GitTimeout(StorageError):
    """A git command exceeded its time limit."""

    exit_code = 13
    hint = "Try again. If the machine is slow, raise `git.timeout` in the configuration."


class NotWritable(StorageError):
    """The repository or the data directory is not writable."""

    exit_code = 14
    hint = "Check the permissions of the repository and the free disk space."


class ObjectMissing(StorageError):
    """An object that a notes ref points to is not in this clone."""

    exit_code = 15
    hint = "In a partial clone, run `recollect sync`. Otherwise, run `git fsck` to find the damage."


class MemoryIndexError(RecollectError):
    """The derived index is unusable. You can rebuild it at any time."""

    category = "index"
    exit_code = 20
    # The location is at fault, not the file: building another file there would fail too.
    unwritable = False
    # Another process writes it for longer than we wait: nothing is wrong with the file.
    busy = False


class EmbeddingError(RecollectError):
    """The embedding model is unusable. Keyword search still works."""

    category = "embedding"
    exit_code = 30


class ParseError(RecollectError):
    """A text does not have the expected format."""

    category = "parse"
    exit_code = 40


class BadConfig(ParseError):
    """A configuration file or variable has an invalid value."""

    exit_code = 41
    hint = "Correct the value. For the values that each key accepts, see docs/configuration.md."


class CaptureError(RecollectError):
    """A write could not be completed. Nothing was stored."""

    category = "capture"
    exit_code = 50


class LockTimeout(CaptureError):
    """Another process held the ledger's lock for too long."""

    exit_code = 51
    hint = "Nothing was stored. Try again in a moment. If it persists, raise `lock.timeout`."


class Contended(CaptureError):
    """Other programs kept moving the notes refs while we tried to write."""

    exit_code = 52
    hint = "Nothing was stored. Try again when the other program has finished."


class SecretFound(CaptureError):
    """The text contains a secret, and `redact.strategy` is `block`."""

    exit_code = 53
    hint = "Nothing was stored. Remove the secret and try again."

    def __init__(self, found: tuple[str, ...]) -> None:
        super().__init__("The text contains secrets: " + ", ".join(found) + ".")
        self.found = found


class VersionConflict(CaptureError):
    """The memory changed after the version that the writer had read."""

    exit_code = 54
    hint = "Nothing was stored. Read the memory again and send its current version."


class ClockJumped(CaptureError):
    """The clock jumped, so the age of memories is unknown."""

    exit_code = 55
    hint = "Nothing was changed. Correct the clock. If it is right, run: recollect sleep --force"


class RecallError(RecollectError):
    """The request could not be answered."""

    category = "recall"
    exit_code = 60


class NotFound(RecallError):
    """No memory has this id."""

    exit_code = 61
    hint = "`recollect list --status all` shows every id."


class Ambiguous(RecallError):
    """The id matches more than one memory."""

    exit_code = 62

    def __init__(self, message: str, candidates: list[str]) -> None:
        super().__init__(message, "Use one of: " + ", ".join(candidates))
        self.candidates = candidates

    def as_json(self) -> dict[str, Any]:
        """Return the error with the ids to choose from."""
        return {**super().as_json(), "candidates": self.candidates}


class ValidationError(RecollectError):
    """An argument is invalid. Nothing was changed."""

    category = "validation"
    exit_code = 70
    hint = "Nothing was changed. Correct the value and try again."


class UnknownKind(ValidationError):
    """No kind has this name."""

    exit_code = 71


class IllegalTransition(ValidationError):
    """A memory cannot change from its current status to the requested one."""

    exit_code = 72


class UnsafeName(ValidationError):
    """A ref, path or remote has a form that git could misinterpret."""

    exit_code = 73


class Problem:
    """One problem in a document, described so that an agent can fix it."""

    def __init__(self, field: str, expected: str, got: str, fix: str) -> None:
        self.field, self.expected, self.got, self.fix = field, expected, got, fix

    def __str__(self) -> str:
        return f"{self.field} must be {self.expected}, but is {self.got}."


class BadContent(ValidationError):
    """A typed document does not match the schema of its kind."""

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
        self.field, self.expected, self.got, self.fix = field, expected, got, fix

    def as_json(self) -> dict[str, Any]:
        """Return the error with the parts of the first problem, and the list of all problems."""
        return {
            **super().as_json(),
            "field": self.field,
            "expected": self.expected,
            "got": self.got,
            "fix": self.fix,
            "problems": [vars(problem) for problem in self.problems],
        }


class MergeRefused(ValidationError):
    """An update would remove something that only a person may remove."""

    exit_code = 75
    hint = "Nothing was changed. Keep the existing content and add to it."


class RecentlyRetired(ValidationError):
    """A recently retired memory would come back under a new name."""

    exit_code = 76
    hint = "Nothing was stored. To bring the old one back, run: recollect restore ID"


class KindDisabled(ValidationError):
    """The configuration disables this kind."""

    exit_code = 77
    hint = "Nothing was stored. Enable it with `kinds.<kind>.enabled`, or use another kind."


class TooMany(ValidationError):
    """This kind has as many memories as the configuration allows."""

    exit_code = 78
    hint = "Nothing was stored. Update or retire one, or raise `kinds.<kind>.max_memories`."


class NothingToUndo(ValidationError):
    """There is no change to undo."""

    exit_code = 79
    hint = "To list what you can undo, run: recollect undo"


class SyncError(RecollectError):
    """The exchange with a remote failed. Nothing was lost on either side."""

    category = "sync"
    exit_code = 80
    hint = "Check the remote with `git ls-remote`, then run `recollect sync` again."


class NoRemote(SyncError):
    """There is no remote to sync with."""

    exit_code = 81
    hint = "Add one with `git remote add origin URL`, or run: recollect sync REMOTE"


class PushRejected(SyncError):
    """The remote rejected the push."""

    exit_code = 82


class HostError(RecollectError):
    """An agent could not be set up."""

    category = "host"
    exit_code = 90
    hint = "To set it up by hand, see docs/hooks.md."


class InstallFailed(HostError):
    """The plugin could not be installed or removed."""

    exit_code = 91


class ServerError(RecollectError):
    """The server of a team could not do what was asked."""

    category = "server"
    exit_code = 100
    hint = "See docs/team.md, under “When something goes wrong”."


class DatabaseDown(ServerError):
    """The database of the server does not answer."""

    exit_code = 101
    hint = "Check that PostgreSQL runs, and the URL: recollect serve --check. Memories are in git."


class ServerUnreachable(ServerError):
    """The server does not answer, answers too late, or not as a server of Recollect does."""

    exit_code = 102
    hint = "Check `server.url`, and ask whoever runs the server. Your local memories are there."


class NotAllowed(ServerError):
    """The token or the person may not do this."""

    exit_code = 103
    hint = "Ask whoever runs the server."


class TooManyRequests(ServerError):
    """The person sent more requests than the server allows in a minute."""

    exit_code = 104
    hint = "Wait a minute, and try again."

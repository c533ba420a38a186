"""The history of a branch as a stream: messages first, then the files of chosen commits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.ledger.git import Git

_MARK = "\x01"  # before a commit id in a list of files
_DELETED = "D"
_MOST_BLAMED = 5000  # lines
_BLAMED = pattern(r"[0-9a-f]{40,64} \d+ \d+")
# The last second that has a date, in 9999. A commit can claim any time.
_MOST_SECONDS = 253_402_300_799
_MESSAGE = "--format=%H%n%P%n%at%n%aN%n%B"


class Commit(NamedTuple):
    """A commit: its id, its parents, when it was written and by whom, and its message."""

    oid: str
    parents: tuple[str, ...]
    time: int
    author: str
    message: str


def count_commits(git: Git, revision: str = "HEAD") -> int:
    """Return how many commits lead to a revision; 0 if there is no such revision."""
    said = git.run(
        "rev-list", "--count", "--end-of-options", revision, "--", ok=(0, 128), timeout=120.0
    ).strip()
    return int(said) if said.isdigit() else 0


def read_commits(git: Git, revision: str = "HEAD") -> Iterator[Commit]:
    """Yield the commits that lead to a revision, newest first."""
    for part in git.stream(
        *("log", "-z", "--no-show-signature", "--no-notes", "--no-color", "--encoding=UTF-8"),
        *(_MESSAGE, "--end-of-options", revision, "--"),
    ):
        commit = _parsed(part)
        if commit is not None:
            yield commit


def _parsed(part: bytes) -> Commit | None:
    fields = part.decode("utf-8", "replace").split("\n", 4)
    if len(fields) != 5:
        return None
    oid, parents, time, author, message = fields
    return Commit(oid, tuple(parents.split()), _seconds(time), author, message)


def _seconds(said: str) -> int:
    """Return a time since 1970; 0 for one that is no date."""
    if not said.isdecimal() or len(said) > len(str(_MOST_SECONDS)):
        return 0
    return int(said) if int(said) <= _MOST_SECONDS else 0


class Change(NamedTuple):
    """A file that a commit changed, and whether it deleted it."""

    path: str
    is_deleted: bool = False


class Blamed(NamedTuple):
    """A line of a file: the commit that last changed it, and its text."""

    oid: str
    text: str


def blame_lines(git: Git, path: str, revision: str = "HEAD") -> list[Blamed]:
    """Return the lines of a committed file, each with its commit; empty if there is no such file.

    Git reads no file of the working tree, because that can start the filters of a repository.
    """
    tree = git.run("rev-parse", "--show-cdup", ok=(0, 128)).decode("utf-8", "surrogateescape")
    said = git.run(
        *("blame", "--porcelain", "--no-textconv", "--encoding=UTF-8", revision, "--"),
        tree.rstrip("\n") + path,
        ok=(0, 128),
    )
    found, oid = [], ""
    for line in said.decode("utf-8", "replace").split("\n")[: _MOST_BLAMED * 12]:
        if line.startswith("\t"):
            found.append(Blamed(oid, line[1:]))
        elif _BLAMED.match(line):
            oid = line.partition(" ")[0]
    return found[:_MOST_BLAMED]


def changes_of_commits(git: Git, oids: Sequence[str], most: int) -> dict[str, list[Change]]:
    """Return what each commit did to files, at most so many, compared to its first parent."""
    found: dict[str, list[Change]] = {}
    changes: list[Change] = []
    status = ""
    for part in git.stream(
        *("log", "-z", "--no-walk=unsorted", "--stdin", "--no-show-signature", "--no-notes"),
        *("--no-renames", "--diff-merges=first-parent", "--name-status", f"--format={_MARK}%H"),
        stdin="".join(f"{oid}\n" for oid in oids).encode(),
    ):
        said = part.decode("utf-8", "surrogateescape")
        if status:
            if len(changes) < most:
                changes.append(Change(said, status == _DELETED))
            status = ""
        elif said.startswith(_MARK):
            changes = found.setdefault(said[1:], [])
        else:
            status = said.strip()
    return found


def blobs_at(git: Git, revision: str = "HEAD") -> Iterator[tuple[str, str]]:
    """Yield the files of a revision, each with the id of its contents."""
    for part in git.stream("ls-tree", "-r", "-z", "--full-tree", revision):
        about, _, path = part.decode("utf-8", "surrogateescape").partition("\t")
        _, kind, oid = about.split()
        if kind == "blob":
            yield path, oid


def patches_of_commits(git: Git, oids: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the lines that each commit changed, without context; of a long patch, the beginning."""
    asked, oid = set(oids), ""
    for part in git.stream(
        *("log", "-z", "-p", "-U0", "--no-walk=unsorted", "--stdin", "--no-show-signature"),
        *("--no-notes", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"),
        *("--diff-merges=first-parent", "--src-prefix=a/", "--dst-prefix=b/"),
        # Without a byte of its own, the mark would be lost at the end of a long patch.
        f"--format=%x00{_MARK}%H",
        stdin="".join(f"{oid}\n" for oid in oids).encode(),
    ):
        said = part.decode("utf-8", "replace")
        if said.startswith(_MARK) and said[1:].strip() in asked:
            oid = said[1:].strip()
        elif oid:
            yield oid, said.lstrip("\n")
            oid = ""


def last_changes(git: Git, paths: Sequence[str]) -> dict[str, tuple[str, int]]:
    """Return the commit that last changed each file, and its time; files without one are left out.

    The history is read once for all of them, newest first, until each has its commit.
    """
    wanted, found = set(paths), dict[str, tuple[str, int]]()
    if not wanted:
        return found
    oid, time = "", 0
    stream = git.stream(
        *("log", "-z", "--no-show-signature", "--no-notes", "--no-renames", "--no-merges"),
        *("--name-only", f"--format={_MARK}%H %ct", "HEAD", "--"),
        *(f":(top,literal){path}" for path in paths),
    )
    with closing(stream):
        for part in stream:
            for line in part.decode("utf-8", "surrogateescape").split("\n"):
                if line.startswith(_MARK):
                    oid, _, when = line[1:].partition(" ")
                    time = _seconds(when)
                elif line in wanted:
                    wanted.discard(line)
                    found[line] = (oid, time)
            if not wanted:
                break
    return found

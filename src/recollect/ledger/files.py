"""The files of a commit, as they were: the exact code that a memory was about."""

from __future__ import annotations

from recollect.core.named_tuple import NamedTuple
from recollect.ledger.repository import Repository

MOST_FILES = 20
# Files that are read to find those that are text: a commit may add thousands of pictures.
_MOST_READ = 200
MOST_BYTES = 102_400
MOST_TAGS = 500


def commit_time(repository: Repository, revision: str) -> float | None:
    """Return when a commit was made, in seconds since 1970; None if it does not exist."""
    out = repository.git.run(
        "log", "-1", "--format=%ct", "--end-of-options", revision, "--", ok=(0, 128)
    ).decode()
    return float(out) if out.strip() else None


def tag_times(repository: Repository) -> dict[str, float]:
    """Return when each tag was made, in seconds since 1970; of very many, the newest."""
    out = repository.git.run(
        "for-each-ref", "--sort=-creatordate", f"--count={MOST_TAGS}",
        "--format=%(creatordate:unix) %(refname:strip=2)", "refs/tags",
    ).decode("utf-8", "replace")  # fmt: skip
    pairs = (line.partition(" ") for line in out.splitlines())
    return {name: float(made) for made, _, name in pairs if made.isdigit()}


class CommitFile(NamedTuple):
    """A file as a commit left it, and how many of its bytes are left out at the end."""

    path: str
    text: str
    cut: int = 0


class CommitFiles(list[CommitFile]):
    """Files of a commit, and how many more there are: beyond the limit, or not text."""

    left_out = 0


class CommitInfo(NamedTuple):
    """The commit that a memory is attached to."""

    sha: str
    author: str
    date: str
    subject: str


def commit_info(repository: Repository, commit: str) -> CommitInfo | None:
    """Return who made a commit, when, and its subject; None if it is not a commit here."""
    out = repository.git.run(
        *("log", "-1", "--no-show-signature", "--no-notes", "--encoding=UTF-8"),
        *("--format=%H%x00%aN <%aE>%x00%aI%x00%s", "--end-of-options", commit, "--"),
        ok=(0, 128),
    ).decode("utf-8", "replace")
    fields = out.rstrip("\n").split("\0")
    return CommitInfo(*fields) if len(fields) == len(CommitInfo._fields) else None


def files_of_commit(repository: Repository, commit: str) -> CommitFiles:
    """Return the text files that a commit changed, as they were: at most 20, 100 KB of each."""
    git = repository.git
    out = git.run(
        "diff-tree", "-r", "-z", "--no-commit-id", "--root", "--diff-filter=d", "-m",
        "--first-parent", "--raw", commit, ok=(0, 128),
    ).decode("utf-8", "surrogateescape")  # fmt: skip
    fields = iter(out.split("\0"))
    wanted = {}
    for field in fields:
        if field.startswith(":"):
            wanted[next(fields)] = field.split(" ")[3]
    files = CommitFiles()
    with git.objects() as reader:
        for path, oid in list(wanted.items())[:_MOST_READ]:
            if len(files) == MOST_FILES:
                break
            found = reader.get(oid)
            if found is not None and found.type == "blob" and b"\0" not in found.data[:8000]:
                text = found.data[:MOST_BYTES].decode("utf-8", "replace")
                files.append(CommitFile(path, text, max(0, len(found.data) - MOST_BYTES)))
    files.left_out = len(wanted) - len(files)
    return files

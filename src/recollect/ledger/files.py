"""The files of a commit, as they were: the exact code that a memory was about."""

from __future__ import annotations

from recollect.ledger.repository import Repository

MOST_FILES = 20
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


def files_of_commit(repository: Repository, commit: str) -> list[tuple[str, str]]:
    """Return the files that a commit changed, as they were: at most 20, at most 100 KB each."""
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
    files = []
    with git.objects() as reader:
        for path, oid in list(wanted.items())[:MOST_FILES]:
            found = reader.get(oid)
            if found is not None and found.type == "blob" and b"\0" not in found.data[:8000]:
                files.append((path, found.data[:MOST_BYTES].decode("utf-8", "replace")))
    return files

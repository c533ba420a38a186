"""The working tree: what is being worked on, and whether files have changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from recollect.core.age import seconds_since
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.names import parse_name
from recollect.errors import StorageError
from recollect.ledger.repository import Repository

FRESH, CHANGED, GONE = "FRESH", "CHANGED", "GONE"
_COMMITS = 5
_PAST = 20  # commits
_FILES = 20
_SUBJECT = "\x01"  # separates a commit subject from file names
_BIG = 1 << 20
_GRACE = 2.0  # file systems round times


def find_root(directory: Path) -> Path | None:
    """Return the working tree around a directory, found without git."""
    for folder in (directory, *directory.parents):
        if (folder / ".git").exists():
            return folder
    return None


class RecentWork(NamedTuple):
    """What is being worked on: the branch, the last commit subjects, and the files they changed."""

    texts: Sequence[str] = ()
    files: Sequence[str] = ()


def working_trees(repository: Repository) -> list[Path]:
    """Return the roots of all working trees of a repository, the main one first."""
    said = repository.git.run("worktree", "list", "--porcelain", "-z").decode("utf-8", "replace")
    return [Path(line[9:]) for line in said.split("\0") if line.startswith("worktree ")]


def remote_addresses(repository: Repository) -> list[str]:
    """Return the addresses of all remotes."""
    said = repository.git.run("config", "--get-regexp", r"^remote\..*\.url$", ok=(0, 1))
    return [line.partition(" ")[2] for line in said.decode("utf-8", "replace").splitlines()]


def recent_work(repository: Repository) -> RecentWork:
    """Return what the last commits were about."""
    try:
        said = repository.git.run(
            "log",
            f"-{_COMMITS}",
            "--no-merges",
            "--no-show-signature",
            "--no-notes",
            f"--format={_SUBJECT}%s",
            "--name-only",
            "-z",
            ok=(0, 128),
        )
    except StorageError:
        return RecentWork()
    texts = [] if repository.branch in (None, "main", "master") else [str(repository.branch)]
    files: dict[str, None] = {}
    for part in said.decode("utf-8", "surrogateescape").split("\0"):
        if part.startswith(_SUBJECT):
            texts.append(part.removeprefix(_SUBJECT))
        elif part.strip("\n") and len(files) < _FILES:
            files[part.lstrip("\n")] = None
    return RecentWork(texts, list(files))


def has_past(repository: Repository) -> bool:
    """Whether the checked-out branch has enough commits to learn from."""
    said = repository.git.run(
        "rev-list", "--count", f"--max-count={_PAST}", "HEAD", "--", ok=(0, 128)
    )
    return said.strip() == str(_PAST).encode()


def compare_files(
    repository: Repository, root: Path, named: Mapping[str, tuple[str, float, Sequence[str]]]
) -> dict[str, str]:
    """Return, for memories by uid, whether the files they name are unchanged.

    Each entry has its anchor, its creation time and its files. A file last modified before the
    memory is unchanged; git is asked, once, only about the others.
    """
    told: dict[str, str] = {}
    touched: dict[str, list[str]] = {}
    for uid, (_, born, files) in named.items():
        there = {path: _written(root / path) for path in files}
        if not there:
            continue
        if all(time is None for time in there.values()):
            told[uid] = GONE
        elif None in there.values():
            told[uid] = CHANGED
        else:
            later = [p for p, time in there.items() if time is not None and time > born + _GRACE]
            told[uid] = FRESH
            if later:
                touched[uid] = later
    if touched:
        told.update(_compare_contents(repository, root, named, touched))
    return told


def files_since(memory: Memory, now: float) -> tuple[str, float, tuple[str, ...]] | None:
    """Return what `compare_files` needs to know about a memory; None if it names no files."""
    files = tuple(dict.fromkeys((*memory.files_modified, *memory.files_read)))[:_FILES]
    name, passed = parse_name(memory.id), seconds_since(memory.created, now)
    if not files or name is None or passed is None or memory.project is not None:
        return None
    return name.anchor, now - passed, files


def _written(path: Path) -> float | None:
    if ".." in path.parts:
        return None  # a memory must not make us look outside
    try:
        return path.stat().st_mtime
    except (OSError, ValueError):
        return None


def _compare_contents(
    repository: Repository,
    root: Path,
    named: Mapping[str, tuple[str, float, Sequence[str]]],
    touched: Mapping[str, Sequence[str]],
) -> dict[str, str]:
    asked = [(uid, path) for uid, paths in touched.items() for path in paths if "\n" not in path]
    names = "".join(f"{named[uid][0]}:{path}\n" for uid, path in asked)
    said = repository.git.run("cat-file", "--batch-check=%(objectname)", stdin=names.encode())
    told: dict[str, str] = {}
    for (uid, path), line in zip(asked, said.decode("utf-8", "replace").splitlines(), strict=False):
        then = line.split(" ")[0]
        # If the commit did not have the file (it came later), all we know is that it changed.
        same = then == _blob_id(repository, root / path)
        told[uid] = FRESH if same and told.get(uid, FRESH) == FRESH else CHANGED
    return told


def _blob_id(repository: Repository, path: Path) -> str | None:
    try:
        if path.stat().st_size > _BIG:
            return None
        data = bytes(path.readlink()) if path.is_symlink() else path.read_bytes()
    except OSError:
        return None
    return repository.hash_object("blob", data)


def then_and_now(
    repository: Repository, root: Path, commit: str, path: str
) -> tuple[str, str] | None:
    """Return a file as it was at a commit and as it is now; None if it is not readable as text.

    We read the file ourselves: git would run the filters that a repository names.
    """
    place = root / path
    if "\n" in path or ".." in place.parts:
        return None
    with repository.git.objects() as reader:
        found = reader.get(f"{commit}:{path}")
    then = found.data[:_BIG] if found is not None and found.type == "blob" else b""
    now = b""
    try:
        is_inside = place.resolve().is_relative_to(root.resolve())
        if is_inside and place.is_file() and place.stat().st_size <= _BIG:
            now = place.read_bytes()
    except OSError:
        return None
    if b"\0" in then or b"\0" in now:
        return None
    before, after = (data.decode("utf-8", "replace").replace("\r\n", "\n") for data in (then, now))
    return before, after


def committed_by(repository: Repository, path: str, data: bytes) -> str:
    """Return the author of a file's last commit; empty if the branch has other contents.

    Line endings are ignored: a checkout may convert them.
    """
    if "\n" in path:
        return ""
    with repository.git.objects() as reader:
        found = reader.get(f"HEAD:{path}")
    if found is None or found.data.replace(b"\r\n", b"\n") != data.replace(b"\r\n", b"\n"):
        return ""
    said = repository.git.run(
        *("log", "-1", "--no-show-signature", "--no-notes", "--format=%an <%ae>", "HEAD"),
        *("--", f":(top,literal){path}"),
        ok=(0, 128),
    )
    return said.decode("utf-8", "replace").strip() or "unknown"

"""Where a ledger lives: the git repository around a path, or the user ledger.

Worktrees of one repository share one ledger. Outside any repository, memories go to the user
ledger: a bare repository in the data directory, under the path of the project they belong to.
"""

from __future__ import annotations

from pathlib import Path

from recollect.config.locate import make_private
from recollect.core.named_tuple import NamedTuple
from recollect.errors import GitFailed, GitMissing, NotWritable, StorageError
from recollect.ledger.git import Git

USER_LEDGER = "ledger.git"
_EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
# What stands for a project as a whole, where else a commit stands.
PROJECT_ANCHORS = frozenset(_EMPTY_TREE.values())


class Repository(NamedTuple):
    """A git repository that holds a ledger."""

    git: Git
    git_dir: Path
    common_dir: Path
    object_format: str
    branch: str | None = None
    is_user_ledger: bool = False

    @property
    def history_path(self) -> Path:
        """Where the words of commits are, if `recollect learn` has read the history."""
        return self.state_dir / "history.db"

    @property
    def state_dir(self) -> Path:
        """Our directory for locks and derived files; never committed, shared by worktrees."""
        return self.common_dir / "recollect"

    def hash_object(self, kind: str, data: bytes) -> str:
        """Return the id that git gives an object in this repository."""
        import hashlib  # loads OpenSSL, which few hooks need

        digest = hashlib.new(self.object_format, usedforsecurity=False)
        digest.update(f"{kind} {len(data)}\0".encode() + data)
        return digest.hexdigest()

    @property
    def project_anchor(self) -> str:
        """The empty tree, which exists in every repository, even before the first commit."""
        return _EMPTY_TREE[self.object_format]


def find_repository(git: Git, *, quickly: bool = False) -> Repository | None:
    """Return the repository around git's directory; None outside any.

    `quickly`, it is found by its files where they are as usual. What git would refuse to open or
    call damaged is then found at the next command of git.

    A folder inside a working tree that looks like a bare repository came with that tree. It is
    never used, as with git's safe.bareRepository=explicit, unless the environment names it.
    """
    tree = None if git.names_repository else _tree_around(git.directory)
    if quickly and tree is not None:
        from recollect.ledger.on_disk import locate

        found = locate(tree, git.environment)
        if found is not None:
            bound = git.for_repository(found.git_dir)
            return Repository(bound, found.git_dir, found.common_dir, "sha1", found.branch)
    result = (git if tree is None else git.at(tree)).result(
        *(() if tree is None else ("-c", "safe.bareRepository=explicit")),
        "rev-parse",
        "--path-format=absolute",
        "--git-dir",
        "--git-common-dir",
        "--show-object-format",
        "--abbrev-ref",
        "HEAD",
        ok=(0, 128),
    )
    lines = result.stdout.decode("utf-8", "surrogateescape").removesuffix("\n").split("\n")
    if len(lines) < 3:
        _explain(result.stderr)
        return None
    if lines[2] not in _EMPTY_TREE:  # a path contains a line break: ask for one value at a time
        asked = ("--git-dir",), ("--git-common-dir",), ("--show-object-format",)
        lines = [_said(git, *words) for words in (*asked, ("--abbrev-ref", "HEAD"))]
        if lines[2] not in _EMPTY_TREE:
            raise GitFailed(f"git reports an unknown object format: {lines[2][:60]!r}")
    git_dir, common_dir = Path(lines[0]), Path(lines[1])
    branch = lines[3] if result.returncode == 0 and len(lines) > 3 else None
    return Repository(
        git=git.for_repository(git_dir),
        git_dir=git_dir,
        common_dir=common_dir,
        object_format=lines[2],
        branch=None if branch in ("HEAD", None) else branch,
    )


def _said(git: Git, *words: str) -> str:
    out = git.run("rev-parse", "--path-format=absolute", *words, ok=(0, 128))
    return out.decode("utf-8", "surrogateescape").removesuffix("\n")


def _tree_around(directory: Path) -> Path | None:
    """Return the nearest folder with a `.git`, whatever lies between."""
    for folder in (directory, *directory.parents):
        if (folder / ".git").exists():
            return folder
    return None


def head_of(repository: Repository) -> str | None:
    """Return the checked-out commit; None before the first one."""
    said = repository.git.run("rev-parse", "--verify", "--quiet", "HEAD", ok=(0, 1, 128))
    return said.decode("ascii", "replace").strip() or None


def _explain(stderr: bytes) -> None:
    """Raise an error that explains why git failed, unless there is just no repository here."""
    said = stderr.decode("utf-8", "replace")
    if "not a git repository" in said:
        return
    if "dubious ownership" in said:
        raise StorageError(
            "Git does not trust this repository, because another user owns it.",
            "To trust it, run: git config --global --add safe.directory PATH",
        )
    if "path-format" in said or "unknown option" in said:
        raise GitMissing("This git is too old.")
    raise GitFailed(f"git rev-parse failed: {said.strip() or 'no message'}")


def has_user_ledger(data_dir: Path) -> bool:
    """Whether the user ledger exists."""
    return (data_dir / USER_LEDGER / "HEAD").exists()


def open_user_ledger(git: Git, data_dir: Path) -> Repository:
    """Return the user ledger; create it on first use."""
    path = data_dir / USER_LEDGER
    if not has_user_ledger(data_dir):
        try:
            make_private(data_dir)
        except OSError as error:
            raise NotWritable(f"Cannot create the data directory: {error}") from None
        Git(data_dir, timeout=git.timeout).run(
            "init", "--quiet", "--bare", "--template=", "--initial-branch=main", str(path)
        )
    return Repository(
        git=Git(path, git_dir=path, timeout=git.timeout),
        git_dir=path,
        common_dir=path,
        object_format="sha1",
        is_user_ledger=True,
    )

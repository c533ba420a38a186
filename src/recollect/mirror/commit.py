"""Committing the mirror on the branch of the person who works there, and nothing else with it.

What is staged stays staged, the person's hooks and signature apply as in any commit of theirs, and
where a commit is out of place (in the middle of a merge, on no branch) none is made. A commit that
fails loses nothing: the files stay, and go into the next one.
"""

from __future__ import annotations

from recollect.errors import LockTimeout, RecollectError
from recollect.importing.document_folder import INDEX_PAGE, MANIFEST, MirrorFolder, is_file
from recollect.ledger.lock import exclusive
from recollect.ledger.repository import Repository, head_of
from recollect.store.store import Store

_LOCK = "mirror-commit.lock"
_SECONDS = 120.0  # the person's hooks may test and format
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "sequencer": "a cherry-pick or revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "BISECT_LOG": "a bisection",
}
_GIVEN = ("--pathspec-from-file=-", "--pathspec-file-nul")


def commit(store: Store, folder: MirrorFolder) -> list[str]:
    """Commit what changed in the mirror; what people should know of it, in sentences."""
    repository = store.ledger.repository
    try:
        why = _obstacle(repository)
        if not why:
            # Whoever is called by a hook of this commit must not begin another.
            with exclusive(repository.state_dir / _LOCK, 0.0):
                why = _commit(repository, folder)
    except LockTimeout:
        return []
    except RecollectError as error:
        why = error.message
    return [f"The mirror was not committed: {why}"] if why else []


def _obstacle(repository: Repository) -> str:
    for name, what in _UNDER_WAY.items():
        if (repository.git_dir / name).exists():
            return f"{what} is under way."
    if not repository.git.is_trusted:
        return (
            "this repository's own git configuration names programs. If they are yours, run:"
            " recollect config trust"
        )
    if head_of(repository) is None:
        return "the branch has no commit yet, and the first one is yours."
    if not repository.git.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1)).strip():
        return "no branch is checked out."
    return ""


def _commit(repository: Repository, folder: MirrorFolder) -> str:
    """Commit; why not, where that is impossible."""
    git, tree = repository.git, f"--work-tree={folder.root}"
    files = _changed(repository, folder)
    if not files:
        page = str(folder.path / MANIFEST)
        ignored = git.result(tree, "check-ignore", "--quiet", "--", page, ok=(0, 1, 128))
        return f"git ignores {folder.name}" if ignored.returncode == 0 else ""
    names = "\0".join(f":(top,literal){file}" for file in files).encode("utf-8", "surrogateescape")
    what = f"{len(files)} files" if len(files) > 1 else "1 file"
    message = f"recollect: memories in {folder.name} ({what})"
    try:
        git.run(tree, "add", "--all", *_GIVEN, stdin=names)
        git.run(
            *("-c", f"core.hooksPath={_hooks(repository)}"),
            *(tree, "commit", "--quiet", "--only", "--message", message, *_GIVEN),
            stdin=names,
            timeout=_SECONDS,
            personal=True,
        )
    except RecollectError:
        git.run(tree, "reset", "--quiet", *_GIVEN, stdin=names, ok=(0, 1, 128))
        raise
    return ""


def _changed(repository: Repository, folder: MirrorFolder) -> list[str]:
    """The files of the mirror that the branch does not have as they are."""
    said = repository.git.run(
        *(f"--work-tree={folder.root}", "status", "--porcelain=v1", "-z", "--no-renames"),
        *("--untracked-files=all", "--", f":(top,literal){folder.name}"),
    )
    lines = said.decode("utf-8", "surrogateescape").split("\0")
    return [line[3:] for line in lines if _is_ours(line[3:].removeprefix(f"{folder.name}/"))]


def _is_ours(path: str) -> bool:
    return path in (INDEX_PAGE, MANIFEST) or is_file(path)


def _hooks(repository: Repository) -> str:
    """Where the person's hooks are; our own commands run without any."""
    said = repository.git.run(
        "config", "--show-scope", "--type=path", "--null", "--get-all", "core.hooksPath", ok=(0, 1)
    )
    parts = said.decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(parts[::2], parts[1::2], strict=False)
    chosen = [path for scope, path in pairs if scope != "command"]
    return chosen[-1] if chosen else str(repository.common_dir / "hooks")

"""Commits the files of the mirror on the current branch, and nothing else with them.

Staged changes stay staged, and your hooks and signature apply as in any commit of yours. During a
merge, or without a branch, no commit is made. If a commit fails, nothing is lost: the files stay,
and the next commit includes them.
"""

from __future__ import annotations

from recollect.errors import LockTimeout, RecollectError
from recollect.importing.document_folder import INDEX_PAGE, MANIFEST, MirrorFolder, is_file
from recollect.ledger.lock import exclusive
from recollect.ledger.repository import Repository, head_of
from recollect.store.store import Store

_LOCK = "mirror-commit.lock"
_SECONDS = 120.0  # hooks may run tests and formatters
_IN_PROGRESS = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "sequencer": "a cherry-pick or revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "BISECT_LOG": "a bisection",
}
_FROM_STDIN = ("--pathspec-from-file=-", "--pathspec-file-nul")


def commit(store: Store, folder: MirrorFolder) -> list[str]:
    """Commit what changed in the mirror; return warnings for the user."""
    repository = store.ledger.repository
    try:
        why = _obstacle(repository)
        if not why:
            # A process that a hook of this commit starts must not start another commit.
            with exclusive(repository.state_dir / _LOCK, 0.0):
                why = _commit(repository, folder)
    except LockTimeout:
        return []
    except RecollectError as error:
        why = error.message
    return [f"Could not commit the mirror: {why}"] if why else []


def _obstacle(repository: Repository) -> str:
    for name, what in _IN_PROGRESS.items():
        if (repository.git_dir / name).exists():
            return f"{what} is in progress."
    if not repository.git.is_trusted:
        return (
            "this repository's own git configuration names programs. If they are yours, run:"
            " recollect config trust"
        )
    if head_of(repository) is None:
        return "the branch has no commit yet. Make the first one yourself."
    if not repository.git.run("symbolic-ref", "--quiet", "HEAD", ok=(0, 1)).strip():
        return "no branch is checked out."
    return ""


def _commit(repository: Repository, folder: MirrorFolder) -> str:
    """Commit the mirror; return why not if that is impossible."""
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
        git.run(tree, "add", "--all", *_FROM_STDIN, stdin=names)
        git.run(
            *("-c", f"core.hooksPath={_hooks(repository)}"),
            *(tree, "commit", "--quiet", "--only", "--message", message, *_FROM_STDIN),
            stdin=names,
            timeout=_SECONDS,
            personal=True,
        )
    except RecollectError:
        git.run(tree, "reset", "--quiet", *_FROM_STDIN, stdin=names, ok=(0, 1, 128))
        raise
    return ""


def _changed(repository: Repository, folder: MirrorFolder) -> list[str]:
    """Return the files of the mirror that differ from the branch."""
    output = repository.git.run(
        *(f"--work-tree={folder.root}", "status", "--porcelain=v1", "-z", "--no-renames"),
        *("--untracked-files=all", "--", f":(top,literal){folder.name}"),
    )
    lines = output.decode("utf-8", "surrogateescape").split("\0")
    return [line[3:] for line in lines if _is_ours(line[3:].removeprefix(f"{folder.name}/"))]


def _is_ours(path: str) -> bool:
    return path in (INDEX_PAGE, MANIFEST) or is_file(path)


def _hooks(repository: Repository) -> str:
    """Return the folder of the user's hooks; Recollect's own git commands run without hooks."""
    output = repository.git.run(
        "config", "--show-scope", "--type=path", "--null", "--get-all", "core.hooksPath", ok=(0, 1)
    )
    parts = output.decode("utf-8", "surrogateescape").split("\0")
    pairs = zip(parts[::2], parts[1::2], strict=False)
    chosen = [path for scope, path in pairs if scope != "command"]
    return chosen[-1] if chosen else str(repository.common_dir / "hooks")

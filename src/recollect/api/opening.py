"""Open the memory of a directory: the only place that wires the parts together.

The ledger and the store get their clock and their configuration from here, so that tests can
replace them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from recollect.api.recollect import Recollect
from recollect.config.config import Config, data_dir, load_config
from recollect.errors import ValidationError
from recollect.ledger.git import Git
from recollect.ledger.ledger import Ledger
from recollect.ledger.repository import (
    Repository,
    find_repository,
    has_user_ledger,
    open_user_ledger,
)
from recollect.redact.gate import project_name


def open_recollect(
    path: str | os.PathLike[str] | None = None, *, mine: bool = False, quickly: bool = False
) -> Recollect:
    """Open the memory of the repository around a path; outside of any repository, the user ledger.

    With `mine`, open the user ledger wherever you are: what belongs to you, not to a project.
    `quickly`, git is not asked what the files of the repository say, too.
    """
    environment = dict(os.environ)
    if path is not None:
        leave_named_repository(environment)
    directory = existing_directory(path)
    config = load_config(directory, environment)
    git = _git(directory, config, environment)
    repository = None if mine else find_repository(git, quickly=quickly)
    if repository is None:
        repository = open_user_ledger(git, data_dir(environment))
        project = None if mine else project_name(config, directory.resolve())
        return Recollect(_ledger(repository, config), config, project)
    ledger = _ledger(repository, config)
    ledger.asks_git_rarely = quickly
    return Recollect(
        ledger,
        config,
        open_personal=lambda: _personal(directory, config, git, environment),
    )


def open_stores(
    directory: Path, config: Config, environment: Mapping[str, str]
) -> tuple[Recollect, Recollect | None]:
    """The memory of the repository around a directory, and the user's own, if there is one.

    For hooks, which have no time to ask git what the files of the repository say, too.
    """
    git = _git(directory, config, environment)
    repository = find_repository(git, quickly=True)
    if repository is None:
        repository = open_user_ledger(git, data_dir(environment))
        project = project_name(config, directory.resolve())
        return Recollect(_ledger(repository, config), config, project), None
    personal = _personal(directory, config, git, environment)
    ledger = _ledger(repository, config)
    ledger.asks_git_rarely = True
    return Recollect(ledger, config, open_personal=lambda: personal), personal


def open_followed(
    path: Path, url: str, environment: Mapping[str, str], *, author: str = ""
) -> Recollect:
    """Open the mirror of a remote, for a server; what `author` writes there is theirs.

    No file of a working tree counts. A purge needs nobody's agreement here: the remote has it.
    """
    from recollect.ledger.following import open_mirror

    config = load_config(Path(path.anchor), {**environment, "RECOLLECT_SYNC_PURGE": "apply"})
    timeout = config.number("git.timeout")
    ledger = _ledger(open_mirror(path, url, environment, timeout), config)
    ledger.configured_author = author or ledger.configured_author
    return Recollect(ledger, config)


def _personal(
    directory: Path, config: Config, git: Git, environment: Mapping[str, str]
) -> Recollect | None:
    """The user's own memories, those of this project first, if the user ledger exists."""
    home = data_dir(environment)
    if not has_user_ledger(home):
        return None
    own = _ledger(open_user_ledger(git, home), config)
    return Recollect(own, config, project_name(config, directory.resolve()))


def _git(directory: Path, config: Config, environment: Mapping[str, str]) -> Git:
    def approved() -> str:
        from recollect.config.trust_store import trust_of

        return trust_of(config.home, directory).programs

    return Git(
        directory,
        timeout=config.number("git.timeout"),
        environment=environment,
        approved=approved,
    )


def leave_named_repository(environment: dict[str, str]) -> None:
    """Let a path that was asked for win over a repository that the environment names."""
    for name in ("GIT_DIR", "GIT_WORK_TREE"):
        environment.pop(name, None)


def existing_directory(path: str | os.PathLike[str] | None) -> Path:
    """The directory of a path, or the working directory; refused if it does not exist."""
    try:
        directory = Path.cwd() if path is None else Path(path).expanduser().absolute()
    except (FileNotFoundError, RuntimeError):
        raise ValidationError(
            f"There is no directory {path or 'here any more'}",
            "Go to one that exists, or name one.",
        ) from None
    try:
        is_there = directory.is_dir()
    except (OSError, ValueError):  # a name that no file system takes
        is_there = False
    if not is_there:
        raise ValidationError(f"There is no directory {directory}", "Name one that exists.")
    return directory


def _ledger(repository: Repository, config: Config) -> Ledger:
    return Ledger(
        repository,
        clock=lambda: datetime.now(UTC),
        lock_timeout=config.number("lock.timeout"),
        configured_author=config.text("author"),
        purge_policy=config.text("sync.purge"),
    )

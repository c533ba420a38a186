"""Opening the memory of a directory: the only place that wires the parts together.

Clock, environment and configuration are read here and nowhere else.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from recollect.app.config import data_dir, load_config
from recollect.app.recollect import Recollect
from recollect.errors import ValidationError
from recollect.ledger.git import Git
from recollect.ledger.ledger import Ledger
from recollect.ledger.repository import find_repository, open_user_ledger
from recollect.recall.cache import ResultCache


def open_recollect(
    path: str | os.PathLike[str] | None = None, *, long_lived: bool = False
) -> Recollect:
    """Open the memory of the repository around a path; outside of any, the user ledger.

    A process that lives long keeps answers for a while.
    """
    environment = dict(os.environ)
    if path is not None:
        # A path that was asked for counts more than a repository named by the surroundings.
        for name in ("GIT_DIR", "GIT_WORK_TREE"):
            environment.pop(name, None)
    try:
        directory = Path.cwd() if path is None else Path(path).expanduser().absolute()
    except (FileNotFoundError, RuntimeError):
        raise ValidationError(
            f"There is no directory {path or 'here any more'}", "Go to one that exists, or name it."
        ) from None
    if not directory.is_dir():
        raise ValidationError(f"There is no directory {directory}", "Name one that exists.")
    config = load_config(directory, environment)
    git = Git(directory, timeout=config.number("git.timeout"), environment=environment)
    repository = find_repository(git)
    project = None
    if repository is None:
        repository = open_user_ledger(git, data_dir(environment))
        project = str(directory.resolve())
    ledger = Ledger(
        repository,
        clock=lambda: datetime.now(UTC),
        lock_timeout=config.number("lock.timeout"),
        configured_author=config.text("author"),
    )
    return Recollect(ledger, config, project, ResultCache() if long_lived else None)

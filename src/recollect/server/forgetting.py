"""Deletes what a server has of a repository: its mirror, its part of the index, its row."""

from __future__ import annotations

import shutil

from recollect.errors import ValidationError
from recollect.server.database import Database
from recollect.server.indexes import Indexes
from recollect.server.mirrors import FOLDER
from recollect.server.settings import REPOSITORY, Settings


def forget(settings: Settings, database: Database, name: str) -> None:
    """Delete everything of a repository, and what tokens say about it."""
    if not REPOSITORY.match(name):
        raise ValidationError(f"{name[:60]!r} is not the name of a repository.")
    indexes = Indexes(settings.database)
    try:
        indexes.forget(name)
    finally:
        indexes.close()
    shutil.rmtree(settings.data / FOLDER / f"{name}.git", ignore_errors=True)
    database.run("delete from mirrors where repository = %s", name)
    database.run("update tokens set repositories = array_remove(repositories, %s)", name)

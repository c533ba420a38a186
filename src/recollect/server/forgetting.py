"""Deletes what a server has of a repository: its mirror, its part of the index, its row."""

from __future__ import annotations

import shutil

from recollect.errors import ServerError, ValidationError
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
    mirror = settings.data / FOLDER / f"{name}.git"
    try:
        shutil.rmtree(mirror)
    except FileNotFoundError:
        pass  # it was never fetched
    except OSError as error:
        # The rows above are gone. The name stays in tokens and in the table, so that it can be
        # forgotten again.
        raise ServerError(
            f"The mirror {mirror} cannot be deleted: {error.strerror or error}",
            "Delete it, or let this user delete it, and forget the repository again.",
        ) from None
    database.run("delete from mirrors where repository = %s", name)
    database.run("update tokens set repositories = array_remove(repositories, %s)", name)

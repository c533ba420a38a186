"""`recollect serve --check`: everything that a start needs, tried before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from recollect.errors import RecollectError, ServerError
from recollect.ledger.following import check_remote
from recollect.server.database import Database
from recollect.server.indexes import Indexes
from recollect.server.settings import Settings


def create_tables(settings: Settings) -> None:
    """Create the tables before any worker starts, so that an error belongs on the terminal."""
    database = Database(settings.database)
    try:
        database.migrate()
        Indexes(settings.database).close()
    finally:
        database.close()


def check_server(settings: Settings, environment: Mapping[str, str]) -> Iterator[str]:
    """Yield what is fine, and raise an error that says what is not."""
    yield f"{settings.path}: {len(settings.repositories)} repositories"
    create_tables(settings)
    yield "The database answers, and has the tables."
    settings.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    failed = []
    for one in settings.repositories:
        try:
            check_remote(settings.data, one.url, environment)
        except RecollectError as error:
            failed.append(one.name)
            yield f"{one.name}: {error.message} {error.hint}"
        else:
            yield f"{one.name}: the remote answers."
    if failed:
        raise ServerError(f"{len(failed)} remotes cannot be read: {', '.join(failed[:10])}.")

"""The checks of `doctor` around the memory: agents, model and sync."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from recollect.api.agent_checks import check_agents
from recollect.config.config import data_dir
from recollect.embedding.verified import forget
from recollect.errors import RecollectError
from recollect.ledger.health import OK, WARNING, Finding
from recollect.search.constants import MOST_PENDING
from recollect.store.store import Store


def check_model(store: Store) -> Iterator[Finding]:
    """Check that the model is the released one, and that every memory has its vectors."""
    if store.config.text("embedding.model") == "none":
        yield Finding(OK, "model", "embedding.model is none: search uses words only.")
        return
    forget(data_dir(os.environ))
    embedder = store.indexing.embedder
    if embedder is None:  # the warning of `embedder` is among the notices
        yield Finding(WARNING, "model", "Search by meaning does not work here; see the notice.")
        return
    pending = store.indexing.fresh().count_pending(embedder.name)
    if pending:
        # A search computes a few by itself.
        yield Finding(
            WARNING if pending > MOST_PENDING else OK,
            "model",
            f"{embedder.name}: {pending} of the memories have no vectors yet.",
            "To compute them, run: recollect reindex",
        )
    else:
        yield Finding(OK, "model", embedder.name)


def check_database(store: Store) -> Iterator[Finding]:
    """Check that the database of `index.url` answers, and who answers instead."""
    team = store.indexing.team
    if team is None:
        return
    store.indexing.fresh()
    if team.problem:
        yield Finding(
            WARNING,
            "database",
            f"{team.address} is not in use. {team.problem}",
            "Until it is, the index in this clone answers.",
        )
    else:
        yield Finding(OK, "database", f"The index is at {team.address}.")


def check_sync(store: Store) -> Iterator[Finding]:
    """Check that there is a remote to sync with, and what it does not have yet."""
    if store.ledger.repository.is_user_ledger:
        return
    from recollect.ledger.refs import REMOTES, list_tips
    from recollect.ledger.remote import find_remote, unsent_notes

    try:
        remote = find_remote(store.ledger.repository.git, store.config.text("sync.remote") or None)
    except RecollectError as error:
        yield Finding(OK, "sync", f"{error.message} Memories stay in this clone.", error.hint)
        return
    waiting = unsent_notes(store.ledger, remote)
    if waiting:
        yield Finding(
            OK,
            "sync",
            f"{'1 note is' if waiting == 1 else f'{waiting} notes are'} not on"
            f" {remote.address} yet.",
            f"To send {'it' if waiting == 1 else 'them'}, run: recollect sync",
        )
    elif not list_tips(store.ledger.repository.git, REMOTES):
        yield Finding(
            OK,
            "sync",
            f"This clone has never synced with {remote.address}.",
            "To get what others remember, run: recollect sync",
        )
    else:
        yield Finding(OK, "sync", f"{remote.address} has every shared note, as of the last sync.")


SETUP: tuple[Callable[[Store], Iterator[Finding]], ...] = (
    check_agents,
    check_model,
    check_database,
    check_sync,
)

"""Facts of one clone and of two."""

from __future__ import annotations

from recollect.api.recollect import Recollect
from recollect.facts.facts import query_facts
from tests.sandbox import Sandbox


def objects(store: Recollect, **query: object) -> list[str]:
    """What a query says."""
    return [found.fact.object for found in query_facts(store, **query)]  # type: ignore[arg-type]


def two_clones(sandbox: Sandbox) -> tuple[Recollect, Recollect]:
    """Two clones of one hub."""
    sandbox.make_hub()
    return sandbox.open(sandbox.clone("ada")), sandbox.open(sandbox.clone("bob"))


def exchange(first: Recollect, second: Recollect) -> None:
    """Both know what either knew."""
    for store in (first, second, first):
        store.sync()

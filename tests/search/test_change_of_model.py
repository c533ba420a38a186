"""After a change of model: a query is compared with vectors of its own model, or with none."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from recollect.api.recollect import Recollect
from recollect.engine.stores import StorePool
from recollect.search.constants import MOST_PENDING
from recollect.typed.write import choose_candidate
from tests.sandbox import Sandbox
from tests.support.models import OneVector
from tests.support.serving import Talk

OLD, NEW = "old@1", "new@2"


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with more memories than a search embeds, with vectors of the old model."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    store = sandbox.open(path)
    store.capture_many(
        [{"kind": "notes", "summary": f"Valve {n} is open"} for n in range(MOST_PENDING + 1)]
    )
    store.indexing.share_embedder(OneVector(OLD))
    store.reindex()
    return path


def opened(sandbox: Sandbox, repo: Path, model: str) -> Recollect:
    """The memory as a process with this model opens it."""
    store = sandbox.open(repo)
    store.indexing.share_embedder(OneVector(model))
    return store


def model_of(store: Recollect) -> str | None:
    """The model that the vectors are of."""
    return store.indexing.fresh().model()


def test_a_search_uses_words_only_and_says_what_to_run(sandbox: Sandbox, repo: Path) -> None:
    """Once, and not any more after that was run."""
    store = opened(sandbox, repo, NEW)

    found = [*store.search("valve 7", weaker=True), *store.search("valve 8", weaker=True)]
    assert found
    assert {hit.why.vector for hit in found} == {0.0}
    (warning,) = store.warnings
    assert OLD in warning
    assert "recollect reindex" in warning

    store.reindex()
    again = opened(sandbox, repo, NEW)
    assert max(hit.why.vector for hit in again.search("valve 7", weaker=True)) > 0.0
    assert again.warnings == []


@pytest.mark.parametrize(("model", "is_used"), [(OLD, True), (NEW, False)])
def test_a_hook_uses_words_only(sandbox: Sandbox, repo: Path, model: str, *, is_used: bool) -> None:
    """It does not even ask the model, and says nothing."""
    pool, embedder = StorePool(), OneVector(model)
    pool.share_embedder(embedder)

    try:
        said = Talk(repo, pool=pool).say("Which of the valves is open at night?")
    finally:
        pool.close()

    assert bool(embedder.texts) is is_used
    assert "reindex" not in said
    assert model_of(sandbox.open(repo)) == OLD


def test_two_processes_do_not_drop_each_others_vectors(sandbox: Sandbox, repo: Path) -> None:
    """Whoever changed the model last wins for hours; a user who says so wins at once."""
    old, new = opened(sandbox, repo, OLD), opened(sandbox, repo, NEW)

    assert new.indexing.embed_pending(new.indexing.fresh()) == MOST_PENDING + 1
    assert old.indexing.embed_pending(old.indexing.fresh()) == 0
    assert model_of(old) == NEW

    old.reindex()
    assert model_of(new) == OLD
    assert new.indexing.embed_pending(new.indexing.fresh()) == 0

    with apsw.Connection(str(new.indexing.path)) as db:
        db.execute("UPDATE meta SET value = value - 86400 WHERE key = 'switched'")
    assert new.indexing.embed_pending(new.indexing.fresh()) == MOST_PENDING + 1


@pytest.mark.parametrize(("model", "is_found"), [(NEW, True), (OLD, False)])
def test_new_information_is_not_matched_by_vectors_of_another_model(
    sandbox: Sandbox, repo: Path, model: str, *, is_found: bool
) -> None:
    """A memory without a common word is found by meaning, or not at all."""
    opened(sandbox, repo, OLD).capture("decisions", "Use PostgreSQL for persistence")
    opened(sandbox, repo, NEW).reindex()  # so new that a process with the old model leaves them

    choice = choose_candidate(opened(sandbox, repo, model), "decisions", "Where rows are kept")

    assert (choice.candidate is not None) is is_found

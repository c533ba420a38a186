"""The vectors of commits: questions in other words, interruptions, changes, and purges."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from recollect.embedding import Embedder, open_embedder
from recollect.importing import past_commits
from recollect.search.past_commits import _fused
from recollect.store import commit_index
from recollect.store.commit_index import FoundCommit
from tests.sandbox import Sandbox
from tests.support.models import OneVector

_LOGIN = (
    "session: keep people signed in after an upgrade\n\nThe token was bound to the version, so that"
    " everybody had to enter the password again after each release."
)
_CACHE = (
    "cache: evict the oldest entry first\n\nThe newest entries are read again within a minute,"
    " because the page reloads them."
)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    """The model that comes with Recollect."""
    found = open_embedder("default", threads=1)
    assert found is not None
    return found


def _vectors(repo: Path) -> list[tuple[str, bytes]]:
    path = repo / ".git" / "recollect" / "history.db"
    with closing(apsw.Connection(str(path))) as db:
        rows = db.execute("SELECT oid, vector FROM vectors JOIN commits USING (key) ORDER BY key")
        return list(rows)


def test_a_question_in_other_words_finds_a_commit(sandbox: Sandbox, embedder: Embedder) -> None:
    """Before, only its words would; what is about something else is not near."""
    repo = sandbox.init("repo")
    oid = sandbox.commit(repo, _LOGIN)
    sandbox.commit(repo, _CACHE)
    sandbox.commit(repo, "Merge branch 'x'")
    store = sandbox.open(repo)
    store.indexing.share_embedder(embedder)
    question = "Why did users have to log in again whenever we shipped?"
    store.index_history()
    assert store.search_history(question) == []
    assert store.embed_history() == 2  # a merge needs no vector
    (found,) = store.search_history(question)
    assert found.commit == oid
    assert store.search_history("pasta with tomatoes") == []
    assert store.embed_history() == 0


def test_words_and_meaning_count_together(sandbox: Sandbox, embedder: Embedder) -> None:
    """The commit that both find comes first, and one that words alone find is not lost."""
    repo = sandbox.init("repo")
    oid = sandbox.commit(repo, _LOGIN)
    bare = sandbox.commit(repo, "upgrade: print the version of the token")
    store = sandbox.open(repo)
    store.indexing.share_embedder(embedder)
    store.index_history()
    store.embed_history()
    found = [one.commit for one in store.search_history("token bound to the version at upgrade")]
    assert found == [oid, bare]


class _Interrupted(OneVector):
    """A model that is interrupted in its second call."""

    calls = 0

    def embed(self, texts: Sequence[str], pause: object = None) -> list[bytes]:
        """Return a vector for each text, once."""
        self.calls += 1
        if self.calls == 2:
            raise KeyboardInterrupt
        return super().embed(texts)


def test_an_interruption_loses_little(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is computed is kept, and the next run goes on, those that tell most first."""
    monkeypatch.setattr(past_commits, "_AT_ONCE", 1)
    repo = sandbox.init("repo")
    for number in range(3):
        sandbox.commit(repo, _CACHE.replace("oldest", f"oldest {number}"))
    store = sandbox.open(repo)
    store.indexing.share_embedder(_Interrupted("one@1"))
    store.index_history()
    seen: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        store.embed_history(seen.append)
    assert (seen, len(_vectors(repo))) == ([1], 1)
    assert store.embed_history(seen.append) == 2
    assert (seen, len(_vectors(repo))) == ([1, 1, 2], 3)


def test_a_purged_commit_has_no_vector(sandbox: Sandbox) -> None:
    """Nor has one that is no longer in the history."""
    repo = sandbox.init("repo")
    first = sandbox.commit(repo, _CACHE)
    second = sandbox.commit(repo, _LOGIN)
    store = sandbox.open(repo)
    store.indexing.share_embedder(OneVector("one@1"))
    store.index_history()
    store.embed_history()
    assert [oid for oid, _ in _vectors(repo)] == [second, first]
    commit_index.erase(store.ledger.repository, [second])
    assert [oid for oid, _ in _vectors(repo)] == [first]
    sandbox.git(repo, "commit", "-q", "--amend", "--allow-empty", "-m", "Start")
    store.index_history()
    store.embed_history()
    assert [oid for oid, _ in _vectors(repo)] == [first]


def test_another_model_computes_all_again(sandbox: Sandbox) -> None:
    """Vectors of different models do not compare; until then, words find."""
    repo = sandbox.init("repo")
    oid = sandbox.commit(repo, _CACHE)
    store = sandbox.open(repo)
    store.indexing.share_embedder(OneVector("old@1"))
    store.index_history()
    store.embed_history()
    store.indexing.share_embedder(OneVector("new@1"))
    assert store.search_history("pasta with tomatoes") == []
    assert [one.commit for one in store.search_history("evict the oldest entry")] == [oid]
    assert store.embed_history() == 1


def test_only_so_many_commits_get_one(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that tell most; a better one takes the place of another."""
    monkeypatch.setattr(past_commits, "MOST_VECTORS", 1)
    repo = sandbox.init("repo")
    sandbox.commit(repo, _CACHE)
    store = sandbox.open(repo)
    store.indexing.share_embedder(OneVector("one@1"))
    store.index_history()
    store.embed_history()
    better = sandbox.commit(
        repo,
        "Drop support for the old backend\n\nWe decided to remove it, because nobody used it and"
        " it caused crashes. It was not maintained, and two ways confused users.",
    )
    store.index_history()
    assert store.embed_history() == 1
    assert [oid for oid, _ in _vectors(repo)] == [better]


def test_without_a_model_there_are_none(sandbox: Sandbox) -> None:
    """Words find as before."""
    repo = sandbox.init("repo")
    oid = sandbox.commit(repo, _CACHE)
    store = sandbox.open(repo)
    store.indexing.share_embedder(None)
    assert store.embed_history() == 0  # nothing was read
    store.index_history()
    assert store.embed_history() == 0
    assert [one.commit for one in store.search_history("evict the oldest entry")] == [oid]


def test_chores_get_a_vector_last(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """They have one, too, if there is room."""
    repo = sandbox.init("repo")
    sandbox.commit(repo, "docs: name the cache\n\nThe manual had another name for it.")
    oid = sandbox.commit(repo, _CACHE)
    store = sandbox.open(repo)
    store.indexing.share_embedder(OneVector("one@1"))
    store.index_history()
    monkeypatch.setattr(past_commits, "MOST_VECTORS", 1)
    assert store.embed_history() == 1
    assert [one for one, _ in _vectors(repo)] == [oid]
    monkeypatch.setattr(past_commits, "MOST_VECTORS", 2)
    assert store.embed_history() == 1


def test_what_is_only_a_subject_gets_a_vector_last(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest first, and what is trivial never, however much room there is."""
    repo = sandbox.init("repo")
    told = sandbox.commit(repo, _CACHE)
    chore = sandbox.commit(repo, "docs: name the cache\n\nThe manual had another name for it.")
    revert = sandbox.commit(repo, 'Revert "Avoid allocations in the loop by using a pool"')
    old = sandbox.commit(repo, "Close the socket of the plugin to prevent a memory leak")
    new = sandbox.commit(repo, "Remove the private key from the log of the server")
    for trivial in (
        "Bump golang.org/x/net from 0.36.0 to 0.37.0",
        "Update go-acme/lego to v4.14.0",
        "Prepare release v3.3.4",
        "Merge branch v2.11 into v3.0",
        'Revert "Prepare release v3.3.4"',
        "Merge current v3.0 into master",
        "Fix typo in the manual of the cache",
        "Version 3.0.1",
        "v3.0.2",
    ):
        sandbox.commit(repo, trivial)
    store = sandbox.open(repo)
    store.indexing.share_embedder(OneVector("one@1"))
    store.index_history()
    monkeypatch.setattr(past_commits, "MOST_VECTORS", 3)
    assert (past_commits.count_pending(store), store.embed_history()) == (3, 3)
    assert {oid for oid, _ in _vectors(repo)} == {told, chore, new}
    monkeypatch.setattr(past_commits, "MOST_VECTORS", 100)
    assert (past_commits.count_pending(store), store.embed_history()) == (2, 2)
    assert {oid for oid, _ in _vectors(repo)} == {told, chore, new, old, revert}
    assert (past_commits.count_pending(store), store.embed_history()) == (0, 0)


def test_a_word_by_chance_does_not_come_before_the_meaning() -> None:
    """A place among the words counts by the share of the question that a commit has."""
    chance, meant, both = (
        FoundCommit(name, 0, "Ada", name, "", 1.0, share, 1, cosine)
        for name, share, cosine in (("chance", 0.34, 0.0), ("meant", 0.0, 0.5), ("both", 0.9, 0.4))
    )
    assert [one.oid for one in _fused([chance], [meant])] == ["meant", "chance"]
    assert [one.oid for one in _fused([both, chance], [meant, both])] == ["both", "meant", "chance"]


def test_what_only_comes_near_does_not_come_before_the_words() -> None:
    """While few commits have a vector, the nearest of them are not near."""
    named = FoundCommit("named", 0, "Ada", "named", "", 1.0, 0.7, 3, 0.0)
    near = [FoundCommit(f"near{n}", 0, "Ada", "near", "", 0.0, 0.0, 0, 0.45) for n in range(5)]
    assert _fused([named], near)[0].oid == "named"

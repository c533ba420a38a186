"""The plan of an import: what is new, what is known, what changed, what is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.core.unconfirmed import VIA_IMPORT
from recollect.errors import ValidationError
from recollect.importing import collect, plan
from tests.sandbox import Sandbox
from tests.support.history import RULES, with_past


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a past."""
    return with_past(sandbox)


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, still empty."""
    return sandbox.open(repo)


def learn(store: Recollect, *sources: str) -> str:
    """Import everything, or from some sources; the name of the run."""
    return store.run_import(store.plan_import(sources or None)).run


def titles(store: Recollect) -> set[str]:
    """What is remembered, confirmed or not."""
    return {memory.summary for memory in store.memories()}


def test_a_plan_writes_nothing_and_a_run_writes_the_plan(
    sandbox: Sandbox, store: Recollect, repo: Path
) -> None:
    """A dry run is exactly what the run does."""
    before = sandbox.trees(repo)
    made = store.plan_import()
    assert sandbox.trees(repo) == before
    assert not titles(store)
    store.run_import(made)
    assert titles(store) == {planned.item.summary for planned in made.kept}
    assert len(made.kept) == 7


def test_imported_memories_say_where_they_come_from(store: Recollect) -> None:
    """A rule is active; what was extracted is unconfirmed, and does not wait for review."""
    learn(store)
    for memory in store.memories(status="all"):
        assert str(memory.provenance["via"]).startswith(VIA_IMPORT)
        assert memory.author is None
        assert memory.branch is None
    assert {m.provenance["via"] for m in store.memories(status="active")} == {
        "import:instructions",
        "import:docs",
    }
    assert store.memories(status="unconfirmed")
    assert store.unconfirmed() == []


def test_a_second_run_adds_nothing(sandbox: Sandbox, store: Recollect, repo: Path) -> None:
    """Nor does one in another process, or in another clone after a sync."""
    learn(store)
    before = sandbox.trees(repo)
    again = sandbox.open(repo).plan_import()
    assert again.kept == []
    assert sum(source.known for source in again.sources) == 7
    assert learn(store) == ""
    assert sandbox.trees(repo) == before


def test_two_clones_import_the_same(sandbox: Sandbox, store: Recollect, repo: Path) -> None:
    """Rules and decisions are shared, so both must write the same record."""
    other = sandbox.root / "other"
    sandbox.git(sandbox.root, "clone", "--quiet", str(repo), str(other))
    learn(store)
    learn(sandbox.open(other))
    mine = {memory.uid for memory in store.memories(status="active")}
    assert mine == {memory.uid for memory in sandbox.open(other).memories(status="active")}
    assert mine


def test_a_changed_source_changes_its_memory(store: Recollect, repo: Path) -> None:
    """The identity stays; what a person changed in the memory stays, too."""
    learn(store)
    text = RULES.replace("before you commit anything", "before you commit anything. Always")
    (repo / "CLAUDE.md").write_text(text.replace("in a test.", "in a test. It is slow."))
    mine = next(m for m in store.memories() if m.summary.startswith("Never"))
    store.update(mine.uid, summary="Never call the network at all")
    made = store.plan_import(["instructions"])
    assert [planned.action for planned in made.kept] == ["update"]
    assert made.sources[0].left_out["changed here and in the source"] == 1
    store.run_import(made)
    changed = next(m for m in store.memories() if m.summary.startswith("Run"))
    assert "Always" in changed.body
    assert "Never call the network at all" in titles(store)
    assert store.plan_import(["instructions"]).kept == []


def test_a_removed_item_is_said_and_stays(store: Recollect, repo: Path) -> None:
    """The person decides."""
    learn(store)
    (repo / "CLAUDE.md").write_text("# Guide\n")
    (source,) = store.plan_import(["instructions"]).sources
    assert len(source.removed) == 2
    assert "Never call the network in a test" in titles(store)


def test_what_was_rejected_or_is_known_is_left_out(store: Recollect) -> None:
    """As everywhere."""
    store.capture("constraints", "Never call the network in a test")
    dropped = "Drop support for Python 3.8 in the scheduler"
    learn(store, "git")
    store.reject([next(m.id for m in store.memories(status="unconfirmed") if m.summary == dropped)])
    made = store.plan_import()
    assert dropped not in {planned.item.summary for planned in made.kept}
    reasons = {source.source: dict(source.left_out) for source in made.sources}
    assert reasons["instructions"]["already remembered"] == 1
    assert reasons["git"]["retired here"] == 1


def test_limits_keep_rules_and_the_best(store: Recollect, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report counts what is left out."""
    monkeypatch.setattr(plan, "MOST_IN_TOTAL", 4)
    made = store.plan_import()
    assert len(made.kept) == 4
    assert [p.item.summary for p in made.kept if p.item.is_rule] == [
        "Run `make test` before you commit anything",
        "Never call the network in a test",
        "We decided to use PostgreSQL for the cart",
    ]
    assert sum(source.left_out.get(collect.TOO_MANY, 0) for source in made.sources) == 3


def test_a_path_belongs_to_one_source(store: Recollect) -> None:
    """And an unknown source is refused with the names of the others."""
    with pytest.raises(ValidationError, match="belongs to one source"):
        store.plan_import(None, "docs")
    with pytest.raises(ValidationError, match="no source 'nothing'"):
        store.plan_import(["nothing"])
    (source,) = store.plan_import(["docs"], "docs").sources
    assert [planned.item.kind for planned in source.kept] == ["decisions"]


def test_old_memories_do_not_expire(store: Recollect) -> None:
    """They were old when they came."""
    learn(store)
    assert store.lifecycle(dry_run=True).steps == ()
    hits = store.search("why was Python 3.8 dropped from the scheduler")
    assert hits[0].memory.summary == "Drop support for Python 3.8 in the scheduler"

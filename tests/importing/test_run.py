"""A run survives a kill at any moment, and can be undone as a whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recollect.api.recollect import Recollect
from recollect.cli import root
from recollect.errors import NothingToUndo
from tests.sandbox import Sandbox
from tests.support.history import with_past

_FILLERS = 12
_SLOW = """
import os, signal, sys
import recollect
from recollect.importing import run
from recollect.store.store import Store

run.BATCH = 4
batches = int(sys.argv[1])
write = Store.write

def killed(self, writes, reason):
    global batches
    if batches == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    batches -= 1
    return write(self, writes, reason)

Store.write = killed
store = recollect.open()
store.run_import(store.plan_import())
"""


def kill_after(repo: Path, batches: int) -> None:
    """Import in another process, and kill it before it writes the next batch."""
    done = subprocess.run(
        [sys.executable, "-c", _SLOW, str(batches)], cwd=repo, capture_output=True, timeout=120
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def alive(store: Recollect) -> list[str]:
    """The titles of what is remembered, confirmed or not."""
    return sorted(memory.summary for memory in store.memories())


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a past."""
    return with_past(sandbox, fillers=_FILLERS)


@pytest.fixture
def whole(sandbox: Sandbox, repo: Path) -> list[str]:
    """What an import that nobody disturbs keeps."""
    copy = sandbox.root / "copy"
    sandbox.git(sandbox.root, "clone", "--quiet", str(repo), str(copy))
    store = sandbox.open(copy)
    store.run_import(store.plan_import())
    return alive(store)


def test_a_killed_run_is_listed_as_such(repo: Path) -> None:
    """Until the next import knows what it wrote, nobody says that it wrote all that it planned."""
    kill_after(repo, 1)
    killed = CliRunner().invoke(root, ["-C", str(repo), "undo"]).stdout
    assert "it has not ended, or was stopped: at most " in killed
    CliRunner().invoke(root, ["-C", str(repo), "learn", "--yes"])
    listed = CliRunner().invoke(root, ["-C", str(repo), "undo"]).stdout
    assert "at most" not in listed
    assert "import-1" in listed


@pytest.mark.parametrize("kills", [(0,), (1,), (2, 1), (1, 0, 2)])
def test_killed_and_repeated_it_is_whole(
    sandbox: Sandbox, repo: Path, whole: list[str], kills: tuple[int, ...]
) -> None:
    """What one that was killed has written, the next one finds; nothing is there twice."""
    for batches in kills:
        kill_after(repo, batches)
    store = sandbox.open(repo)
    assert len(alive(store)) == 4 * sum(kills)
    store.run_import(store.plan_import())
    assert alive(store) == whole
    assert [finding.level for finding in store.verify()] == ["ok"]


@pytest.mark.parametrize("kills", [(1,), (2, 1)])
def test_killed_and_undone_nothing_is_left(
    sandbox: Sandbox, repo: Path, whole: list[str], kills: tuple[int, ...]
) -> None:
    """Each run takes back what it wrote and nothing else; then everything can come again."""
    for batches in kills:
        kill_after(repo, batches)
    store = sandbox.open(repo)
    store.run_import(store.plan_import())
    names = [one.name for one in store.runs()]
    assert len(names) == len(kills) + 1
    left = len(whole)
    for name in names:
        left -= len(store.undo_import(name).reversals)
        assert len(alive(store)) == left
    assert left == 0
    assert store.runs() == []
    again = store.plan_import()
    assert {planned.action for planned in again.kept} == {"restore"}
    store.run_import(again)
    assert alive(store) == whole


def test_an_undo_skips_what_a_person_changed(sandbox: Sandbox, repo: Path) -> None:
    """And an undone import has rejected nothing."""
    store = sandbox.open(repo)
    name = store.run_import(store.plan_import()).run
    mine = next(m for m in store.memories() if m.summary.startswith("Never"))
    store.update(mine.uid, summary="Never call the network at all")
    done = store.undo_import(name)
    assert [kept.memory.uid for kept in done.kept] == [mine.uid]
    assert alive(store) == ["Never call the network at all"]
    assert len(store.plan_import().kept) == len(done.reversals)


def test_only_an_import_is_undone_by_that_name(sandbox: Sandbox, repo: Path) -> None:
    """Anything else is refused, with the names that can be."""
    store = sandbox.open(repo)
    with pytest.raises(NothingToUndo, match="no import 'import-9'"):
        store.undo_import("import-9")
    store.capture("notes", "Something else")
    with pytest.raises(NothingToUndo):
        store.undo_import("sleep-1")


def test_a_plan_that_somebody_else_wrote_meanwhile_adds_nothing(
    sandbox: Sandbox, repo: Path
) -> None:
    """Two terminals, one plan each."""
    store = sandbox.open(repo)
    made = store.plan_import()
    sandbox.open(repo).run_import(made)
    assert store.run_import(made).run == ""


def test_a_run_beside_another_one_can_be_undone(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the other one takes for killed, because it has written nothing yet, goes on."""
    store, beside = sandbox.open(repo), sandbox.open(repo)
    made = store.plan_import(["instructions"])
    write = store.write

    def late(*given: Any) -> Any:
        beside.run_import(beside.plan_import(["git"]))
        return write(*given)

    monkeypatch.setattr(store, "write", late)
    assert store.run_import(made).run == "import-1"

    for run in beside.runs():
        beside.undo_import(run.name)
    assert len(beside.runs()) == 0
    assert alive(beside) == []


def test_every_process_plans_the_same(repo: Path) -> None:
    """Whatever order its sets have: a plan that differs would change memories at each run."""
    code = "import recollect; print(recollect.open().plan_import().as_json())"
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=repo,
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1

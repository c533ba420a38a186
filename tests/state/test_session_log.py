"""What is kept about a session until its summary is written."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from recollect.state.database import MIGRATIONS, open_state
from recollect.state.session_log import Due, SessionLog
from recollect.state.sessions import Sessions

DAY = 86_400.0


@pytest.fixture
def db() -> apsw.Connection:
    """An empty state."""
    return open_state(None)


@pytest.fixture
def log(db: apsw.Connection) -> SessionLog:
    """Its log."""
    return SessionLog(db)


def test_what_happened_since_the_last_summary(db: apsw.Connection, log: SessionLog) -> None:
    """An end counts as something that happened; the session that starts does not."""
    log.set_goal("s1", "Round half up", 10.0)
    log.add("s2", "changed a.py", 20.0)
    assert log.due("s1") == [Due("s2", 20.0, 20.0, None)]
    (one, other) = log.due("new")
    assert (one.session, other.session) == ("s2", "s1")

    log.mark_summarised(one)
    assert [due.session for due in log.due("new")] == ["s1"]
    Sessions(db).end("s2", 30.0)
    assert {due.session for due in log.due("new")} == {"s1", "s2"}
    log.mark_summarised(next(due for due in log.due("new") if due.session == "s2"))
    log.add("s2", "changed b.py", 40.0)
    assert log.due("new")[0] == Due("s2", 20.0, 40.0, 30.0)


def test_a_log_is_kept_for_a_month(log: SessionLog) -> None:
    """Weeks later a session is still summed up; what nobody needs any more is deleted."""
    log.add("s1", "changed a.py", 1.0)
    log.add("s2", "changed b.py", 29 * DAY)
    assert [due.session for due in log.due("new")] == ["s2", "s1"]

    log.add("s2", "changed b.py", 31 * DAY)
    assert [due.session for due in log.due("new")] == ["s2"]
    assert log.entries("s1") == []


def test_taking_back_the_last_turn(log: SessionLog) -> None:
    """Only what was reported since the last prompt, and only in that session."""
    log.add("s1", "done: one", 1.0)
    log.add("s1", "turn a", 2.0)
    log.add("s1", "done: two", 3.0)
    log.add("s1", "changed a.py", 4.0)
    log.add("s2", "done: two", 5.0)

    log.take_back("s1", ("done: ", "commit made: "))

    assert [what for _, what in log.entries("s1")] == ["done: one", "turn a", "changed a.py"]
    assert [what for _, what in log.entries("s2")] == ["done: two"]


def test_what_is_open_is_replaced(log: SessionLog) -> None:
    """The last answer counts."""
    log.set_open("s1", ["Add a test", "Round the tax"], 1.0)
    log.set_open("s1", ["Round the tax"], 2.0)

    assert [what for _, what in log.entries("s1")] == ["open: Round the tax"]


def test_a_state_of_the_last_version(tmp_path: Path) -> None:
    """What was summed up stays so, and what was not is."""
    path = tmp_path / "usage.db"
    old = apsw.Connection(str(path))
    before = next(n for n, step in enumerate(MIGRATIONS) if "summed_to" in step)
    for step in MIGRATIONS[:before]:
        old.execute(step)
    old.execute(f"PRAGMA user_version = {before}")
    old.execute("INSERT INTO goal VALUES ('done', 1.0, '', 1), ('open', 2.0, 'Round', 0)")
    old.execute("INSERT INTO reading VALUES ('done', 'talk', 7, 1.0)")
    old.close()

    log = SessionLog(open_state(path))

    assert [due.session for due in log.due("new")] == ["open"]
    assert log.goal("open") == "Round"

"""Sessions, injections, files and lines: what `Recollect` says about its own past."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.state.sessions import Trace
from tests.sandbox import Sandbox


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a file in a folder."""
    path = sandbox.init("shop")
    (path / "src").mkdir()
    (path / "src" / "store.py").write_text("ENGINE = 1\n\ndef save():\n    pass\n")
    sandbox.git(path, "add", ".")
    sandbox.git(path, "commit", "-q", "-m", "Store orders")
    return path


@pytest.fixture
def store(repo: Path, sandbox: Sandbox) -> Recollect:
    """Its memory."""
    return sandbox.open(repo)


def test_sessions_say_what_they_got_and_kept(store: Recollect) -> None:
    """From the traces of hooks; what is only planned, such as a budget, does not count."""
    memory = store.capture("decisions", "Use PostgreSQL", session="s1")
    steps: list[dict[str, Any]] = [
        {"what": "budget", "tokens": 1000},
        {"what": "injected", "tokens": 40, "memories": [{"uid": memory.uid, "score": 0.9}]},
        {"what": "captured", "uids": [memory.uid]},
    ]
    store.local.sessions.begin("s1", 100.0)
    store.local.sessions.trace(Trace(110.0, "s1", "prompt", 25.0, steps))
    store.local.sessions.trace(Trace(120.0, "s2", "prompt", 5.0, []))
    store.local.sessions.end("s1", 130.0)
    store.local.session_log.set_goal("s1", "Choose a database", 105.0)

    first, second = store.sessions()
    report = store.session_report("s1")

    assert (first.id, first.goal, first.began, first.ended) == (
        "s1", "Choose a database", 100.0, 130.0,
    )  # fmt: skip
    assert (first.events, first.injected, first.kept, first.tokens) == (1, 1, 1, 40)
    assert (second.id, second.ended) == ("s2", None)
    assert [one.id for one in store.sessions(1)] == ["s1"]
    assert report is not None
    assert [memory.uid for memory in report.learnt] == [memory.uid]
    assert [trace.event for trace in report.traces] == ["prompt"]
    assert store.session_report("nobody") is None


def test_spending_says_what_each_day_cost_and_what_was_used(store: Recollect) -> None:
    """Tokens by day; a memory is used if the same session cited it, also on a later day."""
    one, other = (store.capture("notes", text) for text in ("Use PostgreSQL", "Use uv"))
    day = 86_400.0

    def given(at: float, session: str, *uids: str) -> None:
        memories = [{"uid": uid, "score": 0.9} for uid in uids]
        step = {"what": "injected", "tokens": 30, "memories": memories}
        titles = {"what": "titles", "tokens": 5, "count": 2}
        store.local.sessions.trace(Trace(at, session, "prompt", 1.0, [step, titles]))

    given(10 * day, "s1", one.uid, other.uid)
    given(12 * day, "s2", one.uid)
    cited = [{"what": "cited", "uids": [one.uid]}]
    store.local.sessions.trace(Trace(13 * day, "s1", "stop", 1.0, cited))

    found = store.spending()

    assert [(spent.tokens, spent.given, spent.used) for spent in found] == [
        (35, 2, 1),
        (35, 1, 0),
        (0, 0, 0),
    ]
    assert [spent.day for spent in found] == sorted(spent.day for spent in found)


def test_injections_say_which_session_used_a_memory(store: Recollect) -> None:
    """As a title or in full, cited or not."""
    memory = store.capture("decisions", "Use PostgreSQL")
    sessions = store.local.sessions
    sessions.give("s1", [(memory.uid, memory.version)], 10.0)
    sessions.give("s2", [(memory.uid, "title of " + memory.version)], 20.0)
    sessions.cite("s1", [memory.uid])
    given = [{"uid": memory.uid, "score": 0.9, "reason": "matching words"}]
    step = {"what": "injected", "tokens": 9, "memories": given}
    sessions.trace(Trace(10.0, "s1", "prompt", 1.0, [step]))

    found = store.injections(memory.id)

    assert [(one.session, one.is_title, one.is_used, one.reason) for one in found] == [
        ("s2", True, False, ""),
        ("s1", False, True, "matching words"),
    ]


def test_files_of_a_memory(store: Recollect, repo: Path) -> None:
    """Each with its own state, and what changed in it."""
    memory = store.capture(
        "decisions", "Use PostgreSQL", files_modified=["src/store.py", "src/gone.py"]
    )
    other = store.capture("notes", "Unrelated")
    file = repo / "src" / "store.py"
    fresh = store.file_states(memory)
    file.write_text("ENGINE = 2\n")
    later = time.time() + 60
    os.utime(file, (later, later))

    assert fresh == {"src/store.py": "FRESH", "src/gone.py": "GONE"}
    assert store.file_states(memory)["src/store.py"] == "CHANGED"
    assert store.file_states(other) == {}
    newer = store.capture("notes", "Engine 2", files_read=["src/store.py"])
    gone = {memory.uid: "GONE"}
    assert store.file_since("src/gone.py", [memory, other, newer]) == gone
    assert store.file_since("src/store.py", [memory, other])[memory.uid] == "CHANGED"
    assert store.change_since(memory, "src/store.py") == (
        "ENGINE = 1\n\ndef save():\n    pass\n",
        "ENGINE = 2\n",
    )
    assert store.change_since(memory, "src/gone.py") == ("", "")
    assert store.change_since(other, "src/store.py") is None


def test_a_file_outside_of_the_repository_is_not_read(store: Recollect, repo: Path) -> None:
    """Not even through a link that somebody committed."""
    outside = repo.parent / "secret.txt"
    outside.write_text("secret")
    (repo / "link").symlink_to(repo.parent)
    (repo / "direct.txt").symlink_to(outside)
    memory = store.capture("notes", "x", files_read=["link/secret.txt", "direct.txt"])

    assert store.change_since(memory, "link/secret.txt") == ("", "")
    assert store.change_since(memory, "direct.txt") == ("", "")


def test_no_filter_of_the_repository_runs(store: Recollect, repo: Path, sandbox: Sandbox) -> None:
    """Comparing and blaming a file starts no program that the repository names."""
    ran = repo.parent / "ran"
    (repo / ".gitattributes").write_text("* filter=bad diff=bad\n")
    for key in ("filter.bad.clean", "filter.bad.smudge", "diff.bad.textconv", "diff.bad.command"):
        sandbox.git(repo, "config", key, f"touch {ran}; cat")
    memory = store.capture("notes", "x", files_read=["src/store.py"])
    (repo / "src" / "store.py").write_text("ENGINE = 3\n")

    assert store.change_since(memory, "src/store.py") is not None
    assert store.blame("src/store.py").blocks
    assert not ran.exists()


def test_blame(store: Recollect, repo: Path, sandbox: Sandbox) -> None:
    """By commit, by a word, by the file, and nearby; private memories only if asked for."""
    at_commit = store.capture("decisions", "One engine", files_modified=["src/store.py"])
    nearby = store.capture("notes", "Without a file")
    elsewhere = store.capture("notes", "Elsewhere", files_read=["README.md"])
    hidden = store.capture("notes", "Hidden", files_read=["src/store.py"], sensitivity="private")
    (repo / "src" / "store.py").write_text("ENGINE = 1\n\ndef save():\n    return True\n")
    sandbox.git(repo, "commit", "-aqm", "Say whether")
    by_word = store.capture(
        "notes", "`save()` must be called once", files_read=["src/store.py"], at="HEAD~1"
    )
    whole = store.capture("notes", "A small file", files_read=["src/store.py"], at=None)

    found = store.blame("src/store.py")

    assert [(block.first, block.last) for block in found.blocks] == [(1, 3), (4, 4)]
    assert {m.uid for m in found.blocks[0].memories} == {at_commit.uid, by_word.uid}
    assert found.blocks[0].lines == ["ENGINE = 1", "", "def save():"]
    assert [(n, word, m.uid) for n, word, m in found.blocks[0].named] == [(3, "save", by_word.uid)]
    assert found.blocks[1].memories == ()
    assert [m.uid for m in found.others] == [whole.uid]
    assert [m.uid for m in found.nearby] == [nearby.uid]
    known = {memory.uid for memory in found.memories}
    assert elsewhere.uid not in known
    assert hidden.uid not in known
    assert hidden.uid in {m.uid for m in store.blame("src/store.py", sensitivity="all").memories}
    (newest,) = store.blame("src/store.py", limit=1).memories
    assert newest.uid == whole.uid
    assert store.blame("no/such.py").blocks == []
    assert store.known_files() == {"src/store.py": 4, "README.md": 1}
    assert store.known_files(sensitivity=("public",))["src/store.py"] == 3


def test_related_in_both_directions(store: Recollect) -> None:
    """What it names, and what names it."""
    one = store.capture("notes", "One")
    two = store.capture("notes", "Two", relates_to=[one.uid])
    three = store.capture("notes", "Three", relates_to=[two.uid])

    assert [memory.uid for memory in store.related(two)] == [one.uid, three.uid]


def test_newest_and_count_as_of_a_time(store: Recollect) -> None:
    """A memory that was captured later is not there."""
    store.capture("notes", "Now")

    assert store.count() == 1
    assert store.count(kind="decisions") == 0
    assert store.newest(5, as_of="1d") == []
    assert [memory.summary for memory in store.newest(5, as_of="1m")] == []
    assert len(store.newest(5)) == 1

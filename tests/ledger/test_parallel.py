"""Many writers at once, foreign ones among them, some killed: what was acknowledged is there."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from recollect.core.names import parse_name
from tests.sandbox import Sandbox

# Imports what a capture needs, says so, and starts when it is told.
_BEHIND_A_BARRIER = """\
import sys
import recollect.cli, recollect.cli.capture, recollect.cli.purge, recollect.cli.sync
import recollect.store.store
print("ready", flush=True)
sys.stdin.readline()
recollect.cli.main()
"""
# Captures again and again, and acknowledges each memory by printing it.
_AGAIN_AND_AGAIN = """\
import sys, time
import recollect
store = recollect.open(sys.argv[1])
for number in range(int(sys.argv[3])):
    memory = store.capture("decisions", f"{sys.argv[2]} {number}", "body\\n" * 50)
    print(memory.uid, memory.id, flush=True)
    time.sleep(float(sys.argv[4]))
"""
# Captures, purges and syncs, and says what it has done.
_PURGES_AND_SYNCS = """\
import sys
import recollect
store = recollect.open(sys.argv[1])
while True:
    memory = store.capture("decisions", "to be purged", "text-to-go")
    print("captured", memory.uid, flush=True)
    store.sync()
    store.purge(memory.uid)
    print("purged", memory.uid, flush=True)
    store.sync()
"""
_APPENDS = 'for i in 1 2 3 4 5; do git notes --ref=mem/decisions append -m "foreign $0 $i"; done'

Process = subprocess.Popen[str]


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with one commit."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    return path


def start(repo: Path, *verb: str) -> Process:
    """A process of the command line that waits to be told to go."""
    return subprocess.Popen(
        [sys.executable, "-c", _BEHIND_A_BARRIER, "-C", str(repo), *verb],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def let_go(processes: Sequence[Process]) -> None:
    """Start them all at the same moment."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def outputs(processes: Sequence[Process]) -> list[str]:
    """What each printed; all of them must have succeeded."""
    printed = []
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        printed.append(out.strip())
    return printed


def locks(repo: Path) -> list[Path]:
    """Lock files below .git; ours is held by the system, not by its existence."""
    found = (repo / ".git").rglob("*.lock")
    return [path for path in found if path.parent.name != "recollect"]


@contextlib.contextmanager
def ending(processes: Sequence[Process]) -> Iterator[None]:
    """Make sure that no process outlives the test, and that no pipe stays open."""
    try:
        yield
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()


def test_forty_processes_capture_at_once(sandbox: Sandbox, repo: Path) -> None:
    """40 processes writing the same note leave 40 memories with 40 ids, and none fails."""
    writers = [start(repo, "capture", "decisions", f"memory {n}") for n in range(40)]
    with ending(writers):
        let_go(writers)
        ids = outputs(writers)

    assert len(set(ids)) == 40
    store = sandbox.open(repo)
    memories = store.memories()
    assert sorted(m.summary for m in memories) == sorted(f"memory {n}" for n in range(40))
    assert len({m.id for m in memories}) == 40
    assert sorted(store.get(name).summary for name in ids) == sorted(m.summary for m in memories)
    numbers = [name.number for name in map(parse_name, ids) if name]
    assert sorted(numbers) == list(range(40))
    assert not locks(repo)


def test_twenty_of_ours_while_twenty_append(sandbox: Sandbox, repo: Path) -> None:
    """20 captures all survive while 20 programs run `git notes append` on the same note."""
    writers = [start(repo, "capture", "decisions", f"memory {n}") for n in range(20)]
    with ending(writers), contextlib.ExitStack() as foreign:
        let_go(writers)
        appends = [
            foreign.enter_context(
                subprocess.Popen(
                    ["sh", "-c", _APPENDS, str(number)],
                    cwd=repo,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
            for number in range(20)
        ]
        ids = outputs(writers)
        for append in appends:
            append.wait(timeout=60)

    store = sandbox.open(repo)
    ours = {m.summary for m in store.memories() if m.summary.startswith("memory")}
    assert ours == {f"memory {n}" for n in range(20)}
    assert {store.get(name).summary for name in ids} == ours
    assert len(set(ids)) == 20


def test_captures_changes_and_purges_at_once(sandbox: Sandbox, repo: Path) -> None:
    """Writers of every sort at once: what was captured or changed stays, what was purged goes."""
    store = sandbox.open(repo)
    doomed = [store.capture("decisions", f"doomed {n}", f"text-to-go-{n}") for n in range(5)]
    edited = [store.capture("decisions", f"old {n}") for n in range(5)]
    processes = [start(repo, "purge", memory.uid, "--yes") for memory in doomed]
    processes += [start(repo, "archive", memory.uid, "--reason", "old") for memory in edited]
    processes += [start(repo, "capture", "decisions", f"new {n}") for n in range(10)]
    with ending(processes):
        let_go(processes)
        outputs(processes)

    found = {m.summary: m.status for m in sandbox.open(repo).memories(status="all")}
    assert found == {f"new {n}": "active" for n in range(10)} | {
        f"old {n}": "archived" for n in range(5)
    }
    assert not re.findall(rb"text-to-go-\d", sandbox.all_bytes(repo))
    assert sandbox.run(repo, "fsck", "--strict").returncode == 0


def test_syncs_at_once(sandbox: Sandbox, hub: Path) -> None:
    """Processes of two clones that capture and sync at once all succeed and lose nothing."""
    repos = [sandbox.clone("ada"), sandbox.clone("bob")]
    secret = sandbox.open(repos[0]).capture("decisions", "hush", "text-to-go")
    for repo in repos:
        sandbox.open(repo).sync()
    sandbox.open(repos[0]).purge(secret.uid)
    processes = [start(repo, "sync") for repo in repos for _ in range(4)]
    processes += [
        start(repo, "capture", "decisions", f"{repo.name} {n}") for repo in repos for n in range(3)
    ]
    with ending(processes):
        let_go(processes)
        outputs(processes)

    for repo in (*repos, *repos):
        sandbox.open(repo).sync()
    assert sandbox.trees(repos[0]) == sandbox.trees(repos[1]) == sandbox.trees(hub)
    found = [memory.summary for memory in sandbox.open(repos[1]).memories()]
    assert sorted(found) == [f"{repo.name} {n}" for repo in repos for n in range(3)]
    for repo in repos:
        assert b"text-to-go" not in sandbox.all_bytes(repo)


def start_again_and_again(repo: Path, name: str, captures: int, pause: float) -> Process:
    """A process that captures in a loop, in a process group of its own."""
    return subprocess.Popen(
        [
            *(sys.executable, "-c", _AGAIN_AND_AGAIN),
            *(str(repo), name, str(captures), str(pause)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_busy_writers_do_not_starve_each_other(sandbox: Sandbox, repo: Path) -> None:
    """Six processes that capture without a pause for some seconds all come to their turn."""
    writers = [start_again_and_again(repo, f"writer {n}", 40, 0) for n in range(6)]
    with ending(writers):
        printed = outputs(writers)

    assert len({line for out in printed for line in out.splitlines()}) == 240
    assert len(sandbox.open(repo).memories()) == 240


@pytest.mark.parametrize("seed", range(2))
def test_killed_writers_lose_nothing_they_acknowledged(
    sandbox: Sandbox, repo: Path, seed: int
) -> None:
    """SIGKILL to writers at random moments loses no printed memory and leaves no lock behind."""
    chance = random.Random(seed)
    acknowledged: list[str] = []
    for wave in range(4):
        writers = [
            start_again_and_again(repo, f"writer {wave} {n}", 10_000, 0.01) for n in range(4)
        ]
        with ending(writers):
            for writer in writers:  # each is at work before anybody dies
                assert writer.stdout is not None
                acknowledged.append(writer.stdout.readline())
            for writer in chance.sample(writers, len(writers)):
                time.sleep(chance.uniform(0, 0.2))
                os.killpg(writer.pid, signal.SIGKILL)
            for writer in writers:
                assert writer.stdout is not None
                acknowledged += writer.stdout.read().splitlines()
        memory = sandbox.open(repo).capture("decisions", f"after wave {wave}")
        acknowledged.append(f"{memory.uid} {memory.id}")

    complete = [line.split() for line in acknowledged if len(line.split()) == 2]
    assert len(complete) >= 20
    known = {memory.uid: memory for memory in sandbox.open(repo).memories()}
    for uid, name in complete:
        assert known[uid].id == name
    assert len({name for _, name in complete}) == len(complete)
    assert not _lasting_locks(repo)
    assert sandbox.run(repo, "fsck", "--strict").returncode == 0


def _lasting_locks(repo: Path) -> list[Path]:
    """Lock files that stay: a git command that outlived its caller may still be finishing."""
    deadline = time.monotonic() + 5
    while (found := locks(repo)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


@pytest.mark.parametrize("tracing", ["", "GIT_TRACE", "GIT_TRACE2"])
def test_a_ref_lock_held_for_a_moment(
    sandbox: Sandbox, repo: Path, tracing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A foreign program that holds a notes ref's lock only delays a write, traced or not."""
    sandbox.open(repo).capture("decisions", "first")
    if tracing:
        monkeypatch.setenv(tracing, "1")
    store = sandbox.open(repo)
    lock = repo / ".git" / "refs" / "notes" / "mem" / "decisions.lock"
    lock.touch()
    release = threading.Timer(2.5, lock.unlink)
    release.start()
    try:
        memory = store.capture("decisions", "second")
    finally:
        release.join()

    assert [m.summary for m in sandbox.open(repo).memories()] == ["first", "second"]
    assert memory.id.endswith(":1")


@pytest.mark.parametrize(
    "name",
    [
        "refs/notes/mem/decisions",
        "refs/mem/seen/decisions",
        "refs/mem/remotes/origin/decisions",
        "logs/refs/notes/mem/decisions",
    ],
)
def test_a_lock_left_by_a_crash(sandbox: Sandbox, hub: Path, name: str) -> None:
    """A lock that a crashed machine left long ago does not stop anything for ever."""
    repo = sandbox.clone("work")
    store = sandbox.open(repo)
    secret = store.capture("decisions", "hush", "text-to-go")
    store.sync()
    store.capture("decisions", "first")
    lock = repo / ".git" / f"{name}.lock"
    lock.touch()
    long_ago = time.time() - 3600
    os.utime(lock, (long_ago, long_ago))

    store.capture("decisions", "second")
    store.sync()
    assert store.purge(secret.uid) == []
    store.sync()

    assert [m.summary for m in sandbox.open(repo).memories()] == ["first", "second"]
    assert b"text-to-go" not in sandbox.all_bytes(repo)
    assert sandbox.trees(repo) == sandbox.trees(hub)


def test_killed_purges_and_syncs_leave_no_lock(sandbox: Sandbox, hub: Path) -> None:
    """SIGKILL to processes that purge and sync leaves nothing that stops those that come after."""
    repo = sandbox.clone("work")
    chance = random.Random(1)
    kept = sandbox.open(repo).capture("decisions", "kept").uid
    captured: set[str] = set()
    purged: set[str] = set()
    for wave in range(6):
        worker = subprocess.Popen(
            [sys.executable, "-c", _PURGES_AND_SYNCS, str(repo), str(wave)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        with ending([worker]):
            assert worker.stdout is not None
            lines = [worker.stdout.readline()]
            time.sleep(chance.uniform(0, 0.6))
            os.killpg(worker.pid, signal.SIGKILL)
            lines += worker.stdout.readlines()
        for line in lines:
            if line.endswith("\n"):
                verb, uid = line.split()
                (purged if verb == "purged" else captured).add(uid)

    store = sandbox.open(repo)
    store.sync()
    memory = store.capture("decisions", "hush", "text-to-go")
    assert store.purge(memory.uid) == []
    store.sync()
    found = {memory.uid for memory in store.memories()}
    assert kept in found
    assert len(captured) >= 6
    assert not purged & found
    assert not _lasting_locks(repo)
    for uid in found - {kept}:  # its process was killed before it could purge it
        store.purge(uid)
    store.sync()
    sandbox.collect_garbage(repo)
    assert b"text-to-go" not in sandbox.all_bytes(repo) + sandbox.state_bytes(repo)

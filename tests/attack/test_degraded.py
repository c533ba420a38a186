"""Degraded places: reads and hooks answer, nothing crashes, nothing is lost, doctor says so."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from recollect.config.config import data_dir
from recollect.sleep.run import sleep
from recollect.state.local_key import DRAFT, sign
from tests.sandbox import POWERLESS, Sandbox

SUMMARY = "Use PostgreSQL for persistence"


class Place:
    """A repository with memories, used by processes as a person and an agent start them."""

    def __init__(self, repo: Path, prefix: Sequence[str] = ()) -> None:
        self.repo = repo
        self.state = repo / ".git" / "recollect"
        self.prefix = prefix

    def run(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command; whatever is wrong with the place, it does not crash."""
        done = subprocess.run(
            [*self.prefix, sys.executable, "-m", "recollect", *words],
            cwd=self.repo,
            input=given,
            capture_output=True,
            text=True,
            timeout=120,
            env={
                **os.environ,
                "RECOLLECT_HOOK_DEADLINE": "30000",
                "RECOLLECT_HOOK_SESSION_DEADLINE": "30000",
            },
        )
        assert "Traceback" not in done.stderr, (words, done.stderr)
        return done

    def hook(self, event: str, **fields: object) -> str:
        """Call a hook; what it says."""
        payload = {"session_id": "s1", "cwd": str(self.repo), **fields}
        done = self.run("hook", event, given=json.dumps(payload))
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def answers(self) -> str:
        """Everything that reads gives the memory; what doctor says."""
        for words in (("list",), ("search", "postgresql", "--mode=text")):
            done = self.run(*words)
            assert (done.returncode, SUMMARY in done.stdout) == (0, True), (words, done.stderr)
        assert self.run("review").returncode == 0
        assert SUMMARY in self.hook("session-start", source="startup")
        self.hook("prompt", prompt="Which database do we use, PostgreSQL?")
        self.hook("stop")
        done = self.run("doctor")
        return done.stdout + done.stderr


@pytest.fixture
def place(sandbox: Sandbox) -> Place:
    """A repository in which a session has been."""
    repo = sandbox.init("repo")
    sandbox.commit(repo)
    return made(Place(repo))


def made(place: Place) -> Place:
    """A place with a memory, an index and local state."""
    assert place.run("capture", "decisions", SUMMARY, "--body", "Two workers").returncode == 0
    place.hook("session-start", source="startup")
    assert {"index.db", "usage.db"} <= {path.name for path in place.state.iterdir()}
    return place


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Take the right to write away, for directories and files."""
    modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*"))}
    for path in modes:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@pytest.mark.parametrize("is_behind", [False, True])
def test_a_read_only_repository_with_an_index(place: Place, is_behind: bool) -> None:
    """Also where the index has not seen the last memory."""
    if os.geteuid() == 0:
        if shutil.which(POWERLESS[0]) is None:
            pytest.skip("root may write anywhere, and there is no setpriv to give that up")
        place.prefix = POWERLESS
    if is_behind:
        note = "The newest note of all"
        subprocess.run(
            ["git", "notes", "--ref=mem/notes", "add", "-m", note], cwd=place.repo, check=True
        )
    with read_only(place.repo):
        said = place.answers()
        assert "cannot be written" in said
        if is_behind:
            assert note in place.run("list").stdout
        refused = place.run("capture", "notes", "never")
        assert refused.returncode != 0
        assert "Cannot write" in refused.stderr
        told = place.hook("prompt", prompt="[remember] the sky is blue")
        assert "NOT saved" in told
    place.prefix = ()
    assert place.run("capture", "notes", "later").returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "recollect-test", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize("with_index", [True, False])
def test_a_full_disk(sandbox: Sandbox, small_disk: Path, with_index: bool) -> None:
    """Reads and hooks answer; a capture says what is wrong; with room again all goes on."""
    repo = small_disk / "repo"
    repo.mkdir()
    sandbox.git(repo, "init", "--quiet")
    sandbox.commit(repo)
    place = made(Place(repo))
    if not with_index:
        for path in place.state.glob("*.db*"):
            path.unlink()
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue

    said = place.answers()
    refused = place.run("capture", "notes", "never")
    told = place.hook("prompt", prompt="[remember] the sky is blue")

    assert "left" in said
    assert refused.returncode != 0
    assert "NOT saved" in told
    filler.unlink()
    place.answers()
    assert place.run("capture", "notes", "Room again").returncode == 0
    assert "Room again" in place.run("list").stdout


def test_a_line_break_in_the_path(sandbox: Sandbox) -> None:
    """A repository may be called anything; so may its worktrees."""
    repo = sandbox.init("a\nb\x1cc")
    sandbox.commit(repo)
    place = made(Place(repo))
    place.answers()
    sandbox.git(repo, "worktree", "add", "--quiet", "-b", "side", "../s\ni\nd\ne")
    side = Place(sandbox.root / "s\ni\nd\ne")
    assert SUMMARY in side.run("list").stdout
    assert SUMMARY in side.hook("session-start", source="startup")
    assert side.run("capture", "notes", "From the side").returncode == 0
    assert "From the side" in place.run("list").stdout


def _garbage(path: Path) -> None:
    path.write_bytes(b"this is no database at all " * 400)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _truncated(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2 + 77])


def _header(path: Path) -> None:
    path.write_bytes(os.urandom(100) + path.read_bytes()[100:])


def _pages(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\x05" * (len(data) - 4096))


def _shifted(path: Path) -> None:
    data = path.read_bytes()
    pages = [data[at : at + 4096] for at in range(0, len(data), 4096)]
    path.write_bytes(b"".join([pages[0], *pages[2:], pages[1]]))


def _schema(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:100] + b"\xff" * 3996 + data[4096:])


def _log(path: Path) -> None:
    assert path.is_file()
    path.with_name(f"{path.name}-wal").write_bytes(os.urandom(9000))
    path.with_name(f"{path.name}-shm").write_bytes(os.urandom(32768))


def _folder(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()
    (path / "something").write_text("of somebody")


def _log_folder(path: Path) -> None:
    path.with_name(f"{path.name}-wal").mkdir()


def _other(path: Path) -> None:
    import apsw

    path.unlink(missing_ok=True)
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE other (x); PRAGMA user_version = 9")
    db.close()


def _no_table(path: Path) -> None:
    import apsw

    db = apsw.Connection(str(path))
    for (name,) in list(db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")):
        if name in ("use", "known", "slept", "given", "record", "name", "chunk"):
            db.execute(f"DROP TABLE {name}")
    db.close()


def _restore(path: Path, data: bytes) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.write_bytes(data)


DAMAGES = [
    _garbage,
    _empty,
    _truncated,
    _header,
    _pages,
    _shifted,
    _schema,
    _log,
    _folder,
    _log_folder,
    _other,
    _no_table,
]


@pytest.mark.parametrize("name", ["index.db", "usage.db"])
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage.__name__))
def test_a_corrupt_database(
    sandbox: Sandbox, place: Place, name: str, damage: Callable[[Path], None]
) -> None:
    """It is mended or put aside, and whoever meets it first gets an answer."""
    damaged = place.state / name
    before = damaged.read_bytes()
    damage(damaged)
    assert SUMMARY in place.hook("session-start", source="startup")
    if damage is not _log_folder:
        _restore(damaged, before)
        damage(damaged)

    store = sandbox.open(place.repo)
    assert SUMMARY in [memory.summary for memory in store.memories()]
    store.search("postgresql", mode="text")
    store.used(store.memories())
    store.doctor()
    store.close()
    if damage is not _log_folder:
        _restore(damaged, before)
        damage(damaged)
    again = sandbox.open(place.repo)
    assert SUMMARY in [hit.memory.summary for hit in again.search("postgresql", mode="text")]
    memory = again.capture("notes", "After the damage")
    sleep(again)
    assert again.get(memory.uid).summary == "After the damage"
    assert [f for f in again.verify() if f.level == "problem"] == []


def _spool_is_a_file(folder: Path) -> None:
    folder.write_text("no directory")


def _spool_of_garbage(folder: Path) -> None:
    uid = "01M7GBJJDY86YZZDQ8VQJ7NAT"
    folder.mkdir()
    (folder / f"{uid}0.json").write_bytes(os.urandom(2000))
    (folder / f"{uid}1.json").write_text("{" * 10)
    (folder / f"{uid}2.json").write_text("[" * 100_000)
    (folder / f"{uid}3.json").mkdir()
    (folder / f"{uid}4.json").write_text("[]")
    (folder / f"{uid}5.json").write_text('{"kind": 7, "summary": ["x"], "at": {}, "tags": 5}')
    (folder / f"{uid}6.json").write_text('{"draft": 5, "confidence": "high", "sources": 7}')
    (folder / f"{uid}7.json").write_text(
        '{"draft": {"summary": 5}, "confidence": [], "sources": 7}'
    )
    (folder / "no-uid.json").write_text('{"kind": "notes", "summary": "smuggled"}')
    (folder / f"{uid}8.json").symlink_to(folder / "nowhere")
    os.mkfifo(folder / f"{uid}9.json")


@pytest.mark.parametrize("name", ["spool", "aside", "suggestions"])
@pytest.mark.parametrize("damage", [_spool_is_a_file, _spool_of_garbage])
def test_a_broken_spool(place: Place, name: str, damage: Callable[[Path], None]) -> None:
    """What somebody asks to keep is kept, what cannot be read is left where it is."""
    folder = place.state / name
    if folder.is_dir():
        shutil.rmtree(folder)
    damage(folder)

    said = place.answers()
    told = place.hook("prompt", prompt="[remember] The sky is blue over the harbour")

    assert "cannot be read" in said
    assert "NOT saved" not in told
    listed = place.run("list").stdout
    assert "The sky is blue" in listed
    assert "smuggled" not in listed
    assert folder.exists()


def test_a_good_draft_beside_broken_ones_is_kept(place: Place) -> None:
    """One that cannot be read stops no other."""
    _spool_of_garbage(place.state / "spool")
    nonce = "01M7GBJJDY86YZZDQ8VQJ7NATA"
    good = {"kind": "notes", "summary": "Waited for the ledger", "at": "HEAD"}
    path = place.state / "spool" / f"{nonce}.json"
    path.write_text(json.dumps(sign(data_dir(os.environ), DRAFT, nonce, good)))

    place.hook("session-start", source="startup")

    assert "Waited for the ledger" in place.run("list").stdout
    assert not path.exists()
